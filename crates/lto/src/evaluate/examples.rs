//! Predictions of a batch of examples, and their scores.

use super::scores::Scores;
use crate::error::Result;
use crate::model::{Forecast, Model, PIECE, Way};
use lto_numerics::dataset::Context;
use lto_numerics::{Field, Points};
use std::sync::Arc;
use std::time::Instant;

/// The most examples in a batch.
const MOST: usize = 16;

/// Observations, and the truth at the query points later.
pub struct Example {
    /// The sample it belongs to.
    pub sample: usize,
    /// The observations.
    pub context: Context,
    /// Their time.
    pub s: f64,
    /// Target times with their states.
    pub targets: Vec<(f64, Field)>,
}

/// Gets the numbers of an example and its target, the prediction and its scores.
pub type Judged<'a> = dyn FnMut(usize, usize, &[f64], Scores) + 'a;

/// Predicts all examples, in batches, on one grid of query points: each target as the model does, or by a given way; a
/// rollout takes native steps, which the targets follow one by one. Returns the wall time of the predictions alone.
///
/// # Errors
/// Anything the model cannot take.
pub fn predict_all(
    model: &Model,
    examples: &[Example],
    query: &Arc<Points>,
    way: Option<Way>,
    judged: &mut Judged,
) -> Result<f64> {
    let size = (PIECE / query.len().max(1)).clamp(1, MOST);
    let mut seconds = 0.0;
    for (number, batch) in examples.chunks(size).enumerate() {
        let clock = Instant::now();
        let times: Vec<Vec<f64>> =
            batch.iter().map(|e| e.targets.iter().map(|(t, _)| *t).collect()).collect();
        let forecasts = batch.iter().zip(&times);
        let forecasts: Vec<Forecast> =
            forecasts.map(|(e, times)| Forecast { context: &e.context, s: e.s, times }).collect();
        let predictions = match way {
            None => model.predict_batch(&forecasts, query)?,
            Some(way @ (Way::Direct | Way::Chain)) => {
                let each = forecasts.iter().map(|forecast| model.predict_by(way, forecast, query));
                each.collect::<Result<_>>()?
            }
            Some(Way::Rollout) => {
                let contexts: Vec<Context> = batch.iter().map(|e| e.context.clone()).collect();
                let starts: Vec<f64> = batch.iter().map(|e| e.s).collect();
                let steps = batch.iter().map(|e| e.targets.len()).max().unwrap_or(0);
                model.rollout_batch(&contexts, &starts, steps, query)?
            }
        };
        seconds += clock.elapsed().as_secs_f64();
        for (i, (example, prediction)) in batch.iter().zip(&predictions).enumerate() {
            let each = example.targets.first().map_or(1, |(_, truth)| truth.values().len()).max(1);
            for (j, (values, (_, truth))) in
                prediction.values.chunks_exact(each).zip(&example.targets).enumerate()
            {
                judged(number * size + i, j, values, Scores::of(values, truth)?);
            }
        }
    }
    Ok(seconds)
}
