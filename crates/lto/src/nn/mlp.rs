//! Fully connected layers applied at every point.

use crate::kernel::activation::Activation;
use crate::kernel::mlp::mlp;
use crate::kernel::pointwise::pointwise;
use crate::nn::initial::Initial;
use burn::module::{Module, Param};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

/// `y = W x + b`.
#[derive(Module, Debug)]
pub struct Linear {
    /// Weights `[in, out]`.
    pub weight: Param<Tensor<2>>,
    /// Biases `[out]`.
    pub bias: Param<Tensor<1>>,
}

impl Linear {
    /// Weights and biases uniform in ±1/√in.
    pub fn new(input: usize, output: usize, device: &Device) -> Self {
        let uniform = Initial::of_sum(input);
        Self { weight: uniform.init([input, output], device), bias: uniform.init([output], device) }
    }

    /// # Shapes
    /// `[n, in]` → `[n, out]`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.val()) + self.bias.val().unsqueeze()
    }

    /// `activation(y)` at every point of channel-first values, in one pass.
    ///
    /// # Shapes
    /// `[b, in, M]` → `[b, out, M]`.
    pub fn pointwise(&self, x: Tensor<3>, activation: Activation) -> Tensor<3> {
        pointwise(x, self.weight.val(), self.bias.val(), activation)
    }
}

/// Linear layers with ReLU between them.
#[derive(Module, Debug)]
pub struct Mlp {
    layers: Vec<Linear>,
}

impl Mlp {
    /// Layers of the given widths, first the input's, last the output's.
    pub fn new(widths: &[usize], device: &Device) -> Self {
        Self { layers: widths.windows(2).map(|w| Linear::new(w[0], w[1], device)).collect() }
    }

    /// The same with a last layer that is zero at first.
    pub fn ending_in_zero(mut self) -> Self {
        if let Some(layer) = self.layers.pop() {
            let zero = Linear {
                weight: layer.weight.map(|w| w.zeros_like()),
                bias: layer.bias.map(|b| b.zeros_like()),
            };
            self.layers.push(zero);
        }
        self
    }

    /// # Shapes
    /// `[n, in]` → `[n, out]`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        self.layers.iter().enumerate().fold(x, |x, (i, layer)| {
            let y = layer.forward(x);
            if i < last { relu(y) } else { y }
        })
    }

    /// The same at every point of channel-first values; three layers in one pass that stores no hidden value.
    ///
    /// # Shapes
    /// `[b, in, M]` → `[b, out, M]`.
    pub fn pointwise(&self, x: Tensor<3>) -> Tensor<3> {
        if self.layers.len() == 3 {
            return mlp(x, self.layers.iter().map(|layer| (layer.weight.val(), layer.bias.val())));
        }
        let [b, k, m] = x.dims();
        let y = self.forward(x.swap_dims(1, 2).reshape([b * m, k]));
        let q = y.dims()[1];
        y.reshape([b, m, q]).swap_dims(1, 2)
    }
}
