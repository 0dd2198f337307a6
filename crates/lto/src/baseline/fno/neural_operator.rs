//! The form of the Python package `neuraloperator`.

use super::block::Block;
use super::config::FnoConfig;
use crate::kernel::activation::{Activation, gelu_stock};
use crate::kernel::spectral::Transform;
use crate::nn::initial::Initial;
use crate::nn::mlp::Linear;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use std::sync::Arc;

/// An MLP lifts to w channels; blocks `g ⊙ h + perceptron(a(F⁻¹(R · F h) + W h + b))` with GELU inside and
/// after all but the last; an MLP projects.
#[derive(Module, Debug)]
pub struct NeuralOperator {
    lifting: Perceptron,
    blocks: Vec<Block>,
    /// `W` of the skips within the blocks has no bias: the spectral convolution's plays the same role.
    mixers: Vec<Perceptron>,
    gates: Vec<Gate>,
    projection: Perceptron,
}

/// Linear, GELU, Linear at every point.
#[derive(Module, Debug)]
pub struct Perceptron {
    first: Linear,
    second: Linear,
}

/// One factor for each channel, 1 at first.
#[derive(Module, Debug)]
pub struct Gate {
    weight: Param<Tensor<1>>,
}

impl Perceptron {
    fn new([input, hidden, output]: [usize; 3], device: &Device) -> Self {
        Self { first: Linear::new(input, hidden, device), second: Linear::new(hidden, output, device) }
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.second.pointwise(self.first.pointwise(x, Activation::Gelu), Activation::None)
    }
}

impl NeuralOperator {
    /// `input` channels (coordinates included) → `output` channels, with `modes` wavenumbers in all.
    pub fn new(config: &FnoConfig, [input, output]: [usize; 2], modes: usize, device: &Device) -> Self {
        let width = config.width;
        let inner = (0.5 * width as f64).round_ties_even().max(1.0) as usize;
        Self {
            lifting: Perceptron::new([input, 2 * width, width], device),
            blocks: (0..config.blocks).map(|_| Block::neural_operator(width, modes, device)).collect(),
            mixers: (0..config.blocks).map(|_| Perceptron::new([width, inner, width], device)).collect(),
            gates: (0..config.blocks)
                .map(|_| Gate { weight: Initial::Constant(1.0).init([width], device) })
                .collect(),
            projection: Perceptron::new([width, config.hidden(), output], device),
        }
    }

    /// # Shapes
    /// `[b, in, n0 n1]` → `[b, out, n0 n1]`.
    pub fn forward(&self, x: Tensor<3>, transform: &Arc<Transform>) -> Tensor<3> {
        let ([b, _, m], [n0, n1]) = (x.dims(), transform.grid());
        let mut h = self.lifting.forward(x);
        let width = h.dims()[1];
        for (i, block) in self.blocks.iter().enumerate() {
            let is_last = i + 1 == self.blocks.len();
            let activation = if is_last { Activation::None } else { Activation::Gelu };
            let plane = block.forward(h.clone().reshape([b, width, n0, n1]), transform, activation);
            let gated = h * self.gates[i].weight.val().reshape([1, width, 1]);
            h = self.mixers[i].forward(plane.reshape([b, width, m])) + gated;
            if !is_last {
                h = gelu_stock(h);
            }
        }
        self.projection.forward(h)
    }
}
