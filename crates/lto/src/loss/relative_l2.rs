//! The relative L2 error in physical units: of each example, then the mean.

use super::{Compared, Units};
use crate::error::Result;
use burn::tensor::Tensor;
use lto_numerics::Points;
use std::sync::Arc;

pub(super) fn relative_l2(compared: Compared, units: &Units, _queries: &[Arc<Points>]) -> Result<Tensor<1>> {
    let Compared { prediction, truth, known, .. } = compared;
    let (scale, offset) = (units.scale(&truth.device()), units.offset(&truth.device()));
    let difference = (prediction - truth.clone()) * scale.clone();
    let size = (truth + offset) * scale;
    Ok(ratio(difference, if let Some(known) = known { size * known } else { size }))
}

/// `‖difference‖ / ‖size‖` of each example, both `[b, q, M]`, then the mean.
pub(super) fn ratio(difference: Tensor<3>, size: Tensor<3>) -> Tensor<1> {
    (squares(difference) / squares(size).clamp_min(f32::MIN_POSITIVE)).sqrt().mean()
}

/// Sum of squares of each example, `[b, q, M]` → `[b]`. The tiny summand keeps the gradient of its root finite at 0.
fn squares(x: Tensor<3>) -> Tensor<1> {
    let b = x.dims()[0];
    x.square().reshape([b as i32, -1]).sum_dim(1).reshape([b]) + 1e-30
}
