//! Losses of a batch and the gradients of their sum.

use super::flat::FlatLayout;
use crate::error::{Error, Result};
use crate::loss::Objective;
use crate::operator::{Batch, Operator};
use burn::tensor::Tensor;

/// The losses of a batch.
#[derive(Clone, Debug)]
pub struct Losses {
    /// Weighted sum of the terms.
    pub total: f64,
    /// Each term before weighting, by name.
    pub terms: Vec<(&'static str, f64)>,
}

/// Evaluates the objective on a batch and writes the gradients of all parameters, in the order of the layout, into
/// `gradients` (unchanged if the loss is not finite).
///
/// # Errors
/// A batch the operator cannot take, or an objective without terms.
pub fn differentiate(
    operator: &dyn Operator,
    layout: &FlatLayout,
    batch: &Batch,
    objective: &Objective,
    gradients: &mut Vec<f32>,
) -> Result<Losses> {
    let mut sum: Option<Tensor<1>> = None;
    let mut terms = Vec::new();
    for term in operator.loss_terms(batch, objective)? {
        terms.push((term.name, f64::from(term.value.clone().into_scalar::<f32>())));
        let weighted = term.value * term.weight;
        sum = Some(match sum {
            Some(sum) => sum + weighted,
            None => weighted,
        });
    }
    let Some(sum) = sum else { return Err(Error::NoBatch) };
    let total = f64::from(sum.clone().into_scalar::<f32>());
    if total.is_finite() {
        layout.gather(&operator.gradients(&mut sum.backward()), gradients);
    }
    Ok(Losses { total, terms })
}
