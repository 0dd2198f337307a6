//! A convolution with one tap on plain numbers, for operations that have one inside.

use super::forward::Layer;
use super::rows::{Gate, Geometry, Padding, Source};
use super::{forward, weight_gradient};
use crate::kernel::activation::Activation;
use crate::kernel::simd::Isa;

/// `W x + b` at every point.
#[derive(Clone, Copy)]
pub struct Pointwise<'a> {
    /// Batch size.
    pub batch: usize,
    /// Input channels.
    pub input: usize,
    /// Output channels.
    pub output: usize,
    /// Grid.
    pub grid: [usize; 2],
    /// `[output, input]`.
    pub weight: &'a [f32],
    /// `[output]`.
    pub bias: &'a [f32],
}

impl Pointwise<'_> {
    fn geometry(&self) -> Geometry {
        let Self { batch, input, output, grid, .. } = *self;
        Geometry { batch, input, output, grid, kernel: [1, 1], dilation: 1, padding: [Padding::Zero; 2] }
    }

    fn source<'a>(&self, values: &'a [f32], channels: usize) -> Source<'a> {
        Source { values, gate: Gate::Open, channels, grid: self.grid }
    }

    /// `[batch, input, n0, n1]` → `[batch, output, n0, n1]`.
    pub fn forward(&self, isa: Isa, x: &[f32]) -> Vec<f32> {
        let source = self.source(x, self.input);
        let layer =
            Layer { weight: self.weight, bias: self.bias, addend: None, activation: Activation::None };
        forward::forward(isa, &self.geometry(), &source, layer, false).output
    }

    /// The gradient of the input.
    pub fn input_gradient(&self, isa: Isa, gradient: &[f32]) -> Vec<f32> {
        forward::input_gradient(isa, &self.geometry(), &self.source(gradient, self.output), self.weight)
    }

    /// The gradients of weights and biases.
    pub fn weight_gradient(&self, isa: Isa, x: &[f32], gradient: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let (x, gradient) = (self.source(x, self.input), self.source(gradient, self.output));
        weight_gradient::weight_gradient(isa, &self.geometry(), &x, &gradient)
    }
}
