//! The Gaussian set-convolution encoder: density and signals on the latent grid, then a small CNN.

use super::Density;
use super::channels::channels;
use crate::kernel::clock;
use crate::kernel::log_scale::attach_log_scale;
use crate::nn::conv::{Activation, Conv, ConvConfig, Padding};
use crate::twin::axis_weights::Scale;
use crate::twin::latent_grid::LatentGrid;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use lto_numerics::dataset::Context;

/// conv5 (1+p → h) ReLU, conv5 (h → h) ReLU, conv5 (h → k), on the channels of the set convolution.
#[derive(Module, Debug)]
pub struct SetConvEncoder {
    /// log ℓ `[1]`.
    pub log_length_scale: Param<Tensor<1>>,
    layers: [Conv; 3],
    #[module(skip)]
    density: Density,
    #[module(skip)]
    density_floor: f32,
}

/// Everything that makes a [`SetConvEncoder`].
#[derive(Clone, Copy, Debug)]
pub struct SetConvEncoderConfig {
    /// Channels p of the context.
    pub source_channels: usize,
    /// Hidden channels h.
    pub hidden: usize,
    /// Latent channels k.
    pub latent: usize,
    /// Initial ℓ.
    pub length_scale: f64,
    /// ε in the denominator of the signal.
    pub density_floor: f64,
    /// What the density channel holds.
    pub density: Density,
    /// Spatial dimension, 1 or 2.
    pub dim: usize,
    /// Continuation past the edge.
    pub padding: [Padding; 2],
}

impl SetConvEncoderConfig {
    /// A new encoder.
    pub fn init(&self, device: &Device) -> SetConvEncoder {
        let conv = |input, output| {
            let (dim, padding) = (self.dim, self.padding);
            ConvConfig { input, output, width: 5, dilation: 1, dim, padding }.init(device)
        };
        SetConvEncoder {
            log_length_scale: Param::from_data([self.length_scale.ln() as f32], device),
            layers: [
                conv(1 + self.source_channels, self.hidden),
                conv(self.hidden, self.hidden),
                conv(self.hidden, self.latent),
            ],
            density: self.density,
            density_floor: self.density_floor as f32,
        }
    }
}

impl SetConvEncoder {
    /// # Shapes
    /// b contexts → `[b, k, n0, n1]`.
    pub fn forward(&self, contexts: &[Context], grid: &LatentGrid) -> Tensor<4> {
        let [c1, c2, c3] = &self.layers;
        let x = self.channels(contexts, grid);
        c3.forward(c2.activated(c1.activated(x, Activation::Relu), Activation::Relu))
    }

    /// Density and signals as a tensor that carries the gradient of log ℓ.
    ///
    /// # Shapes
    /// b contexts → `[b, 1 + p, n0, n1]`.
    pub fn channels(&self, contexts: &[Context], grid: &LatentGrid) -> Tensor<4> {
        let log_length_scale = self.log_length_scale.val();
        let scale = Scale::of(&log_length_scale);
        let made = clock::timed(|| channels(contexts, grid, scale, self.density_floor, self.density));
        let [n0, n1] = grid.shape();
        let shape = [contexts.len(), 1 + contexts[0].n_channels, n0, n1];
        if scale.tracked {
            attach_log_scale(made.values, made.derivative, shape, log_length_scale)
        } else {
            Tensor::from_data(TensorData::new(made.values, shape), &log_length_scale.device())
        }
    }
}
