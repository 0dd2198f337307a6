//! One state of the heat flow in closed form, with rigorous bounds on its derivatives.

use super::exact::HeatBump;
use crate::domain::Domain;
use crate::error::Result;
use crate::theory::Regularity;
use rand::{Rng, RngExt};
use std::f64::consts::TAU;

/// A sum of periodic Gaussian bumps after some diffusion: u(x) = Σ u_b(x, τ), see [`HeatBump`].
#[derive(Clone, Debug, PartialEq)]
pub struct HeatField {
    /// The bumps at τ = 0.
    pub bumps: Vec<HeatBump>,
    /// τ.
    pub amount: f64,
}

/// Bounds along one axis on the sum f over images of exp(−x²/2v), on |f'| and on |f''|.
struct Factor {
    value: f64,
    slope: f64,
    curvature: f64,
}

impl HeatField {
    /// `n_bumps` bumps of the paper's heat experiment: centers U(0, 1), widths U(0.12, 0.22), amplitudes ±U(0.5, 1.5).
    pub fn draw(dim: usize, n_bumps: usize, rng: &mut impl Rng) -> Self {
        let mut bump = || {
            let center = (0..dim).map(|_| rng.random_range(0.0..1.0)).collect();
            let width = rng.random_range(0.12..0.22);
            let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
            HeatBump { center, width, amplitude: sign * rng.random_range(0.5..1.5) }
        };
        Self { bumps: (0..n_bumps).map(|_| bump()).collect(), amount: 0.0 }
    }

    /// u(x) at one point of the periodic unit box.
    pub fn value(&self, point: &[f64]) -> f64 {
        self.bumps.iter().map(|bump| bump.value(point, self.amount)).sum()
    }

    /// Bounds on u, summed over the bumps.
    ///
    /// A factor f(x) = Σ_m exp(−(x+m)²/2v) has the Fourier series √(2πv) Σ_k exp(−2π²k²v) cos 2πkx with
    /// positive coefficients, so f and |f''| are largest at 0 and |f'| ≤ √(2πv) Σ |2πk| exp(−2π²k²v). The
    /// Hessian of a product of D factors is at most |f''| f^{D−1} on its diagonal and |f'|² f^{D−2} off it;
    /// row sums bound its eigenvalues.
    ///
    /// # Errors
    /// No bumps, or only bumps of amplitude zero.
    pub fn regularity(&self) -> Result<Regularity> {
        let dim = self.bumps.first().map_or(1, |bump| bump.center.len());
        let (mut curvature, mut slope, mut sup) = (0.0, 0.0, 0.0);
        for bump in &self.bumps {
            let variance = bump.width * bump.width + 2.0 * self.amount;
            let f = Factor::new(variance);
            let scale = bump.amplitude.abs() * (bump.width / variance.sqrt()).powi(dim as i32);
            let rest = f.value.powi(dim as i32 - 1);
            let beside = if dim > 1 { f.slope.powi(2) * rest / f.value } else { 0.0 };
            curvature += scale * (f.curvature * rest + (dim - 1) as f64 * beside);
            slope += scale * (dim as f64).sqrt() * f.slope * rest;
            sup += scale * f.value * rest;
        }
        Regularity::new(&Domain::unit(dim, true)?, curvature, Some(sup), Some(slope))
    }

    /// Bounds that hold for several states of the same dimension.
    ///
    /// # Errors
    /// No states, or as [`HeatField::regularity`].
    pub fn common_regularity(fields: &[Self]) -> Result<Regularity> {
        let each = fields.iter().map(Self::regularity).collect::<Result<Vec<_>>>()?;
        let largest = |of: fn(&Regularity) -> f64| each.iter().map(of).fold(0.0, f64::max);
        let dim = fields.first().and_then(|field| field.bumps.first()).map_or(1, |bump| bump.center.len());
        Regularity::new(
            &Domain::unit(dim, true)?,
            largest(|bounds| bounds.curvature_bound),
            Some(largest(|bounds| bounds.sup_bound.unwrap_or(0.0))),
            Some(largest(|bounds| bounds.gradient_bound)),
        )
    }
}

impl Factor {
    fn new(variance: f64) -> Self {
        let mut sums = [1.0, 0.0, 0.0];
        // Terms fall as a Gaussian in k; beyond this they are below rounding.
        let last = (9.0 / (TAU * variance.sqrt())).ceil() as u32 + 1;
        for k in 1..=last {
            let q = TAU * f64::from(k);
            let term = 2.0 * (-0.5 * q * q * variance).exp();
            sums[0] += term;
            sums[1] += q * term;
            sums[2] += q * q * term;
        }
        let [value, slope, curvature] = sums.map(|sum| sum * (TAU * variance).sqrt());
        Self { value, slope, curvature }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::grid::{Grid, Placement};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use std::sync::Arc;

    /// Against differences on a fine grid: above them, but only slightly for a single bump.
    #[test]
    fn bounds_hold_and_are_near() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (dim, n) in [(1, 400), (2, 100), (3, 36)] {
            for (n_bumps, amount, slack) in [(1, 0.0, 1.8), (1, 0.016, 1.9), (4, 0.008, 8.0)] {
                let mut field = HeatField::draw(dim, n_bumps, &mut rng);
                field.amount = amount;
                let grid =
                    Arc::new(Grid::cubic(Domain::unit(dim, true).unwrap(), n, Placement::Left).unwrap());
                let found = Regularity::estimate(&[Field::from_fn(grid, |x| field.value(x))]).unwrap();
                let bound = field.regularity().unwrap();
                for (found, bound) in [
                    (found.curvature_bound / (dim as f64).sqrt(), bound.curvature_bound),
                    (found.gradient_bound, bound.gradient_bound),
                    (found.oscillation, bound.oscillation),
                ] {
                    assert!(found <= bound * (1.0 + 1e-9), "{dim} {n_bumps} {amount}: {found} {bound}");
                    assert!(bound <= slack * 1.5 * found, "{dim} {n_bumps} {amount}: {found} {bound}");
                }
            }
        }
        assert!(HeatField { bumps: vec![], amount: 0.0 }.regularity().is_err());
    }
}
