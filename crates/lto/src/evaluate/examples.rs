//! Predictions of a batch of examples, and their scores.

use super::scores::Scores;
use crate::error::Result;
use crate::model::{Forecast, Model, PIECE};
use lto_numerics::dataset::Context;
use lto_numerics::{Field, Points};
use std::sync::Arc;
use std::time::Instant;

/// The most examples in a batch.
const MOST: usize = 16;

/// How later times are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Each target time from the source.
    Direct,
    /// Native steps, each from the previous; the targets follow after 1, 2, … steps.
    Rollout,
}

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

/// Predicts all examples, in batches, on one grid of query points. Returns the wall time of the predictions alone.
///
/// # Errors
/// Anything the model cannot take.
pub fn predict_all(
    model: &Model,
    examples: &[Example],
    query: &Arc<Points>,
    way: Way,
    judged: &mut Judged,
) -> Result<f64> {
    let size = (PIECE / query.len().max(1)).clamp(1, MOST);
    let mut seconds = 0.0;
    for (number, batch) in examples.chunks(size).enumerate() {
        let clock = Instant::now();
        let predictions = match way {
            Way::Direct => {
                let times: Vec<Vec<f64>> =
                    batch.iter().map(|e| e.targets.iter().map(|(t, _)| *t).collect()).collect();
                let forecasts = batch.iter().zip(&times);
                let forecasts: Vec<Forecast> =
                    forecasts.map(|(e, times)| Forecast { context: &e.context, s: e.s, times }).collect();
                model.predict_batch(&forecasts, query)?
            }
            Way::Rollout => {
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
