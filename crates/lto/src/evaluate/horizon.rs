//! Errors over many native steps, by every way: each prediction fed back, directly, or without decoding between.

use super::evaluation::{HorizonResult, HorizonStep};
use super::examples::{Example, predict_all};
use super::gallery::{About, Gallery, fields};
use super::level::Level;
use super::outcome::{Outcome, Tally};
use super::protocol::Runner;
use super::scores::Scores;
use crate::data::State;
use crate::data::context::ContextChoice;
use crate::error::{Error, Result};
use crate::model::Way;
use crate::operator::Reach;
use lto_numerics::Points;
use lto_numerics::pde::sample_rng;
use std::sync::Arc;

/// Relative tolerance between the native intervals of model and frames.
const SAME_INTERVAL: f64 = 1e-3;

/// The long forecast of a protocol, from the full native grid; `None` if there is none.
///
/// # Errors
/// As for the whole evaluation.
pub(super) fn horizon(
    runner: &mut Runner,
    native: &Level,
    gallery: &mut Gallery,
) -> Result<Option<HorizonResult>> {
    let Some((start, n_steps)) = runner.protocol.horizon else { return Ok(None) };
    let times = &runner.levels.data().layout().times;
    let lead_times: Vec<f64> = (1..=n_steps).map(|k| times[start + k] - times[start]).collect();
    let rollout = forecast(runner, native, (start, n_steps), Way::Rollout, gallery)?;
    let direct = forecast(runner, native, (start, n_steps), Way::Direct, gallery)?;
    let chain = forecast(runner, native, (start, n_steps), Way::Chain, gallery)?;
    let each = rollout.0.into_iter().zip(direct.0).zip(chain.0).zip(lead_times).enumerate();
    let steps = each.map(|(i, (((rollout, direct), chain), lead_time))| HorizonStep {
        k: i + 1,
        lead_time,
        rollout,
        direct,
        chain: Some(chain),
    });
    Ok(Some(HorizonResult {
        start,
        steps: steps.collect(),
        rollout_average: rollout.1,
        direct_average: direct.1,
        chain_average: Some(chain.1),
    }))
}

/// Outcomes after each step, and over all.
fn forecast(
    runner: &mut Runner,
    native: &Level,
    (start, n_steps): (usize, usize),
    way: Way,
    gallery: &mut Gallery,
) -> Result<(Vec<Outcome>, Outcome)> {
    let query = Arc::new(Points::grid(native.grid.as_ref().clone()));
    let about = About {
        channels: &runner.model.card().channel_names,
        steps: n_steps,
        rollout: way == Way::Rollout,
        worst: false,
    };
    let pieces = runner.chunks(|runner, number, chunk| {
        possible(runner, way, (start, n_steps))?;
        let examples = chunk.iter().map(|&sample| example(runner, native, sample, start, n_steps));
        let examples = examples.collect::<Result<Vec<_>>>()?;
        let (mut tallies, mut shown) = (vec![Tally::default(); n_steps], Vec::new());
        let mut judged = |i: usize, j: usize, values: &[f64], scores: Scores| {
            tallies[j].add(examples[i].sample, scores);
            if way != Way::Chain && (number, i, j + 1) == (0, 0, n_steps) {
                shown = fields(&examples[i], j, values, &about);
            }
        };
        let seconds = predict_all(runner.model, &examples, &query, Some(way), &mut judged)?;
        tallies.iter_mut().for_each(|tally| tally.seconds = seconds / n_steps as f64);
        Ok((tallies, shown))
    });
    let mut tallies = vec![Tally::default(); n_steps];
    match pieces {
        Ok(pieces) => {
            for (each, shown) in pieces {
                tallies.iter_mut().zip(each).for_each(|(tally, piece)| tally.merge(piece));
                gallery.examples.extend(shown);
            }
        }
        Err(refused @ Error::Unsupported { .. }) => {
            let outcome = Outcome::of(Err(refused))?;
            return Ok((vec![outcome.clone(); n_steps], outcome));
        }
        Err(other) => return Err(other),
    }
    let outcomes = tallies.iter().map(|tally| Outcome::of(tally.measures())).collect::<Result<_>>()?;
    let mut all = Tally::default();
    tallies.into_iter().for_each(|tally| all.merge(tally));
    Ok((outcomes, Outcome::of(all.measures())?))
}

/// Refuses what models of this kind cannot do: frames that are too early, direct predictions of a model that
/// steps, and steps that do not lead to the frames.
fn possible(runner: &Runner, way: Way, (start, n_steps): (usize, usize)) -> Result<()> {
    let card = runner.model.card();
    let refuse = |reason: String| Err(Error::Unsupported { model: card.model.name(), reason });
    runner.check_starts(&[start])?;
    if way != Way::Rollout {
        return match runner.model.operator().reach() {
            Reach::Direct => Ok(()),
            Reach::Step => refuse("it goes one native step at a time; see the rollout".into()),
        };
    }
    let Some(interval) = card.native_interval else { return Ok(()) };
    let times = &runner.levels.data().layout().times;
    // The error of a step adds up.
    let missed = |k: &usize| {
        let (ahead, steps) = (times[start + k] - times[start], *k as f64);
        (ahead - steps * interval).abs() > SAME_INTERVAL * steps * interval
    };
    match (1..=n_steps).find(missed) {
        Some(k) => {
            let (frame, ahead) = (start + k, times[start + k] - times[start]);
            let steps = if k == 1 { "one step".into() } else { format!("{k} steps") };
            refuse(format!(
                "{steps} of {interval} do not lead to frame {frame}, which is {ahead} after frame {start}"
            ))
        }
        None => Ok(()),
    }
}

fn example(runner: &Runner, native: &Level, sample: usize, start: usize, n_steps: usize) -> Result<Example> {
    let times = &runner.levels.data().layout().times;
    let source = runner.sources(native, &[(sample, start)])?.remove(0);
    let mut rng = sample_rng(runner.config.seed, sample as u64);
    let context = ContextChoice::FULL.observe(&source, None, &mut rng)?;
    let wanted: Vec<(usize, State)> = (1..=n_steps).map(|k| (sample, State::Frame(start + k))).collect();
    let fields = runner.truths(native, &wanted)?;
    let targets = fields.into_iter().enumerate().map(|(i, field)| (times[start + 1 + i], field)).collect();
    Ok(Example { sample, context, s: times[start], targets })
}
