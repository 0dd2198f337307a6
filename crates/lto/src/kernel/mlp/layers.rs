//! The layers of the perceptron on one panel of points.

use crate::kernel::activation::Activation;
use crate::kernel::operation::Array;
use crate::kernel::simd::{Isa, Lanes};
use crate::kernel::tile::{Product, Target, blocks, pack};

/// Points that go through the layers together: one tile of the widest registers.
pub const PANEL: usize = 48;

/// The inputs.
pub struct Layers<'a> {
    /// Batch size.
    pub batch: usize,
    /// Points of each example.
    pub points: usize,
    /// Channels before and after each layer.
    pub widths: [usize; 4],
    /// `[batch, in, points]`.
    pub x: &'a [f32],
    /// `[in, out]` of each layer.
    pub weights: [&'a [f32]; 3],
    /// `[out]` of each layer.
    pub biases: [&'a [f32]; 3],
}

impl<'a> Layers<'a> {
    /// From the tensors x, w₁, b₁, w₂, b₂, w₃, b₃.
    pub fn new(inputs: &[Array<'a>]) -> Self {
        let [batch, input, points] = inputs[0].dims();
        let output = |layer: usize| inputs[2 * layer + 2].shape[0];
        Self {
            batch,
            points,
            widths: [input, output(0), output(1), output(2)],
            x: inputs[0].values,
            weights: std::array::from_fn(|layer| inputs[2 * layer + 1].values),
            biases: std::array::from_fn(|layer| inputs[2 * layer + 2].values),
        }
    }

    /// Panels of each example.
    pub fn panels(&self) -> usize {
        self.points.div_ceil(PANEL)
    }

    /// Operations of one panel (multiplications and additions counted apart).
    pub fn operations_per_panel(&self) -> usize {
        2 * PANEL * self.widths.windows(2).map(|w| w[0] * w[1]).sum::<usize>()
    }

    /// Weights as tiles read them, for the forward pass.
    pub fn pack(&self, isa: Isa) -> [Vec<f32>; 3] {
        std::array::from_fn(|layer| {
            let (inputs, outputs) = (self.widths[layer], self.widths[layer + 1]);
            let weight = self.weights[layer];
            pack(outputs, inputs, 1, isa.block(), |output, input, _| weight[input * outputs + output])
        })
    }

    /// Weights as tiles read them, for the backward pass.
    pub fn pack_transposed(&self, isa: Isa) -> [Vec<f32>; 3] {
        std::array::from_fn(|layer| {
            let (inputs, outputs) = (self.widths[layer], self.widths[layer + 1]);
            let weight = self.weights[layer];
            pack(inputs, outputs, 1, isa.block(), |input, output, _| weight[input * outputs + output])
        })
    }

    /// Layer `i` for values `x`.
    pub fn forth<'b>(
        &'b self,
        i: usize,
        packed: &'b [Vec<f32>; 3],
        x: &'b [f32],
        activation: Activation,
    ) -> Layer<'b> {
        Layer { x, inputs: self.widths[i], weights: &packed[i], bias: self.biases[i], activation }
    }

    /// Layer `i` for gradients `x` of its output; `zeros` are at least as many as its inputs.
    pub fn back<'b>(
        &self,
        i: usize,
        transposed: &'b [Vec<f32>; 3],
        x: &'b [f32],
        zeros: &'b [f32],
    ) -> Layer<'b> {
        let bias = &zeros[..self.widths[i]];
        Layer { x, inputs: self.widths[i + 1], weights: &transposed[i], bias, activation: Activation::None }
    }
}

/// A panel of one example: where it begins and how many points it has.
#[derive(Clone, Copy)]
pub struct Panel {
    /// Example.
    pub example: usize,
    /// First point.
    pub begin: usize,
    /// Number of points, at most [`PANEL`].
    pub columns: usize,
}

impl Panel {
    /// Panel `index`, counted through the batch.
    pub fn new(layers: &Layers, index: usize) -> Self {
        let (example, begin) = (index / layers.panels(), index % layers.panels() * PANEL);
        Self { example, begin, columns: (layers.points - begin).min(PANEL) }
    }

    /// Copies this panel of `from [batch, channels, points]` to `to [channels, PANEL]`, zero past the last point.
    #[inline(always)]
    pub fn copy(&self, from: &[f32], channels: usize, points: usize, to: &mut [f32]) {
        for (channel, to) in to.chunks_exact_mut(PANEL).take(channels).enumerate() {
            let begin = (self.example * channels + channel) * points + self.begin;
            to[..self.columns].copy_from_slice(&from[begin..begin + self.columns]);
            to[self.columns..].fill(0.0);
        }
    }
}

/// One layer on one panel.
pub struct Layer<'a> {
    /// `[inputs, PANEL]`.
    pub x: &'a [f32],
    /// Input channels.
    pub inputs: usize,
    /// Packed weights.
    pub weights: &'a [f32],
    /// Output channels' biases.
    pub bias: &'a [f32],
    /// Applied last.
    pub activation: Activation,
}

impl Layer<'_> {
    /// Writes the first `columns` points of all output channels.
    ///
    /// # Safety
    /// `V`'s instruction set is available, and `to` has room.
    #[inline(always)]
    pub unsafe fn apply<V: Lanes>(&self, columns: usize, to: Target) {
        let product = Product {
            x: self.x,
            channels: self.inputs,
            stride: PANEL,
            taps: &[0],
            weights: self.weights,
            bias: self.bias,
            activation: self.activation,
        };
        for (begin, size) in blocks(self.bias.len(), V::BLOCK) {
            // SAFETY: rows of `x` have `PANEL` numbers, a multiple of every vector; the rest is the caller's promise.
            unsafe { product.rows::<V>(begin, size, columns, to) };
        }
    }

    /// The same into a panel `[outputs, PANEL]`.
    ///
    /// # Safety
    /// `V`'s instruction set is available.
    #[inline(always)]
    pub unsafe fn fill<V: Lanes>(&self, to: &mut [f32]) {
        assert!(to.len() >= self.bias.len() * PANEL && self.x.len() >= self.inputs * PANEL);
        // SAFETY: there is room, as just asserted.
        unsafe { self.apply::<V>(PANEL, Target::new(to.as_mut_ptr(), PANEL)) };
    }
}
