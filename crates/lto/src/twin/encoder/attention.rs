//! The learned attention encoder: every grid position attends to the observations.

use crate::nn::conv::{Activation, Conv, ConvConfig, Padding};
use crate::nn::coordinates::unit_coordinates;
use crate::nn::mlp::Mlp;
use crate::twin::latent_grid::LatentGrid;
use burn::module::Module;
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};
use lto_numerics::Points;
use lto_numerics::dataset::Context;

/// query = MLP(grid position), key = MLP(context position), value = MLP(context value); softmax over the context
/// of q·k/√a; then conv5 a → a → a → k.
#[derive(Module, Debug)]
pub struct AttentionEncoder {
    query: Mlp,
    key: Mlp,
    value: Mlp,
    layers: [Conv; 3],
    #[module(skip)]
    width: usize,
}

/// Everything that makes an [`AttentionEncoder`].
#[derive(Clone, Copy, Debug)]
pub struct AttentionEncoderConfig {
    /// Channels p of the context.
    pub source_channels: usize,
    /// Width a.
    pub width: usize,
    /// Latent channels k.
    pub latent: usize,
    /// Spatial dimension, 1 or 2.
    pub dim: usize,
    /// Continuation past the edge.
    pub padding: [Padding; 2],
}

impl AttentionEncoderConfig {
    /// A new encoder.
    pub fn init(&self, device: &Device) -> AttentionEncoder {
        let a = self.width;
        let conv = |input, output| {
            let (dim, padding) = (self.dim, self.padding);
            ConvConfig { input, output, width: 5, dilation: 1, dim, padding }.init(device)
        };
        AttentionEncoder {
            query: Mlp::new(&[self.dim, a, a], device),
            key: Mlp::new(&[self.dim, a, a], device),
            value: Mlp::new(&[self.source_channels, a, a], device),
            layers: [conv(a, a), conv(a, a), conv(a, self.latent)],
            width: a,
        }
    }
}

impl AttentionEncoder {
    /// # Shapes
    /// b contexts → `[b, k, n0, n1]`.
    pub fn forward(&self, contexts: &[Context], grid: &LatentGrid, device: &Device) -> Tensor<4> {
        let positions = unit_positions(&Points::grid(grid.grid().clone()), device);
        let query = self.query.forward(positions) / (self.width as f32).sqrt();
        let [n0, n1] = grid.shape();
        let attended = contexts.iter().map(|context| {
            let key = self.key.forward(unit_positions(&context.points, device));
            let shape = [context.n_channels, context.points.len()];
            let observed =
                TensorData::new(context.values.iter().map(|&v| v as f32).collect::<Vec<_>>(), shape);
            let value = self.value.forward(Tensor::<2>::from_data(observed, device).transpose());
            let out = softmax(query.clone().matmul(key.transpose()), 1).matmul(value);
            out.transpose().reshape([1, self.width, n0, n1])
        });
        let x = Tensor::cat(attended.collect(), 0);
        let [c1, c2, c3] = &self.layers;
        c3.forward(c2.activated(c1.activated(x, Activation::Relu), Activation::Relu))
    }
}

fn unit_positions(points: &Points, device: &Device) -> Tensor<2> {
    let shape = [points.len(), points.dim()];
    Tensor::from_data(TensorData::new(unit_coordinates(points), shape), device)
}
