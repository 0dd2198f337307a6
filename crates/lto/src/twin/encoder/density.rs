//! The density channel: ρ scaled to what a network can use, with its slope in log ℓ.

use crate::operator::tensor;
use burn::tensor::Tensor;
use lto_numerics::kernel::Gaussian;
use lto_numerics::theory::central_kernel_mass;
use lto_numerics::{Axis, Domain};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

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

    /// The same by stock operations.
    ///
    /// # Shapes
    /// b numbers of points, `log_scale [b, 1, 1, 1]`, `rho [b, 1, n0, n1]` → as `rho`.
    pub fn stock(
        self,
        domain: &Domain,
        n_points: &[usize],
        log_scale: Tensor<4>,
        rho: Tensor<4>,
    ) -> Tensor<4> {
        match self {
            Density::Raw => rho,
            Density::PerPoint => {
                // Of each axis, ℓ √(2π) erf(L / (2 √2 ℓ)).
                let ell = log_scale.exp();
                let along = |axis: &Axis| {
                    (ell.clone().recip() * (axis.extent() / 8f64.sqrt())).erf() * ell.clone() * TAU.sqrt()
                };
                let mass = domain.axes().iter().map(along).reduce(|a, b| a * b).unwrap_or(ell.clone());
                let volumes: Vec<f64> = n_points.iter().map(|n| domain.volume() / *n as f64).collect();
                rho * (tensor::<4>(&volumes, [volumes.len(), 1, 1, 1], &ell.device()) / mass)
            }
            Density::Coverage => -(-rho).exp() + 1.0,
        }
    }
}
