//! The layers of the perceptron on one panel of points.

use crate::kernel::activation::Activation;
use crate::kernel::operation::Array;
use crate::kernel::simd::{Isa, Lanes};
use crate::kernel::tile::{Product, Target, blocks, pack};

/// Points that go through the layers together: one tile of the widest registers.
pub const PANEL: usize = 48;

/// The parameters.
pub struct Layers<'a> {
    /// Channels before the first and after each layer.
    pub widths: Vec<usize>,
    /// `[in, out]` of each layer.
    pub weights: Vec<&'a [f32]>,
    /// `[out]` of each layer.
    pub biases: Vec<&'a [f32]>,
}

impl<'a> Layers<'a> {
    /// From the tensors w₁, b₁, w₂, b₂, …
    pub fn new(parameters: &[Array<'a>]) -> Self {
        let (weights, biases) = (parameters.iter().step_by(2), parameters.iter().skip(1).step_by(2));
        Self {
            widths: parameters[..1]
                .iter()
                .map(|w| w.shape[0])
                .chain(biases.clone().map(|b| b.shape[0]))
                .collect(),
            weights: weights.map(|w| w.values).collect(),
            biases: biases.map(|b| b.values).collect(),
        }
    }

    /// Number of layers.
    pub fn depth(&self) -> usize {
        self.weights.len()
    }

    /// Output channels.
    pub fn output(&self) -> usize {
        self.widths[self.depth()]
    }

    /// Zeros in the shapes of w₁, b₁, w₂, b₂, …: sums of gradients.
    pub fn zeros(&self) -> Vec<Vec<f32>> {
        let pairs = self.weights.iter().zip(&self.biases);
        pairs.flat_map(|(weight, bias)| [vec![0.0; weight.len()], vec![0.0; bias.len()]]).collect()
    }

    /// The channels of the widest level.
    pub fn widest(&self) -> usize {
        self.widths.iter().copied().max().unwrap_or(0)
    }

    /// Operations of one panel (multiplications and additions counted apart).
    pub fn operations_per_panel(&self) -> usize {
        2 * PANEL * self.widths.windows(2).map(|w| w[0] * w[1]).sum::<usize>()
    }

    /// Weights as tiles read them, for the forward pass.
    pub fn pack(&self, isa: Isa) -> Vec<Vec<f32>> {
        let packed = |(layer, weight): (usize, &&[f32])| {
            let (inputs, outputs) = (self.widths[layer], self.widths[layer + 1]);
            pack(outputs, inputs, 1, isa.block(), |output, input, _| weight[input * outputs + output])
        };
        self.weights.iter().enumerate().map(packed).collect()
    }

    /// Weights as tiles read them, for the backward pass.
    pub fn pack_transposed(&self, isa: Isa) -> Vec<Vec<f32>> {
        let packed = |(layer, weight): (usize, &&[f32])| {
            let (inputs, outputs) = (self.widths[layer], self.widths[layer + 1]);
            pack(inputs, outputs, 1, isa.block(), |input, output, _| weight[input * outputs + output])
        };
        self.weights.iter().enumerate().map(packed).collect()
    }

    /// Layer `i` for values `x`, with ReLU unless it is the last.
    pub fn forth<'b>(&'b self, i: usize, packed: &'b [Vec<f32>], x: &'b [f32]) -> Layer<'b> {
        let activation = if i + 1 < self.depth() { Activation::Relu } else { Activation::None };
        Layer { x, inputs: self.widths[i], weights: &packed[i], bias: self.biases[i], activation }
    }

    /// Layer `i` for gradients `x` of its output; `zeros` are at least as many as its inputs.
    pub fn back<'b>(
        &self,
        i: usize,
        transposed: &'b [Vec<f32>],
        x: &'b [f32],
        zeros: &'b [f32],
    ) -> Layer<'b> {
        let bias = &zeros[..self.widths[i]];
        Layer { x, inputs: self.widths[i + 1], weights: &transposed[i], bias, activation: Activation::None }
    }
}

/// The points of all examples in panels: none has points of two examples.
#[derive(Clone, Copy)]
pub struct Panels {
    /// Examples.
    pub batch: usize,
    /// Points of each.
    pub points: usize,
}

impl Panels {
    /// Those of `values [batch, channels, points]`.
    pub fn of(values: &[f32], channels: usize, points: usize) -> Self {
        Self { batch: values.len() / (channels * points), points }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.batch * self.per_example()
    }

    /// Panel `index`.
    pub fn at(&self, index: usize) -> Panel {
        let (example, begin) = (index / self.per_example(), index % self.per_example() * PANEL);
        Panel { example, begin, columns: (self.points - begin).min(PANEL), points: self.points }
    }

    fn per_example(&self) -> usize {
        self.points.div_ceil(PANEL)
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
    /// Points of the example.
    points: usize,
}

impl Panel {
    /// Where it begins in channel `channel` of values `[batch, channels, points]`.
    #[inline(always)]
    pub fn offset(&self, channels: usize, channel: usize) -> usize {
        (self.example * channels + channel) * self.points + self.begin
    }

    /// Copies this panel of `from [batch, channels, points]` to `to [channels, PANEL]`, zero past the last point.
    #[inline(always)]
    pub fn copy(&self, from: &[f32], channels: usize, to: &mut [f32]) {
        for (channel, to) in to.chunks_exact_mut(PANEL).take(channels).enumerate() {
            let begin = self.offset(channels, channel);
            to[..self.columns].copy_from_slice(&from[begin..begin + self.columns]);
            to[self.columns..].fill(0.0);
        }
    }

    /// Adds this panel of `from [batch, channels, points]` to `to [channels, PANEL]`.
    #[inline(always)]
    pub fn add(&self, from: &[f32], channels: usize, to: &mut [f32]) {
        for (channel, to) in to.chunks_exact_mut(PANEL).take(channels).enumerate() {
            let begin = self.offset(channels, channel);
            let from = &from[begin..begin + self.columns];
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
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
