//! The relative L2 error in physical units: of each example, then the mean.

use super::Units;
use burn::tensor::Tensor;

pub(super) fn relative_l2(prediction: Tensor<3>, truth: Tensor<3>, units: &Units) -> Tensor<1> {
    let channels =
        |values: &[f32]| Tensor::<1>::from_floats(values, &truth.device()).reshape([1, values.len(), 1]);
    let scale = channels(&units.scale);
    let difference = (prediction - truth.clone()) * scale.clone();
    let size = (truth.clone() + channels(&units.offset)) * scale;
    (squares(difference) / squares(size).clamp_min(f32::MIN_POSITIVE)).sqrt().mean()
}

/// Sum of squares of each example, `[b, q, M]` → `[b]`. The tiny summand keeps the gradient of its root finite at 0.
fn squares(x: Tensor<3>) -> Tensor<1> {
    let b = x.dims()[0];
    x.square().reshape([b as i32, -1]).sum_dim(1).reshape([b]) + 1e-30
}
