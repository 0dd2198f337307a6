//! The evolution of steady problems: one residual step without time.

use crate::nn::conv::{Activation, Conv, ConvConfig, Padding};
use burn::module::Module;
use burn::tensor::{Device, Tensor};

/// `z + conv3(f → k, zero at first)(SiLU conv3(f → f)(SiLU conv3(k → f)(z)))`.
#[derive(Module, Debug)]
pub struct SteadyEvolution {
    layers: [Conv; 3],
}

impl SteadyEvolution {
    /// `latent` channels, inner width `width`.
    pub fn new(latent: usize, width: usize, dim: usize, padding: [Padding; 2], device: &Device) -> Self {
        let conv = |input, output| ConvConfig { input, output, width: 3, dilation: 1, dim, padding };
        Self {
            layers: [
                conv(latent, width).init(device),
                conv(width, width).init(device),
                conv(width, latent).init_zero(device),
            ],
        }
    }

    /// # Shapes
    /// `[b, k, n0, n1]` → the same.
    pub fn forward(&self, z: Tensor<4>) -> Tensor<4> {
        let [c1, c2, c3] = &self.layers;
        z.clone() + c3.forward(c2.activated(c1.activated(z, Activation::Silu), Activation::Silu))
    }
}
