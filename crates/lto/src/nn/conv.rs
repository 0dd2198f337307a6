//! Convolutions that keep the size of the grid: periodic or zero padding per axis, with dilation.

pub use crate::kernel::activation::Activation;
pub use crate::kernel::conv::Padding;
use crate::kernel::conv::{conv, conv_added};
use crate::nn::initial::Initial;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

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
        let uniform = Initial::of_sum(self.input * k0 * k1);
        self.build(
            uniform.init([self.output, self.input, k0, k1], device),
            uniform.init([self.output], device),
        )
    }

    /// All zero: a residual branch that starts as the identity.
    pub fn init_zero(&self, device: &Device) -> Conv {
        let [k0, k1] = self.kernel();
        self.build(
            Initial::Constant(0.0).init([self.output, self.input, k0, k1], device),
            Initial::Constant(0.0).init([self.output], device),
        )
    }

    fn build(&self, weight: Param<Tensor<4>>, bias: Param<Tensor<1>>) -> Conv {
        Conv { weight, bias, dilation: self.dilation, padding: self.padding }
    }
}

impl Conv {
    /// `w ⋆ x + b`.
    ///
    /// # Shapes
    /// `[batch, in, n0, n1]` → `[batch, out, n0, n1]`.
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        self.activated(x, Activation::None)
    }

    /// `activation(w ⋆ x + b)`, in one pass.
    ///
    /// # Shapes
    /// As [`forward`](Self::forward).
    pub fn activated(&self, x: Tensor<4>, activation: Activation) -> Tensor<4> {
        conv(x, self.weight.val(), self.bias.val(), self.dilation, self.padding, activation)
    }

    /// `activation(w ⋆ x + b + addend)`, in one pass.
    ///
    /// # Shapes
    /// As [`forward`](Self::forward); `addend` as the output.
    pub fn added(&self, x: Tensor<4>, addend: Tensor<4>, activation: Activation) -> Tensor<4> {
        let (weight, bias) = (self.weight.val(), self.bias.val());
        conv_added(x, weight, bias, addend, self.dilation, self.padding, activation)
    }
}
