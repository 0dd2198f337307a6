//! The affine fit at one place, and how far it may be from the estimator's: points left out, or with an
//! uncertain displacement, perturb its moments. `docs/theory.md` derives the bounds.

use super::neighbors::{Sums, dot};
use crate::setconv::{DETERMINED, Means, ROUNDING, SMALLEST_DENSITY};

/// If the fit is determined by this much, the estimator finds it determined too, even with moments perturbed
/// by half.
pub(super) const SAFELY_DETERMINED: f64 = 100.0 * DETERMINED;
/// If it is determined by less than this, the estimator finds it undetermined.
pub(super) const UNDETERMINED: f64 = 0.1 * DETERMINED;
/// Largest relative perturbation of the moments.
pub(super) const MOST_CHANGE: f64 = 0.5;

/// Relative errors of the moments from rounding and from points left out, with room to spare.
pub(super) const MOMENTS: f64 = 1e-11;

/// The fraction of sup|u| that rounding may cost an affine fit, which has no floor: errors of its moments are
/// amplified by the norm √(1 + mᵀC⁻¹m) ≥ Λ of the weights and by the conditioning tr(C⁻¹S) of the covariance
/// C against the mean squares S.
pub(super) fn fit_loss(norm: f64, conditioning: f64) -> f64 {
    norm * (ROUNDING + MOMENTS * conditioning)
}

/// The fit to the points whose displacement is certain.
pub(super) struct AffineFit {
    pub means: Means,
    /// The mean displacement m.
    pub mean: [f64; 3],
    /// b = C⁻¹m.
    pub tilt: [f64; 3],
    /// √(1 + mᵀC⁻¹m), at least the Lebesgue constant.
    pub norm: f64,
    /// tr C⁻¹.
    pub trace: f64,
    /// tr(C⁻¹S), S the mean squares.
    pub conditioning: f64,
}

impl AffineFit {
    /// `None` if it is determined by less than `least`.
    pub fn new(least: f64, dim: usize, sums: &Sums) -> Option<Self> {
        let means = Means::at_least(least, dim, sums.density, sums.first, sums.second)?;
        let (mean, tilt) = (sums.mean(), means.tilt());
        let (trace, conditioning) = means.conditioning();
        let norm = (1.0 + dot(&mean, &tilt)).sqrt();
        Some(Self { means, mean, tilt, norm, trace, conditioning })
    }

    /// What a point of weight one, at most `away` from the place, adds to the moments, in their own norm.
    pub fn size(&self, away: f64) -> f64 {
        1.0 + self.trace * (away + dot(&self.mean, &self.mean).sqrt()).powi(2)
    }

    /// See [`fit_loss`].
    pub fn relative_loss(&self) -> f64 {
        fit_loss(self.norm, self.conditioning)
    }
}

/// Whether the density is so small that the estimator does not fit: `Some(true)` if certainly so,
/// `Some(false)` if certainly not. From the logarithms of bounds on the density.
pub(super) fn underflows(least: f64, most: f64) -> Option<bool> {
    let (threshold, margin) = (SMALLEST_DENSITY.ln(), std::f64::consts::LN_10);
    if most < threshold - margin {
        Some(true)
    } else if least > threshold + margin {
        Some(false)
    } else {
        None
    }
}

/// The largest Lebesgue constant of a fit that the estimator accepts: with pivots of at least 1e-6 of the
/// mean squares, each coordinate of L⁻¹m is at most a thousand times the sum of those before.
pub(super) fn largest_lebesgue(dim: usize) -> f64 {
    2.0 * DETERMINED.sqrt().recip().powi(dim as i32)
}
