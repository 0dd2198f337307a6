//! The mean of squared differences.

use super::{Compared, Units};
use crate::error::Result;
use burn::tensor::Tensor;
use lto_numerics::Points;
use std::sync::Arc;

pub(super) fn mse(compared: Compared, _units: &Units, _queries: &[Arc<Points>]) -> Result<Tensor<1>> {
    let squares = (compared.prediction - compared.truth).square();
    Ok(match compared.known {
        Some(known) => squares.sum() / known.sum().clamp_min(1.0),
        None => squares.mean(),
    })
}
