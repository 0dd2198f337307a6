//! The mean of squared differences.

use super::Units;
use burn::tensor::Tensor;

pub(super) fn mse(prediction: Tensor<3>, truth: Tensor<3>, _units: &Units) -> Tensor<1> {
    (prediction - truth).square().mean()
}
