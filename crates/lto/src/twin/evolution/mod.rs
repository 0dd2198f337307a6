//! Latent evolutions m_{s→t}: the identity at initialization for every (s, t).

pub mod multigrid;
pub mod residual;
pub mod spectral;
pub mod steady;
pub mod timed;

use super::config::{refuse, require_size};
use crate::error::Result;
use crate::nn::coarsen::GridAxis;
use crate::nn::conv::Padding;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

/// What an evolution acts on.
#[derive(Clone, Copy, Debug)]
pub struct LatentSpace {
    /// Latent channels k.
    pub channels: usize,
    /// Spatial dimension, 1 or 2.
    pub dim: usize,
    /// Continuation past the edge.
    pub padding: [Padding; 2],
    /// The latent grid.
    pub axes: [GridAxis; 2],
    /// Number of inputs that tell the times, 0 if the problem is steady.
    pub time_inputs: usize,
}

/// The configuration of one kind of evolution.
pub trait EvolutionKind {
    /// Its learned parts.
    type Network: Evolve;

    /// Whether it is for problems with times or for steady ones; `None` for both.
    const TIMED: Option<bool> = None;

    /// Its sizes, none of which may be zero.
    fn sizes(&self) -> Vec<usize>;

    /// Checks what is asked of a latent grid of `points` points an axis.
    ///
    /// # Errors
    /// The key that does not fit.
    fn validate_grid(&self, _points: usize) -> Result<()> {
        Ok(())
    }

    /// Its inner width f and its number of inner layers.
    fn inner(&self) -> (usize, usize);

    /// Weights of an inner layer for each pair of channels, besides its conv3's.
    fn global_weights(&self, _dim: usize) -> f64 {
        0.0
    }

    /// States on the latent grid that its inner layers keep for the backward pass, at least.
    fn kept_states(&self, _dim: usize) -> f64 {
        self.inner().1 as f64
    }

    /// A new evolution.
    fn init(&self, space: LatentSpace, device: &Device) -> Self::Network;
}

/// A learned evolution.
pub trait Evolve {
    /// # Shapes
    /// `z [b, k, n0, n1]`, `times [b, n]` ([`Problem::times_as_inputs`](crate::problem::Problem::times_as_inputs)) if
    /// the problem has times → as `z`.
    fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4>;
}

/// All evolutions, one line each: the variant, its configuration and its network.
macro_rules! evolutions {
    ($($(#[$doc:meta])* $kind:ident: $module:ident::$config:ident => $network:ident,)+) => {
        /// Which evolution, and how large.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum EvolutionConfig {
            $($(#[$doc])* $kind($module::$config),)+
        }

        /// A latent evolution.
        #[derive(Module, Debug)]
        #[expect(clippy::large_enum_variant, reason = "a model has one of them: its size on the stack does not matter")]
        pub enum Evolution {
            $($(#[$doc])* $kind($module::$network),)+
        }

        /// The name of each kind, and [`EvolutionKind::TIMED`].
        const KINDS: &[(&str, Option<bool>)] =
            &[$((stringify!($kind), <$module::$config as EvolutionKind>::TIMED)),+];

        impl EvolutionConfig {
            /// Checks what the types cannot express.
            ///
            /// # Errors
            /// A size of zero, a latent grid that is too small, or an evolution for problems of the other kind.
            pub fn validate(&self, points: usize, timed: bool) -> Result<()> {
                match self {
                    $(EvolutionConfig::$kind(config) => validate(config, stringify!($kind), points, timed),)+
                }
            }

            /// Its width f, the weights of an evolution of `latent` channels, and the states it keeps.
            pub fn size(&self, latent: usize, dim: usize) -> (usize, f64, f64) {
                match self {
                    $(EvolutionConfig::$kind(config) => size(config, latent, dim),)+
                }
            }

            /// A new evolution.
            pub fn init(&self, space: LatentSpace, device: &Device) -> Evolution {
                match self {
                    $(EvolutionConfig::$kind(config) => Evolution::$kind(config.init(space, device)),)+
                }
            }
        }

        impl Evolve for Evolution {
            fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
                match self {
                    $(Evolution::$kind(network) => network.forward(z, times),)+
                }
            }
        }
    };
}

evolutions! {
    /// The published evolution of steady problems.
    Steady: steady::SteadyConfig => SteadyEvolution,
    /// The published evolution of problems with times.
    Timed: timed::TimedConfig => TimedEvolution,
    /// Residual blocks with dilations 1 2 4 8 4 2 1.
    Residual: residual::ResidualConfig => ResidualEvolution,
    /// Residual blocks of global spectral and local convolutions.
    Spectral: spectral::SpectralConfig => SpectralEvolution,
    /// Learned multigrid cycles.
    Multigrid: multigrid::MultigridConfig => MultigridEvolution,
}

fn validate<K: EvolutionKind>(config: &K, kind: &str, points: usize, timed: bool) -> Result<()> {
    config.sizes().into_iter().try_for_each(|size| require_size("evolution", size))?;
    config.validate_grid(points)?;
    let suits = |made_for: Option<bool>| made_for.is_none_or(|made_for| made_for == timed);
    if suits(K::TIMED) {
        return Ok(());
    }
    let fitting: Vec<_> =
        KINDS.iter().filter(|(_, made_for)| suits(*made_for)).map(|(name, _)| *name).collect();
    let problem = if timed { "has times" } else { "is steady" };
    let requirement = format!("the problem {problem}; use one of {}", fitting.join(", ").to_lowercase());
    refuse("evolution.kind", kind.to_lowercase(), &requirement)
}

fn size<K: EvolutionKind>(config: &K, latent: usize, dim: usize) -> (usize, f64, f64) {
    let (width, layers) = config.inner();
    let (k, f, taps) = (latent as f64, width as f64, if dim == 2 { 9.0 } else { 3.0 });
    let inner = layers as f64 * f * f * (taps + config.global_weights(dim));
    (width, 2.0 * taps * k * f + inner, 2.0 + config.kept_states(dim))
}
