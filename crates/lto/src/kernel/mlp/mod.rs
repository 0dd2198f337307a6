//! Perceptrons with ReLU between their layers, applied at every point.
//!
//! Points are taken 48 at a time, one register tile wide, through all layers: hidden values never leave the cache.
//! The backward pass computes them again, so none is ever stored.

pub(super) mod backward;
pub(super) mod forward;
pub(super) mod layers;
#[cfg(test)]
mod tests;

use super::activation::Activation;
use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::simd::Isa;
use backward::BackwardPass;
use burn::tensor::Tensor;
use forward::ForwardPass;
use layers::Layers;

/// Weights `[in, out]` and biases `[out]` of a layer.
pub type Parameters = (Tensor<2>, Tensor<1>);

/// `W₃ᵀ relu(W₂ᵀ relu(W₁ᵀ x + b₁) + b₂) + b₃` at every point, with two or three layers.
///
/// # Shapes
/// `x [b, in, M]` → `[b, out, M]`.
pub fn mlp(x: Tensor<3>, parameters: impl IntoIterator<Item = Parameters>) -> Tensor<3> {
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
pub fn stock(x: Tensor<3>, parameters: impl IntoIterator<Item = Parameters>) -> Tensor<3> {
    let [b, k, m] = x.dims();
    let mut h = x.swap_dims(1, 2).reshape([b * m, k]);
    for (i, (weight, bias)) in parameters.into_iter().enumerate() {
        if i > 0 {
            h = Activation::Relu.stock(h);
        }
        h = h.matmul(weight) + bias.unsqueeze();
    }
    let q = h.dims()[1];
    h.reshape([b, m, q]).swap_dims(1, 2)
}

#[derive(Debug)]
struct Mlp;

impl Operation for Mlp {
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let (layers, isa) = (Layers::new(&inputs[1..]), Isa::detect());
        let [batch, _, points] = inputs[0].dims();
        let size = batch * layers.output() * points;
        let mut output = Vec::with_capacity(size);
        let packed = layers.pack(isa);
        let pass =
            ForwardPass { layers: &layers, packed: &packed, x: inputs[0].values, points, residual: None };
        pass.run(isa, &mut output.spare_capacity_mut()[..size]);
        // SAFETY: the pass has written all of them.
        unsafe { output.set_len(size) };
        Forward { output, shape: vec![batch, layers.output(), points], saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let (layers, isa) = (Layers::new(&pass.inputs[1..]), Isa::detect());
        let [_, _, points] = pass.inputs[0].dims();
        let found = BackwardPass {
            layers: &layers,
            packed: &layers.pack(isa),
            transposed: &layers.pack_transposed(isa),
            x: pass.inputs[0].values,
            points,
            gradient: pass.gradient,
        };
        let found = found.run(isa);
        pass.wanted.iter().zip(found).map(|(wanted, gradient)| wanted.then_some(gradient)).collect()
    }
}
