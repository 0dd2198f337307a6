//! What the density floor and rounding take from the values: a part of sup|u|.

use super::regularity::Regularity;

/// The set convolution agrees with the full sums to 1e-10 of sup|u|, and so do the sums here, with something to spare.
const ROUNDING: f64 = 2e-10;
/// Relative errors of the moments of an affine fit, from rounding and from points left out, with something to spare.
pub(super) const MOMENTS: f64 = 1e-11;

/// For the signal ν/(ρ + ε), where the density is at least ρ: |û| is too small by ε/(ρ + ε) of it.
pub(super) fn signal_loss(density: f64, floor: f64) -> f64 {
    floor / (density + floor) + ROUNDING
}

/// For an affine fit, which has no floor: errors of its moments are amplified by the norm √(1 + mᵀC⁻¹m) ≥ Λ of the
/// weights and by the conditioning tr(C⁻¹S) of the covariance C against the mean squares S.
pub(super) fn fit_loss(norm: f64, conditioning: f64) -> f64 {
    norm * (ROUNDING + MOMENTS * conditioning)
}

impl Regularity {
    /// A bound of |û − u| for a mean of values, with what the floor and rounding take.
    pub(super) fn limited(&self, bound: f64, relative_loss: f64) -> f64 {
        bound.min(self.oscillation) + self.lost(relative_loss)
    }

    /// A part of sup|u|, or nothing where that is not known: then the bound is for û = ν/ρ without a floor and in exact
    /// arithmetic, and who knows sup|u| adds this part of it.
    pub(super) fn lost(&self, relative_loss: f64) -> f64 {
        self.sup_bound.map_or(0.0, |sup| relative_loss * sup)
    }
}
