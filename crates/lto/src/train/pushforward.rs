//! Pushforward: contexts that the model predicted itself.

use crate::data::batches::Prepared;
use crate::error::Result;
use crate::operator::{Batch, Operator};
use lto_numerics::dataset::{Context, Normalizer};

/// The batch with its contexts replaced by what the operator (without gradients) predicts over the native steps of
/// `unroll`, one after the other, at the query points.
///
/// # Errors
/// A context that the model cannot take.
pub fn unroll(
    prepared: Prepared,
    operator: &dyn Operator,
    (source, target): &(Normalizer, Normalizer),
) -> Result<Batch> {
    let mut batch = prepared.batch;
    for times in &prepared.unroll {
        let predicted = operator.forward(&batch.contexts, times, &batch.queries)?;
        let [_, n_channels, m] = predicted.dims();
        let mut values: Vec<f64> = predicted.into_data().iter::<f64>().collect();
        target.denormalize(&mut values, m)?;
        source.normalize(&mut values, m)?;
        let each = values.chunks_exact((n_channels * m).max(1)).enumerate();
        batch.contexts = each
            .map(|(i, values)| {
                let query = &batch.queries[if batch.queries.len() == 1 { 0 } else { i }];
                Context { points: query.as_ref().clone(), n_channels, values: values.to_vec() }
            })
            .collect();
    }
    Ok(batch)
}
