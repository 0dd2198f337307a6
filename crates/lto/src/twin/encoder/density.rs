//! The density channel: ρ scaled to what a network can use, with its slope in log ℓ.

use lto_numerics::Domain;
use lto_numerics::kernel::Gaussian;
use lto_numerics::theory::central_kernel_mass;
use serde::{Deserialize, Serialize};

/// What the density channel holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// ρ itself: grows with N.
    Raw,
    /// `ρ |Ω| / (N κ̄)`: about 1 wherever the points are evenly spread, whatever N.
    #[default]
    PerPoint,
    /// `1 − e^{−ρ}`: between 0 (no point near) and 1.
    Coverage,
}

impl Density {
    /// The channel in place of the densities ρ of N points, and its slopes in log ℓ (or none) in place of theirs.
    pub fn apply(
        self,
        domain: &Domain,
        n_points: usize,
        kernel: &Gaussian,
        rho: &mut [f32],
        slopes: &mut [f32],
    ) {
        match self {
            Density::Raw => {}
            Density::PerPoint => {
                let (mass, log_slope) = central_kernel_mass(domain, kernel);
                let c = domain.volume() / (n_points as f64 * mass);
                let (c, dc) = (c as f32, (-c * log_slope) as f32);
                slopes.iter_mut().zip(&*rho).for_each(|(slope, rho)| *slope = c * *slope + dc * rho);
                rho.iter_mut().for_each(|rho| *rho *= c);
            }
            Density::Coverage => {
                slopes.iter_mut().zip(&*rho).for_each(|(slope, rho)| *slope *= (-rho).exp());
                rho.iter_mut().for_each(|rho| *rho = -(-*rho).exp_m1());
            }
        }
    }
}
