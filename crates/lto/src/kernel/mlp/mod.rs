//! A perceptron with two hidden layers, applied at every point.
//!
//! Points are taken 48 at a time, one register tile wide, through all three layers: hidden values never leave the cache.
//! The backward pass computes them again, so none is ever stored.

mod backward;
mod forward;
mod layers;
#[cfg(test)]
mod tests;

use super::activation::Activation;
use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::simd::Isa;
use burn::tensor::Tensor;
use layers::Layers;

/// Weights `[in, out]` and biases `[out]` of the three layers.
pub type Parameters = [(Tensor<2>, Tensor<1>); 3];

/// `W₃ᵀ relu(W₂ᵀ relu(W₁ᵀ x + b₁) + b₂) + b₃` at every point.
///
/// # Shapes
/// `x [b, in, M]` → `[b, out, M]`.
pub fn mlp(x: Tensor<3>, parameters: Parameters) -> Tensor<3> {
    if !is_supported(&x) {
        return stock(x, parameters);
    }
    let mut inputs = vec![x.into_dispatch()];
    for (weight, bias) in parameters {
        inputs.extend([weight.into_dispatch(), bias.into_dispatch()]);
    }
    apply(Mlp, inputs)
}

/// The same by stock operations.
pub fn stock(x: Tensor<3>, parameters: Parameters) -> Tensor<3> {
    let [b, k, m] = x.dims();
    let mut h = x.swap_dims(1, 2).reshape([b * m, k]);
    for (i, (weight, bias)) in parameters.into_iter().enumerate() {
        h = h.matmul(weight) + bias.unsqueeze();
        if i < 2 {
            h = Activation::Relu.stock(h);
        }
    }
    let q = h.dims()[1];
    h.reshape([b, m, q]).swap_dims(1, 2)
}

#[derive(Debug)]
struct Mlp;

impl Operation for Mlp {
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let layers = Layers::new(inputs);
        let output = forward::forward(Isa::detect(), &layers);
        Forward { output, shape: vec![layers.batch, layers.widths[3], layers.points], saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let layers = Layers::new(pass.inputs);
        let found = backward::backward(Isa::detect(), &layers, pass.gradient);
        pass.wanted.iter().zip(found).map(|(wanted, gradient)| wanted.then_some(gradient)).collect()
    }
}
