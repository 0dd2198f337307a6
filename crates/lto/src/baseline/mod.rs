//! The operators that twins are compared with, one file each: same trainer, same data, same metric.

pub mod deeponet;
pub mod fno;
pub mod interpolation;
pub mod lno;
pub mod persistence;
pub mod still;

use crate::error::Result;
use crate::loss::{LossTerm, Objective};
use crate::operator::{Batch, Operator};
use burn::tensor::{Device, Tensor, TensorData};

/// The objective of every baseline: its prediction against the target, and nothing else.
///
/// # Errors
/// As [`Operator::forward`].
pub fn prediction_loss(
    operator: &dyn Operator,
    batch: &Batch,
    objective: &Objective,
    device: &Device,
) -> Result<Vec<LossTerm>> {
    let prediction = operator.forward(&batch.contexts, &batch.times, &batch.queries)?;
    let truth = TensorData::new(batch.target.clone(), prediction.dims());
    let config = &objective.config;
    let value = objective.evaluate(config.evolution_loss, prediction, Tensor::from_data(truth, device));
    Ok(vec![LossTerm { name: "evolution_loss", weight: config.evolution_weight, value }])
}
