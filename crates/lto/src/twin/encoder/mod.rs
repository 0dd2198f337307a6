//! Encoders: a context of any size and placement becomes a latent state on the fixed grid.

pub mod attention;
pub mod density;
pub mod setconv;

use super::config::TwinConfig;
use super::latent_grid::LatentGrid;
use super::source::SourceFields;
use crate::error::Result;
use crate::problem::Problem;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use lto_numerics::dataset::Context;
use lto_numerics::{Points, SetConv};
use serde::{Deserialize, Serialize};

pub use density::Density;

/// The configuration of one kind of encoder.
pub trait EncoderKind {
    /// Its learned parts.
    type Network: Encode;

    /// Checks what the types cannot say.
    ///
    /// # Errors
    /// The key that is out of range.
    fn validate(&self) -> Result<()>;

    /// About how many weights it has, for p source channels, k latent channels and convolutions of `taps` weights a pair
    /// of channels.
    fn weights(&self, p: usize, k: usize, taps: f64) -> f64;

    /// Whether it sees the estimated source on the latent grid.
    fn sees_estimate(&self) -> bool {
        false
    }

    /// Whether a channel may be missing at some points.
    fn takes_missing(&self) -> bool {
        false
    }

    /// A new encoder of a twin.
    fn init(&self, twin: &TwinConfig, problem: &Problem, device: &Device) -> Self::Network;
}

/// A learned encoder.
pub trait Encode {
    /// # Shapes
    /// b contexts of any sizes and placements, the estimated sources if it sees them, and static fields `[c, n0, n1]` if
    /// there are any → `[b, k, n0, n1]`.
    fn forward(
        &self,
        contexts: &[Context],
        source: Option<&SourceFields>,
        statics: &[f64],
        grid: &LatentGrid,
    ) -> Tensor<4>;

    /// The set convolution it begins with for observations at these points, as it is computed, if it does.
    fn set_convolution(&self, _points: &Points) -> Option<SetConv> {
        None
    }
}

/// All encoders, one line each: the variant, its configuration and its network.
macro_rules! encoders {
    ($($(#[$doc:meta])* $kind:ident: $module:ident::$config:ident => $network:ident,)+) => {
        /// Which encoder, and how large.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum EncoderConfig {
            $($(#[$doc])* $kind($module::$config),)+
        }

        /// An encoder.
        #[derive(Module, Debug)]
        pub enum Encoder {
            $($(#[$doc])* $kind($module::$network),)+
        }

        impl EncoderConfig {
            /// See [`EncoderKind::validate`].
            ///
            /// # Errors
            /// The key that is out of range.
            pub fn validate(&self) -> Result<()> {
                match self {
                    $(EncoderConfig::$kind(config) => config.validate(),)+
                }
            }

            /// See [`EncoderKind::weights`].
            pub fn weights(&self, p: usize, k: usize, taps: f64) -> f64 {
                match self {
                    $(EncoderConfig::$kind(config) => config.weights(p, k, taps),)+
                }
            }

            /// See [`EncoderKind::sees_estimate`].
            pub fn sees_estimate(&self) -> bool {
                match self {
                    $(EncoderConfig::$kind(config) => config.sees_estimate(),)+
                }
            }

            /// See [`EncoderKind::takes_missing`].
            pub fn takes_missing(&self) -> bool {
                match self {
                    $(EncoderConfig::$kind(config) => config.takes_missing(),)+
                }
            }

            /// A new encoder of a twin.
            pub fn init(&self, twin: &TwinConfig, problem: &Problem, device: &Device) -> Encoder {
                match self {
                    $(EncoderConfig::$kind(config) => Encoder::$kind(config.init(twin, problem, device)),)+
                }
            }
        }

        impl Encode for Encoder {
            fn forward(
                &self,
                contexts: &[Context],
                source: Option<&SourceFields>,
                statics: &[f64],
                grid: &LatentGrid,
            ) -> Tensor<4> {
                match self {
                    $(Encoder::$kind(network) => network.forward(contexts, source, statics, grid),)+
                }
            }

            fn set_convolution(&self, points: &Points) -> Option<SetConv> {
                match self {
                    $(Encoder::$kind(network) => network.set_convolution(points),)+
                }
            }
        }
    };
}

encoders! {
    /// Gaussian set convolution, then a CNN.
    SetConv: setconv::SetConvConfig => SetConvEncoder,
    /// Learned attention, then a CNN.
    Attention: attention::AttentionConfig => AttentionEncoder,
}
