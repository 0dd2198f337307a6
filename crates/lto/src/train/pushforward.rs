//! Pushforward: contexts predicted by the model itself.

use crate::data::batches::Prepared;
use crate::error::Result;
use crate::model::Model;
use crate::operator::Batch;

/// The batch with its contexts replaced by the model's predictions (without gradients) at the query points
/// over the native steps of `unroll`. A state with a history drops its oldest frame.
///
/// # Errors
/// A context that the model cannot take, or with a history at other points than the query's.
pub fn unroll(prepared: Prepared, model: &Model) -> Result<Batch> {
    let mut batch = prepared.batch;
    for times in &prepared.unroll {
        let values = model.apply(&batch.contexts, times, &batch.queries)?;
        let each = values.chunks_exact((values.len() / batch.len()).max(1));
        for ((context, values), query) in
            batch.contexts.iter_mut().zip(each).zip(batch.queries.iter().cycle())
        {
            model.feed_back(context, values, query)?;
        }
    }
    Ok(batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelCard, ModelConfig};
    use crate::problem::Problem;
    use lto_numerics::dataset::{Context, NormalizerFit};
    use lto_numerics::{Domain, Grid, Placement, Points};
    use std::sync::Arc;

    /// Three frames of two channels: the oldest is dropped, the prediction comes last.
    #[test]
    fn a_history_moves_on_by_one_frame() {
        let domain = Domain::unit(1, true).unwrap();
        let problem = Problem {
            domain: domain.clone(),
            source_channels: 6,
            target_channels: 2,
            native: vec![8],
            times: Some([0.0, 1.0]),
            changes: Vec::new(),
            measured: Default::default(),
        };
        let config: ModelConfig = toml::from_str("kind = 'fno'\nwidth = 3\nmodes = 3").unwrap();
        let mut fit = NormalizerFit::new(2);
        fit.add(&[1.0, 3.0, -2.0, 6.0], 2).unwrap();
        let target = fit.finish().unwrap();
        let card = ModelCard {
            source_normalizer: target.repeated(3),
            target_normalizer: target,
            channel_names: vec!["u".into(), "v".into()],
            native_interval: Some(0.1),
            ..ModelCard::untrained(problem, config)
        };
        let model = Model::new(card, 1).unwrap();
        let points = Points::grid(Grid::cubic(domain, 8, Placement::Left).unwrap());
        let values: Vec<f64> = (0..48).map(|i| (0.7 * f64::from(i)).sin()).collect();
        let context =
            Context { points: points.clone(), n_channels: 6, values: values.clone(), deviations: None };
        let query = Arc::new(points);
        let batch = Batch {
            contexts: vec![context.clone()],
            times: vec![(0.2, 0.3)],
            queries: vec![query.clone()],
            source: Vec::new(),
            target: Vec::new(),
            target_contexts: Vec::new(),
        };
        let prepared = Prepared { batch, unroll: vec![vec![(0.1, 0.2)]], origins: Vec::new() };
        let moved = unroll(prepared, &model).unwrap();
        let next = model.predict(&context, 0.1, &[0.2], &query).unwrap().values;
        assert_eq!(moved.contexts[0].n_channels, 6);
        assert_eq!(moved.contexts[0].values, [&values[16..], &next].concat());
    }
}
