//! The local linear estimate over a box: its weights, expanded about the center.

use super::affine_fit::{AffineFit, MOMENTS, MOST_CHANGE, fit_loss};
use super::box_bound::{BoxBound, Neighbor, Surroundings};
use super::neighbors::{dot, largest};
use super::regularity::Regularity;

/// A matrix in the basis (1, L⁻¹y), in which the moments at the center are the identity.
type Square = [[f64; 4]; 4];

/// One point of the fit.
struct Term<'a> {
    point: &'a Neighbor,
    /// ψ_j = (1, L⁻¹y_j).
    basis: [f64; 4],
    /// w_j at the center.
    weight: f64,
    /// C⁻¹y_j.
    inverse: [f64; 3],
}

impl Surroundings<'_> {
    /// The bound of an affine fit, which need not be the estimate, and the least it is determined anywhere in
    /// the box; `None` if the box is too large to say.
    pub fn affine(&self, fit: &AffineFit) -> Option<(BoxBound, f64)> {
        let Regularity { curvature_bound, gradient_bound, oscillation, .. } = *self.place.regularity;
        let (h, rate, dim) = (self.radius, self.rate, self.place.domain.dim());
        let terms: Vec<Term> = self.points.iter().map(|point| Term::new(point, fit)).collect();
        let Change { slope, bend, turned } = self.change(&terms);
        let far_change = self.far[0] + fit.trace * self.far_squares() + MOMENTS * fit.conditioning;
        let change = slope + 0.5 * bend + far_change;
        if change > MOST_CHANGE || change.is_nan() {
            return None;
        }
        let inverse = (1.0 - change).recip();
        let forward = |z: [f64; 3]| {
            let scaled = fit.means.forward(z);
            dot(&scaled, &scaled).sqrt()
        };
        let moved = largest(self.cuboid.corners(dim).map(forward));
        let size = fit.norm + moved;
        let slope = inverse * (slope + bend);
        let curved = 2.0 * moved * slope + size * (2.0 * slope * slope + inverse * bend);
        // Σ|w_j| |d_j|^k, k = 0, 1, 2: at the center; at each corner to first order; then the remainder.
        let (mut center, mut corners, mut left) = ([0.0; 3], [[0.0; 3]; 8], [0.0; 3]);
        for Term { point, basis, weight, inverse: along } in &terms {
            let slopes: [f64; 3] = std::array::from_fn(|d| {
                weight * rate * point.centered[d] + point.share * (along[d] - dot4(&turned[d], basis))
            });
            let powers = [1.0, point.distance, point.distance.powi(2)];
            (0..3).for_each(|k| center[k] += weight.abs() * powers[k]);
            for (sums, z) in corners.iter_mut().zip(self.cuboid.corners(dim)) {
                let weight = (weight + dot(&slopes, &z)).abs();
                (0..3).for_each(|k| sums[k] += weight * powers[k]);
            }
            let second = point.tilt * (point.tilt * size + 2.0 * (moved + size * slope)) + curved;
            let basis = dot4(basis, basis).sqrt();
            let weight = point.share * point.growth * basis * inverse;
            let weight = weight * (0.5 * second + size * far_change * inverse);
            (0..3).for_each(|k| left[k] += weight * powers[k]);
        }
        // A far point weighs at most size · √q / (1 − β) with √q ≤ 1 + √tr C⁻¹ (r + |m|).
        let root = fit.trace.sqrt();
        let far = |k: usize| {
            size * inverse * ((1.0 + root * self.mean_length) * self.far[k] + root * self.far[k + 1])
        };
        let most = std::array::from_fn(|k| largest(corners.iter().map(|sums| sums[k])) + left[k] + far(k));
        let bound = |[lebesgue, distance, second]: [f64; 3], h: f64| {
            let taylor = 0.5 * curvature_bound * (second + h * h);
            taylor.min(gradient_bound * (distance + h)).min(oscillation * lebesgue)
        };
        // Over the box the moments change by the factors 1 ± β, and the mean squares by the displacement from
        // the center.
        let grown = (1.0 + change) * inverse;
        let conditioning = grown * (fit.conditioning.sqrt() + h * root).powi(2);
        let lost = self.place.regularity.lost(fit_loss(size * grown.sqrt(), conditioning));
        let at_center = bound(center, 0.0) + self.place.regularity.lost(fit.relative_loss());
        let bound = BoxBound { at_center, anywhere: bound(most, h) + lost };
        // Its variances fall by (1 − β)/(1 + β) against the mean squares, which grow by the displacement from
        // the center.
        let square =
            (0..dim).map(|d| self.sums.second[d][d] / self.sums.density).fold(f64::INFINITY, f64::min);
        let least_determination = fit.means.determination / (grown * (1.0 + h / square.sqrt()).powi(2));
        most[2].is_finite().then_some((bound, least_determination))
    }
}

/// How the moments change over the box.
struct Change {
    /// ‖A₁‖: the largest first derivative, at the center, towards a place of the box.
    slope: f64,
    /// The largest second derivative in that direction, anywhere.
    bend: f64,
    /// c_d/ℓ² = Σ w_j y_jd ψ_j/ℓ²: the slope along each axis times the vector that generates the weights.
    turned: [[f64; 4]; 3],
}

impl Surroundings<'_> {
    fn change(&self, terms: &[Term]) -> Change {
        let dim = self.place.domain.dim();
        let (mut slopes, mut bend, mut turned) = ([[[0.0; 4]; 4]; 3], [[0.0; 4]; 4], [[0.0; 4]; 3]);
        for Term { point, basis, weight, .. } in terms {
            add(&mut bend, point.share * point.growth * point.tilt.powi(2), basis);
            for d in 0..dim {
                let along = self.rate * point.centered[d];
                add(&mut slopes[d], point.share * along, basis);
                (0..4).for_each(|k| turned[d][k] += weight * along * basis[k]);
            }
        }
        let slope = |z: [f64; 3]| {
            norm(&std::array::from_fn(|k| {
                std::array::from_fn(|l| (0..dim).map(|d| z[d] * slopes[d][k][l]).sum::<f64>())
            }))
        };
        // A norm is convex, so largest at a corner.
        Change { slope: largest(self.cuboid.corners(dim).map(slope)), bend: norm(&bend), turned }
    }
}

impl<'a> Term<'a> {
    fn new(point: &'a Neighbor, fit: &AffineFit) -> Self {
        let scaled = fit.means.forward(point.centered);
        let basis = [1.0, scaled[0], scaled[1], scaled[2]];
        let weight = point.share * (1.0 - dot(&fit.tilt, &point.centered));
        Self { point, basis, weight, inverse: fit.means.backward(scaled) }
    }
}

/// Adds weight × ψψᵀ.
fn add(sum: &mut Square, weight: f64, basis: &[f64; 4]) {
    for (row, x) in sum.iter_mut().zip(basis) {
        for (entry, y) in row.iter_mut().zip(basis) {
            *entry += weight * x * y;
        }
    }
}

fn dot4(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A bound on the eigenvalues of a symmetric matrix A, at most 1.2 times the largest: ‖A⁴‖^¼ in the Frobenius
/// norm.
fn norm(matrix: &Square) -> f64 {
    let square =
        |a: &Square| -> Square { std::array::from_fn(|k| std::array::from_fn(|l| dot4(&a[k], &a[l]))) };
    let fourth = square(&square(matrix));
    fourth.iter().map(|row| dot4(row, row)).sum::<f64>().powf(0.125)
}
