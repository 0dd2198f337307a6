//! Losses of a batch and the gradients of their sum.

use crate::device::fetch;
use crate::error::{Error, Result};
use crate::loss::Objective;
use crate::operator::{Batch, Operator};
use burn::tensor::{Gradients, Tensor};

/// The losses of a batch.
#[derive(Clone, Debug)]
pub struct Losses {
    /// Weighted sum of the terms.
    pub total: f64,
    /// Each term before weighting, by name.
    pub terms: Vec<(&'static str, f64)>,
}

/// Evaluates the objective on a batch; also its gradients, unless the loss is not finite.
///
/// # Errors
/// A batch the operator cannot take, or an objective without terms.
pub fn differentiate(
    operator: &dyn Operator,
    batch: &Batch,
    objective: &Objective,
) -> Result<(Losses, Option<Gradients>)> {
    let terms = operator.loss_terms(batch, objective)?;
    let weighted = terms.iter().map(|term| term.value.clone() * term.weight);
    let Some(sum) = weighted.reduce(|sum, term| sum + term) else { return Err(Error::NoBatch) };
    // Read at once: a device must finish its work for it.
    let all = terms.iter().map(|term| term.value.clone()).chain([sum.clone()]).collect();
    let values: Vec<f64> = fetch(Tensor::cat(all, 0)).into_iter().map(f64::from).collect();
    let total = values[terms.len()];
    let terms = terms.iter().map(|term| term.name).zip(values).collect();
    Ok((Losses { total, terms }, total.is_finite().then(|| sum.backward())))
}
