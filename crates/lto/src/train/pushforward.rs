//! Pushforward: contexts that the model predicted itself.

use crate::data::batches::Prepared;
use crate::error::{Error, Result};
use crate::operator::{Batch, Operator};
use lto_numerics::dataset::{Context, Normalizer};

/// The batch with its contexts replaced by what the operator (without gradients) predicts over the native steps of
/// `unroll`, one after the other, at the query points. Of a state that shows a history the oldest frame is dropped.
///
/// # Errors
/// A context that the model cannot take, or with a history at other points than the query's.
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
        let history = source.mean().len() / n_channels.max(1);
        source.last(n_channels).normalize(&mut values, m)?;
        let each = values.chunks_exact((n_channels * m).max(1)).enumerate();
        batch.contexts = each
            .zip(&batch.contexts)
            .map(|((i, values), before)| {
                let query = &batch.queries[if batch.queries.len() == 1 { 0 } else { i }];
                if history > 1 && before.points != **query {
                    return Err(Error::Config {
                        key: "train.pushforward.probability".into(),
                        value: format!("positive with data.history = {history}"),
                        requirement:
                            "needs contexts at all query points: train.context.designs = { full = 1 }".into(),
                    });
                }
                let kept = if history > 1 { &before.values[values.len()..] } else { &[] };
                let values = kept.iter().chain(values).copied().collect();
                Ok(Context { points: query.as_ref().clone(), n_channels: history * n_channels, values })
            })
            .collect::<Result<_>>()?;
    }
    Ok(batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelConfig;
    use crate::problem::Problem;
    use burn::tensor::Device;
    use lto_numerics::dataset::NormalizerFit;
    use lto_numerics::{Domain, Grid, Placement, Points};
    use std::sync::Arc;

    /// Three frames of two channels: the oldest goes, what was predicted comes last, in the units of sources.
    #[test]
    fn a_history_moves_on_by_one_frame() {
        let domain = Domain::unit(1, true).unwrap();
        let problem = Problem {
            domain: domain.clone(),
            source_channels: 6,
            target_channels: 2,
            native: vec![8],
            times: Some([0.0, 1.0]),
        };
        let config: ModelConfig = toml::from_str("kind = 'fno'\nwidth = 3\nmodes = 3").unwrap();
        let operator = config.init(&problem, 1, &Device::flex()).unwrap();
        let mut fit = NormalizerFit::new(2);
        fit.add(&[1.0, 3.0, -2.0, 6.0], 2).unwrap();
        let target = fit.finish().unwrap();
        let points = Points::grid(Grid::cubic(domain, 8, Placement::Left).unwrap());
        let values: Vec<f64> = (0..48).map(|i| (0.7 * f64::from(i)).sin()).collect();
        let context = Context { points: points.clone(), n_channels: 6, values: values.clone() };
        let batch = Batch {
            contexts: vec![context.clone()],
            times: vec![(0.2, 0.3)],
            queries: vec![Arc::new(points.clone())],
            source: Vec::new(),
            target: Vec::new(),
            target_contexts: Vec::new(),
        };
        let prepared = Prepared { batch: batch.clone(), unroll: vec![vec![(0.1, 0.2)]], origins: Vec::new() };
        let normalizers = (target.repeated(3), target);
        let moved = unroll(prepared, operator.as_ref(), &normalizers).unwrap();
        let next = operator.forward(&[context], &[(0.1, 0.2)], &batch.queries).unwrap();
        let next: Vec<f64> = next.into_data().iter::<f64>().collect();
        let expected: Vec<f64> = values[16..].iter().copied().chain(next).collect();
        assert_eq!(moved.contexts[0].n_channels, 6);
        assert!(moved.contexts[0].values.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}
