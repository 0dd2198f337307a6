//! Affine fits from their moments.

/// Local linear estimates at M query points.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalLinear {
    /// The estimates, `[p, M]`.
    pub signal: Vec<f64>,
    /// Number of query points whose neighbors did not determine an affine function; `signal` is the
    /// Nadaraya–Watson estimate there.
    pub n_fallbacks: usize,
}

/// An affine function counts as determined along an axis if the weighted variance there, given the other
/// axes, exceeds this fraction of the weighted squared distance. Below it, rounding would leave fewer than
/// nine digits.
pub(crate) const DETERMINED: f64 = 1e-6;

/// Densities below this have lost digits to underflow.
pub(crate) const SMALLEST_DENSITY: f64 = 1e-280;

/// The moments of one query point, scaled by the density: weighted means.
pub(crate) struct Means {
    dim: usize,
    /// Mean displacement.
    first: [f64; 3],
    /// Cholesky factor of the covariance of the displacements, lower triangle.
    factor: [[f64; 3]; 3],
    /// Mean square displacement along each axis.
    squares: [f64; 3],
    /// How well the affine function is determined: the smallest weighted variance along an axis, given the
    /// other axes, over the weighted squared distance.
    pub(crate) determination: f64,
}

impl Means {
    /// From the sums Σκ, Σκδ and Σκδδᵀ; `None` unless the covariance is safely positive.
    pub(super) fn new(dim: usize, density: f64, first: [f64; 3], second: [[f64; 3]; 3]) -> Option<Self> {
        if density < SMALLEST_DENSITY {
            None
        } else {
            Self::at_least(DETERMINED, dim, density, first, second)
        }
    }

    /// The same with another threshold of determination.
    pub(crate) fn at_least(
        least: f64,
        dim: usize,
        density: f64,
        first: [f64; 3],
        second: [[f64; 3]; 3],
    ) -> Option<Self> {
        let first = first.map(|s| s / density);
        let (mut factor, mut determination) = ([[0.0; 3]; 3], f64::INFINITY);
        for d in 0..dim {
            for e in 0..=d {
                let covariance = second[d][e] / density - first[d] * first[e];
                let rest = covariance - (0..e).map(|k| factor[d][k] * factor[e][k]).sum::<f64>();
                if e < d {
                    factor[d][e] = rest / factor[e][e];
                } else if rest > least * second[d][d] / density {
                    factor[d][d] = rest.sqrt();
                    determination = f64::min(determination, rest * density / second[d][d]);
                } else {
                    return None;
                }
            }
        }
        let squares = std::array::from_fn(|d| second[d][d] / density);
        Some(Self { dim, first, factor, squares, determination })
    }

    /// tr C⁻¹, with C the covariance, and tr C⁻¹S, with S the mean squares: how much relative errors of the
    /// moments are amplified at most.
    pub(crate) fn conditioning(&self) -> (f64, f64) {
        let inverse = |d: usize| {
            let along = self.forward(std::array::from_fn(|e| f64::from(u8::from(d == e))));
            along.iter().map(|x| x * x).sum::<f64>()
        };
        (0..self.dim)
            .map(|d| (inverse(d), inverse(d) * self.squares[d]))
            .fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y))
    }

    /// The fitted value at displacement zero, from the mean of u and of u δ.
    pub(super) fn intercept(&self, mean: f64, cross: [f64; 3]) -> f64 {
        // With C = L Lᵀ the covariance: mean − first · C⁻¹ cov(δ, u) = mean − (L⁻¹ first) · (L⁻¹ cov(δ, u)).
        let covariance = std::array::from_fn(|d| cross[d] - self.first[d] * mean);
        let (a, b) = (self.forward(self.first), self.forward(covariance));
        mean - (0..self.dim).map(|d| a[d] * b[d]).sum::<f64>()
    }

    /// The tilt b = C⁻¹ m with m the mean displacement: the fit weighs a point of displacement δ by
    /// κ (1 − b·(δ − m)) / ρ.
    pub(crate) fn tilt(&self) -> [f64; 3] {
        self.backward(self.forward(self.first))
    }

    /// Lᵀ x = right.
    pub(crate) fn backward(&self, right: [f64; 3]) -> [f64; 3] {
        let mut b = [0.0; 3];
        for d in (0..self.dim).rev() {
            let known = (d + 1..self.dim).map(|k| self.factor[k][d] * b[k]).sum::<f64>();
            b[d] = (right[d] - known) / self.factor[d][d];
        }
        b
    }

    /// L x = right.
    pub(crate) fn forward(&self, right: [f64; 3]) -> [f64; 3] {
        let mut x = [0.0; 3];
        for d in 0..self.dim {
            x[d] = (right[d] - (0..d).map(|k| self.factor[d][k] * x[k]).sum::<f64>()) / self.factor[d][d];
        }
        x
    }
}

/// Fits from sums `[term, query point]` over the terms of `Term::affine`.
pub(super) fn solve(
    dim: usize,
    n_channels: usize,
    n_query: usize,
    sums: &[f64],
    density_floor: f64,
) -> LocalLinear {
    let mut signal = vec![0.0; n_channels * n_query];
    let mut n_fallbacks = 0;
    for q in 0..n_query {
        let sum = |term: usize| sums[term * n_query + q];
        let vector = |start: usize| std::array::from_fn(|d| if d < dim { sum(start + d) } else { 0.0 });
        let mut second = [[0.0; 3]; 3];
        let pairs = (0..dim).flat_map(|d| (d..dim).map(move |e| (d, e)));
        for (place, (d, e)) in pairs.enumerate() {
            second[d][e] = sum(1 + dim + place);
            second[e][d] = second[d][e];
        }
        let density = sum(0);
        let means = Means::new(dim, density, vector(1), second);
        n_fallbacks += usize::from(means.is_none());
        let start = 1 + dim + dim * (dim + 1) / 2;
        for channel in 0..n_channels {
            let at = start + channel * (1 + dim);
            signal[channel * n_query + q] = match &means {
                Some(means) => means.intercept(sum(at) / density, vector(at + 1).map(|s| s / density)),
                None => sum(at) / (density + density_floor),
            };
        }
    }
    LocalLinear { signal, n_fallbacks }
}
