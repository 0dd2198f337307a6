//! Fully connected layers with residual steps, applied at every point.

use super::mlp::Linear;
use crate::kernel::activation::Activation;
use crate::kernel::affine::{affine, affine_residual};
use burn::module::Module;
use burn::tensor::{Device, Tensor};

/// `r = GELU(W x + b)`, some steps `r ← r + GELU(W r + b)`, then `W r + b`.
#[derive(Module, Debug)]
pub struct ResidualMlp {
    input: Linear,
    hidden: Vec<Linear>,
    output: Linear,
}

/// Everything that makes a [`ResidualMlp`].
#[derive(Clone, Copy, Debug)]
pub struct ResidualMlpConfig {
    /// Numbers in.
    pub input: usize,
    /// Width of the steps.
    pub width: usize,
    /// Number of steps.
    pub steps: usize,
    /// Numbers out.
    pub output: usize,
}

impl ResidualMlpConfig {
    /// A new network.
    pub fn init(&self, device: &Device) -> ResidualMlp {
        ResidualMlp {
            input: Linear::new(self.input, self.width, device),
            hidden: (0..self.steps).map(|_| Linear::new(self.width, self.width, device)).collect(),
            output: Linear::new(self.width, self.output, device),
        }
    }
}

impl ResidualMlp {
    /// # Shapes
    /// `[n, in]` → `[n, out]`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let r = affine(x, self.input.weight.val(), self.input.bias.val(), Activation::Gelu);
        let r = self
            .hidden
            .iter()
            .fold(r, |r, layer| affine_residual(r, layer.weight.val(), layer.bias.val(), Activation::Gelu));
        affine(r, self.output.weight.val(), self.output.bias.val(), Activation::None)
    }
}
