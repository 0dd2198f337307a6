//! Latent evolutions m_{s→t}: the identity at initialization for every (s, t).

pub mod residual;
pub mod spectral;
pub mod steady;
pub mod timed;

use crate::nn::conv::Padding;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

/// Which evolution, and how large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EvolutionConfig {
    /// The published evolution of steady problems.
    Steady {
        /// Inner width f.
        width: usize,
    },
    /// The published evolution of problems with times.
    Timed {
        /// Inner width f.
        width: usize,
    },
    /// Residual blocks with dilations 1 2 4 8 4 2 1.
    Residual {
        /// Inner width f.
        width: usize,
    },
    /// Residual blocks of global spectral and local convolutions.
    Spectral {
        /// Inner width f.
        width: usize,
        /// Wavenumbers kept along each axis.
        modes: usize,
        /// Number of blocks.
        blocks: usize,
    },
}

/// A latent evolution.
#[derive(Module, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a model has one of them: its size on the stack does not matter"
)]
pub enum Evolution {
    /// See [`EvolutionConfig::Steady`].
    Steady(steady::SteadyEvolution),
    /// See [`EvolutionConfig::Timed`].
    Timed(timed::TimedEvolution),
    /// See [`EvolutionConfig::Residual`].
    Residual(residual::ResidualEvolution),
    /// See [`EvolutionConfig::Spectral`].
    Spectral(spectral::SpectralEvolution),
}

impl EvolutionConfig {
    /// Its width f, the weights of an evolution of `latent` channels, and its number of convolutions.
    pub fn size(&self, latent: usize, dim: usize) -> (usize, f64, f64) {
        let (width, inner) = match *self {
            EvolutionConfig::Steady { width } => (width, 1.0),
            EvolutionConfig::Timed { width } => (width, 5.0),
            EvolutionConfig::Residual { width } => (width, 7.0),
            EvolutionConfig::Spectral { width, blocks, .. } => (width, blocks as f64),
        };
        let (k, f, taps) = (latent as f64, width as f64, if dim == 2 { 9.0 } else { 3.0 });
        let spectral = match *self {
            EvolutionConfig::Spectral { modes, .. } => {
                let m = modes as f64;
                2.0 * m * if dim == 2 { 2.0 * m - 1.0 } else { 1.0 }
            }
            _ => 0.0,
        };
        (width, 2.0 * taps * k * f + inner * f * f * (taps + spectral), 2.0 + inner)
    }

    /// A new evolution of `latent` channels for a problem with or without times.
    pub fn init(
        &self,
        latent: usize,
        dim: usize,
        padding: [Padding; 2],
        timed: bool,
        device: &Device,
    ) -> Evolution {
        match *self {
            EvolutionConfig::Steady { width } => {
                Evolution::Steady(steady::SteadyEvolution::new(latent, width, dim, padding, device))
            }
            EvolutionConfig::Timed { width } => {
                Evolution::Timed(timed::TimedEvolution::new(latent, width, dim, padding, device))
            }
            EvolutionConfig::Residual { width } => Evolution::Residual(residual::ResidualEvolution::new(
                latent, width, dim, padding, timed, device,
            )),
            EvolutionConfig::Spectral { width, modes, blocks } => Evolution::Spectral(
                spectral::SpectralEvolutionConfig { latent, width, modes, blocks, dim, padding, timed }
                    .init(device),
            ),
        }
    }
}

impl Evolution {
    /// # Shapes
    /// `z [b, k, n0, n1]`, `times [b, 2]` (s and t as fractions of the trained range) where the problem has times →
    /// as `z`.
    pub fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
        match (self, times) {
            (Evolution::Timed(evolution), Some(times)) => evolution.forward(z, times),
            (Evolution::Steady(evolution), _) => evolution.forward(z),
            (Evolution::Residual(evolution), times) => evolution.forward(z, times),
            (Evolution::Spectral(evolution), times) => evolution.forward(z, times),
            (Evolution::Timed(_), None) => {
                unreachable!("a timed evolution is only built for problems with times")
            }
        }
    }
}
