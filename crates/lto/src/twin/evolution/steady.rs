//! The evolution of steady problems: one residual step without time.

use super::{EvolutionKind, Evolve, LatentSpace};
use crate::nn::conv::{Activation, Conv, ConvConfig};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

/// Configuration of a [`SteadyEvolution`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyConfig {
    /// Inner width f.
    pub width: usize,
}

/// `z + conv3(f → k, zero at first)(SiLU conv3(f → f)(SiLU conv3(k → f)(z)))`.
#[derive(Module, Debug)]
pub struct SteadyEvolution {
    layers: [Conv; 3],
}

impl EvolutionKind for SteadyConfig {
    type Network = SteadyEvolution;

    const TIMED: Option<bool> = Some(false);

    fn sizes(&self) -> Vec<usize> {
        vec![self.width]
    }

    fn inner(&self) -> (usize, usize) {
        (self.width, 1)
    }

    fn init(&self, space: LatentSpace, device: &Device) -> SteadyEvolution {
        let LatentSpace { channels, dim, padding, .. } = space;
        let conv = |input, output| ConvConfig { input, output, width: 3, dilation: 1, dim, padding };
        SteadyEvolution {
            layers: [
                conv(channels, self.width).init(device),
                conv(self.width, self.width).init(device),
                conv(self.width, channels).init_zero(device),
            ],
        }
    }
}

impl Evolve for SteadyEvolution {
    fn forward(&self, z: Tensor<4>, _times: Option<Tensor<2>>) -> Tensor<4> {
        let [c1, c2, c3] = &self.layers;
        z.clone() + c3.forward(c2.activated(c1.activated(z, Activation::Silu), Activation::Silu))
    }
}
