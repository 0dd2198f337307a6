//! The Fourier layer that both forms share.

use crate::kernel::activation::Activation;
use crate::kernel::spectral::{Transform, spectral_block};
use crate::nn::initial::Initial;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use std::sync::Arc;

/// `activation(F⁻¹(R · F h) + W h + b)`.
#[derive(Module, Debug)]
pub struct Block {
    /// Real parts of R, `[in, out, K]`.
    real: Param<Tensor<3>>,
    /// Imaginary parts of R, `[in, out, K]`.
    imaginary: Param<Tensor<3>>,
    /// W, `[out, in, 1, 1]`.
    weight: Param<Tensor<4>>,
    /// b, `[out]`.
    bias: Param<Tensor<1>>,
}

impl Block {
    /// R uniform in `[0, 1/w²)`, real and imaginary; W and b uniform in ±1/√w.
    pub fn published(width: usize, modes: usize, device: &Device) -> Self {
        let max = 1.0 / (width * width) as f64;
        let spectral = Initial::Uniform { min: 0.0, max };
        Self::new(width, modes, spectral, Initial::of_sum(width), device)
    }

    /// R complex normal and b normal of standard deviation 1/√w, W uniform in ±1/√w.
    pub fn neural_operator(width: usize, modes: usize, device: &Device) -> Self {
        let std = 1.0 / (width as f64).sqrt();
        let spectral = Initial::Normal { std: std / f64::sqrt(2.0) };
        Self::new(width, modes, spectral, Initial::Normal { std }, device)
    }

    fn new(width: usize, modes: usize, spectral: Initial, bias: Initial, device: &Device) -> Self {
        Self {
            real: spectral.init([width, width, modes], device),
            imaginary: spectral.init([width, width, modes], device),
            weight: Initial::of_sum(width).init([width, width, 1, 1], device),
            bias: bias.init([width], device),
        }
    }

    /// # Shapes
    /// `[b, w, n0, n1]` → the same.
    pub fn forward(&self, h: Tensor<4>, transform: &Arc<Transform>, activation: Activation) -> Tensor<4> {
        let local = (self.weight.val(), self.bias.val());
        spectral_block(h, self.real.val(), self.imaginary.val(), local, transform, activation)
    }
}
