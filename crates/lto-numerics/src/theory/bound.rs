//! Bounds on the error of the Nadaraya–Watson estimate over the whole domain, from the fill distance: the
//! paper's theorem, and a sharper one. `docs/theory.md` derives both.

use super::assumptions::{Assumptions, Partition};
use super::kernel_mass::least_kernel_mass;
use super::profile::Profile;
use super::regularity::Regularity;
use crate::domain::Domain;
use crate::setconv::SetConv;
use serde::Serialize;
use std::f64::consts::FRAC_2_PI;

/// Theorem eps-disc with its constant: |û − u| ≤ ½DMℓ² + C δ/ℓ everywhere, and never more than sup u − inf u.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TheoremBound {
    /// ℓ.
    pub length_scale: f64,
    /// Bound on |ū_ℓ − u|: ½DMℓ² (Eq. bias-bound), plus Gℓ√(2k/π) if k axes are not periodic.
    pub smoothing_bias: f64,
    /// Bound on |û − ū_ℓ| (Proposition quadrature).
    pub quadrature_error: f64,
    /// C_𝒦 = quadrature error · ℓ/δ. With equal volumes of reach R, it falls to (R/δ) (sup u − inf u)
    /// K_d/(2π)^{D/2} as ℓ and δ/ℓ shrink.
    pub constant: f64,
    /// See [`LipschitzBound::relative_loss`].
    pub relative_loss: f64,
    /// The smaller of their sum and sup u − inf u; plus relative loss times sup|u|, if that is known.
    pub bound: f64,
}

impl TheoremBound {
    /// The limit of C_𝒦 as ℓ and δ/ℓ shrink, for equal volumes of reach 2δ, the most the theorem allows: 2
    /// (sup u − inf u) K_d/(2π)^{D/2}. Half of it for reach δ.
    pub fn limit_constant(dim: usize, oscillation: f64) -> f64 {
        let of = |profile: Profile| profile.swollen_integral(dim, 0.0);
        2.0 * oscillation * of(Profile::Gradient) / of(Profile::Kernel)
    }

    /// Corollary optimized-disc for a constant C: ℓ* = (Cδ/(DM))^{1/3} and the bound there, (3/2)(DM)^{1/3}(Cδ)^{2/3}.
    pub fn optimum(dim: usize, curvature_bound: f64, constant: f64, fill_distance: f64) -> (f64, f64) {
        let curvature = dim as f64 * curvature_bound;
        let length_scale = (constant * fill_distance / curvature).cbrt();
        (length_scale, 1.5 * curvature * length_scale * length_scale)
    }
}

/// A bound on the same estimate through the slope of the state: |û − u| ≤ (½DMℓ² + C' G δ)/(1 − ε), and never
/// more than sup u − inf u. Its second term does not grow as ℓ shrinks, so it is of order δ where the theorem
/// has δ^{2/3}; for few points it may be the larger one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LipschitzBound {
    /// ℓ.
    pub length_scale: f64,
    /// The fraction of sup|u| that the density floor and rounding may cost. Included in the bound if sup|u|
    /// is known, else to be added to it.
    pub relative_loss: f64,
    /// The bound.
    pub bound: f64,
}

/// What both bounds are computed from.
pub(super) struct Setting<'a> {
    pub domain: &'a Domain,
    pub regularity: &'a Regularity,
    pub assumptions: &'a Assumptions,
    pub fill_distance: f64,
    pub n_points: usize,
}

/// Terms that both bounds share, at one ℓ.
struct Terms {
    bias: f64,
    /// How far a cell reaches from its point at most.
    reach: f64,
    /// κ̄/ℓ^D at its least.
    mass: f64,
    /// ε: largest relative difference between the sum of the kernel over the cells and κ̄.
    density_error: f64,
    deviation: f64,
    least_ratio: f64,
    /// The fraction of the values that the density floor and rounding may cost.
    relative_loss: f64,
}

impl Setting<'_> {
    fn terms(&self, setconv: &SetConv) -> Option<Terms> {
        let (kernel, length_scale) = (setconv.kernel(), setconv.kernel().length_scale());
        let dim = self.domain.dim();
        let (reach, deviation, least_ratio) = match self.assumptions.partition {
            Partition::EqualVolume { reach } => (reach, 0.0, 1.0),
            Partition::Voronoi { deviation, least_ratio, .. } => (self.fill_distance, deviation, least_ratio),
        };
        let mass = least_kernel_mass(self.domain, kernel) / length_scale.powi(dim as i32);
        let eta = reach / length_scale;
        let density_error = eta * Profile::Gradient.swollen_integral(dim, eta) / mass;
        let boundary = (self.assumptions.n_open_axes as f64 * FRAC_2_PI).sqrt();
        let bias = 0.5 * dim as f64 * self.regularity.curvature_bound * length_scale.powi(2)
            + self.regularity.gradient_bound * length_scale * boundary;
        let points_per_scale = self.n_points as f64 * length_scale.powi(dim as i32) / self.domain.volume();
        let least_density = points_per_scale * least_ratio * mass * (1.0 - density_error);
        let relative_loss = setconv.signal_loss(least_density, self.n_points, dim);
        let terms = Terms { bias, reach, mass, density_error, deviation, least_ratio, relative_loss };
        // With ε ≥ 1 the density might vanish.
        let known = deviation.is_finite() && self.regularity.bounds_range();
        (density_error < 1.0 && known).then_some(terms)
    }

    /// The bound itself, and the bound capped by the range and with the loss added. ℓ is chosen by the first.
    pub fn theorem(&self, setconv: &SetConv) -> Option<(f64, TheoremBound)> {
        let terms = self.terms(setconv)?;
        let (dim, regularity, length_scale) =
            (self.domain.dim(), self.regularity, setconv.kernel().length_scale());
        let eta = terms.reach / length_scale;
        let gradients = regularity.oscillation * Profile::Gradient.swollen_integral(dim, eta)
            + length_scale * regularity.gradient_bound * Profile::Kernel.swollen_integral(dim, eta);
        let unequal = terms.deviation * regularity.oscillation * (1.0 + terms.density_error);
        let quadrature_error =
            (eta * gradients / terms.mass + unequal) / (terms.least_ratio * (1.0 - terms.density_error));
        let (relative_loss, sum) = (terms.relative_loss, terms.bias + quadrature_error);
        Some((
            sum,
            TheoremBound {
                length_scale,
                smoothing_bias: terms.bias,
                quadrature_error,
                constant: quadrature_error * length_scale / self.fill_distance,
                relative_loss,
                bound: regularity.limited(sum, relative_loss),
            },
        ))
    }

    /// As [`Setting::theorem`].
    pub fn lipschitz(&self, setconv: &SetConv) -> Option<(f64, LipschitzBound)> {
        let (terms, length_scale) = (self.terms(setconv)?, setconv.kernel().length_scale());
        let (dim, gradient) = (self.domain.dim(), self.regularity.gradient_bound);
        let eta = terms.reach / length_scale;
        let growth = terms.reach * Profile::Growth.swollen_integral(dim, eta) / terms.mass;
        // The mean distance under the kernel is at most √D ℓ.
        let unequal = terms.deviation * gradient * ((dim as f64).sqrt() * length_scale + growth);
        let numerator = terms.bias + gradient * growth + unequal;
        let sum = numerator / (terms.least_ratio * (1.0 - terms.density_error));
        let relative_loss = terms.relative_loss;
        let bound = self.regularity.limited(sum, relative_loss);
        Some((sum, LipschitzBound { length_scale, relative_loss, bound }))
    }
}
