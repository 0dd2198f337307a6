//! The same by stock operations.

use super::lines::{LineTransform, Lines};
use crate::kernel::mlp;
use crate::kernel::spectral::axis::Axis;
use crate::kernel::spectral::{self, Transform};
use burn::tensor::Tensor;

/// [`factorized_layer`](super::factorized_layer) by stock operations.
pub fn stock(
    z: Tensor<4>,
    spectral: Vec<(Tensor<3>, Tensor<3>)>,
    perceptron: [mlp::Parameters; 2],
    lines: &Lines,
    residual: bool,
) -> Tensor<4> {
    let shape @ [b, c, n0, n1] = z.dims();
    let axes = lines.axes().iter().zip(spectral);
    let convolved = axes.map(|(axis, weights)| convolved(z.clone(), weights, axis));
    let sum = convolved.reduce(|sum, term| sum + term).unwrap_or_else(|| z.zeros_like());
    let update = mlp::stock(sum.reshape([b, c, n0 * n1]), perceptron).reshape(shape);
    if residual { z + update } else { update }
}

/// `F⁻¹(R · F z)` along one axis: every line is an example of a one-dimensional state.
fn convolved(z: Tensor<4>, (real, imaginary): (Tensor<3>, Tensor<3>), along: &LineTransform) -> Tensor<4> {
    let transform = Transform::new(Axis::single(), along.axis().clone());
    let order = if along.is_last() { [0, 2, 1, 3] } else { [0, 3, 1, 2] };
    let back = if along.is_last() { [0, 2, 1, 3] } else { [0, 2, 3, 1] };
    let [b, lines, c, n] = z.clone().permute(order).dims();
    let as_examples = z.permute(order).reshape([b * lines, c, 1, n]);
    let convolved = spectral::stock(as_examples, real, imaginary, &transform);
    convolved.reshape([b, lines, c, n]).permute(back)
}
