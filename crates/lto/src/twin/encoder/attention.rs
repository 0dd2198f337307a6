//! The learned attention encoder: every grid position attends to the observations.

use super::{Encode, EncoderKind};
use crate::device::table;
use crate::error::Result;
use crate::nn::conv::{Activation, Conv, ConvConfig};
use crate::nn::coordinates::unit_coordinates;
use crate::nn::mlp::Mlp;
use crate::operator::tensor;
use crate::problem::Problem;
use crate::size::chain;
use crate::twin::config::{TwinConfig, require_size};
use crate::twin::latent_grid::LatentGrid;
use crate::twin::source::SourceFields;
use burn::module::Module;
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use serde::{Deserialize, Serialize};

/// Configuration of an [`AttentionEncoder`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionConfig {
    /// Width a.
    pub width: usize,
}

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

impl EncoderKind for AttentionConfig {
    type Network = AttentionEncoder;

    fn validate(&self) -> Result<()> {
        require_size("encoder", self.width)
    }

    fn weights(&self, p: usize, k: usize, taps: f64) -> f64 {
        let a = self.width;
        taps * chain([a, a, a, k]) + chain([p, a])
    }

    fn init(&self, twin: &TwinConfig, problem: &Problem, device: &Device) -> AttentionEncoder {
        let (a, dim, padding) = (self.width, problem.domain.dim(), twin.padding(&problem.domain));
        let conv =
            |input, output| ConvConfig { input, output, width: 5, dilation: 1, dim, padding }.init(device);
        AttentionEncoder {
            query: Mlp::new(&[dim, a, a], device),
            key: Mlp::new(&[dim, a, a], device),
            value: Mlp::new(&[problem.source_channels, a, a], device),
            layers: [conv(a, a), conv(a, a), conv(a, twin.latent_channels)],
            width: a,
        }
    }
}

impl Encode for AttentionEncoder {
    fn forward(
        &self,
        contexts: &[Context],
        _source: Option<&SourceFields>,
        _statics: &[f64],
        grid: &LatentGrid,
    ) -> Tensor<4> {
        let device = &self.layers[0].weight.val().device();
        let positions = unit_positions(&Points::grid(grid.grid().clone()), device);
        let query = self.query.forward(positions) / (self.width as f32).sqrt();
        let [n0, n1] = grid.shape();
        let attended = contexts.iter().map(|context| {
            let key = self.key.forward(unit_positions(&context.points, device));
            let shape = [context.n_channels, context.points.len()];
            let value = self.value.forward(tensor(&context.values, shape, device).transpose());
            let out = softmax(query.clone().matmul(key.transpose()), 1).matmul(value);
            out.transpose().reshape([1, self.width, n0, n1])
        });
        let x = Tensor::cat(attended.collect(), 0);
        let [c1, c2, c3] = &self.layers;
        c3.forward(c2.activated(c1.activated(x, Activation::Relu), Activation::Relu))
    }
}

fn unit_positions(points: &Points, device: &Device) -> Tensor<2> {
    table(unit_coordinates(points), [points.len(), points.dim()], device)
}
