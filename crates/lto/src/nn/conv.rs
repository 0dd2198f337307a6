//! Convolutions that keep the size of the grid: periodic or zero padding per axis, with dilation.

use burn::module::{Module, Param};
use burn::nn::Initializer;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor};

/// How a convolution continues its input past the edge, per array axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// As a circle.
    Periodic,
    /// By zeros.
    Zero,
}

/// `y = w ⋆ x + b`, size kept. The kernel is `[k, k]`, or `[1, k]` on one-dimensional states.
#[derive(Module, Debug)]
pub struct Conv {
    /// Weights `[out, in, k0, k1]`.
    pub weight: Param<Tensor<4>>,
    /// Biases `[out]`.
    pub bias: Param<Tensor<1>>,
    #[module(skip)]
    dilation: usize,
    #[module(skip)]
    padding: [Padding; 2],
}

/// Everything that makes a [`Conv`].
#[derive(Clone, Copy, Debug)]
pub struct ConvConfig {
    /// Input channels.
    pub input: usize,
    /// Output channels.
    pub output: usize,
    /// Kernel width k (odd).
    pub width: usize,
    /// Distance between the taps.
    pub dilation: usize,
    /// Number of spatial dimensions, 1 or 2.
    pub dim: usize,
    /// Continuation past the edge, per array axis.
    pub padding: [Padding; 2],
}

impl ConvConfig {
    fn kernel(&self) -> [usize; 2] {
        [if self.dim == 2 { self.width } else { 1 }, self.width]
    }

    /// Weights and biases uniform in ±1/√(fan in).
    pub fn init(&self, device: &Device) -> Conv {
        let [k0, k1] = self.kernel();
        let bound = 1.0 / ((self.input * k0 * k1) as f64).sqrt();
        let uniform = Initializer::Uniform { min: -bound, max: bound };
        self.build(
            uniform.init([self.output, self.input, k0, k1], device),
            uniform.init([self.output], device),
        )
    }

    /// All zero: added to something, it leaves that unchanged.
    pub fn init_zero(&self, device: &Device) -> Conv {
        let [k0, k1] = self.kernel();
        self.build(
            Initializer::Zeros.init([self.output, self.input, k0, k1], device),
            Initializer::Zeros.init([self.output], device),
        )
    }

    fn build(&self, weight: Param<Tensor<4>>, bias: Param<Tensor<1>>) -> Conv {
        Conv { weight, bias, dilation: self.dilation, padding: self.padding }
    }
}

impl Conv {
    /// # Shapes
    /// `[batch, in, n0, n1]` → `[batch, out, n0, n1]`.
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let weight = self.weight.val();
        let [_, _, k0, k1] = weight.dims();
        let reach = [self.dilation * (k0 / 2), self.dilation * (k1 / 2)];
        let mut x = x;
        let mut zeros = [0; 2];
        for axis in 0..2 {
            match self.padding[axis] {
                Padding::Periodic => x = wrap(x, axis + 2, reach[axis]),
                Padding::Zero => zeros[axis] = reach[axis],
            }
        }
        let options = ConvOptions::new([1, 1], zeros, [self.dilation, self.dilation], 1);
        conv2d(x, weight, Some(self.bias.val()), options)
    }
}

/// Continues `x` as a circle by `reach` entries on both sides of dimension `dim`, any number of times round.
fn wrap(x: Tensor<4>, dim: usize, reach: usize) -> Tensor<4> {
    let n = x.dims()[dim];
    if reach == 0 {
        return x;
    }
    let (turns, rest) = (reach / n, reach % n);
    let mut parts = Vec::with_capacity(2 * turns + 3);
    if rest > 0 {
        parts.push(x.clone().narrow(dim, n - rest, rest));
    }
    parts.extend(std::iter::repeat_n(x.clone(), 2 * turns + 1));
    if rest > 0 {
        parts.push(x.narrow(dim, 0, rest));
    }
    Tensor::cat(parts, dim)
}
