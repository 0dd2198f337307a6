//! The mean of squared differences.

use super::Units;
use crate::error::Result;
use burn::tensor::Tensor;
use lto_numerics::Points;
use std::sync::Arc;

pub(super) fn mse(
    prediction: Tensor<3>,
    truth: Tensor<3>,
    _units: &Units,
    _queries: &[Arc<Points>],
) -> Result<Tensor<1>> {
    Ok((prediction - truth).square().mean())
}
