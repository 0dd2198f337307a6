//! Linear layers with normalized weights.

use crate::kernel::activation::Activation;
use crate::kernel::pointwise::pointwise;
use crate::nn::initial::Initial;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

/// `y = W x + b` whose weights of each output are `g v/‖v‖`: a size and a direction, learned apart.
#[derive(Module, Debug)]
pub struct NormedLinear {
    /// Directions v, `[in, out]`.
    pub direction: Param<Tensor<2>>,
    /// Sizes g, `[out]`.
    pub scale: Param<Tensor<1>>,
    /// Biases `[out]`.
    pub bias: Param<Tensor<1>>,
}

impl NormedLinear {
    /// Weights and biases uniform in ±1/√in: at first `g = ‖v‖`.
    pub fn new(input: usize, output: usize, device: &Device) -> Self {
        let uniform = Initial::of_sum(input);
        let direction: Param<Tensor<2>> = uniform.init([input, output], device);
        let scale = norms(direction.val()).reshape([output]).detach();
        Self { direction, scale: Param::from_tensor(scale), bias: uniform.init([output], device) }
    }

    /// `g v/‖v‖` of every output.
    ///
    /// # Shapes
    /// `[in, out]`.
    pub fn weight(&self) -> Tensor<2> {
        let direction = self.direction.val();
        let factors = self.scale.val().unsqueeze() / norms(direction.clone());
        direction * factors
    }

    /// `activation(y)` at every point of channel-first values, in one pass.
    ///
    /// # Shapes
    /// `[b, in, M]` → `[b, out, M]`.
    pub fn pointwise(&self, x: Tensor<3>, activation: Activation) -> Tensor<3> {
        pointwise(x, self.weight(), self.bias.val(), activation)
    }
}

/// ‖v‖ of every column, `[in, out]` → `[1, out]`.
fn norms(v: Tensor<2>) -> Tensor<2> {
    (v.clone() * v).sum_dim(0).sqrt()
}
