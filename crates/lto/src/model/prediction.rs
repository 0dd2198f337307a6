//! Predictions in physical units: of several contexts at once, straight where the operator can, else step by step.

use super::Model;
use crate::error::{Error, Result};
use crate::operator::{Reach, check_inputs};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::sync::Arc;

/// More query points than these, over all contexts of a batch, are predicted piece by piece, so that memory does not
/// grow with them.
const PIECE: usize = 1 << 16;

/// Times that agree to this share of themselves are the same.
const SAME_TIME: f64 = 1e-6;

/// More native steps than these are refused: errors have long taken over, and a slip in a time would compute for days.
const MOST_STEPS: usize = 100_000;

/// What a model says of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Target times.
    pub times: Vec<f64>,
    /// Values `[time, channel, point]` in physical units.
    pub values: Vec<f64>,
    /// Times asked for that lie outside the trained range, s included: none unless the model is
    /// [extrapolating](Model::extrapolating).
    pub outside_range: Vec<f64>,
}

/// Observations, and the times at which the state is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    /// What is observed.
    pub context: &'a Context,
    /// When.
    pub s: f64,
    /// Target times; a steady problem ignores them, and has one.
    pub times: &'a [f64],
}

impl Model {
    /// Predicts from observations at time `s` each of the target times: straight, or over as many native steps as it
    /// takes where the operator goes one step at a time ([`Reach::Step`]); what is predicted at the query points is then
    /// the context of the next step. A steady problem ignores the times and gives one.
    ///
    /// # Errors
    /// A context or query the model cannot take, a time that is not finite or outside the trained range (unless the model is
    /// [extrapolating](Model::extrapolating)), or one that native steps do not lead to.
    pub fn predict(
        &self,
        context: &Context,
        s: f64,
        times: &[f64],
        query: &Arc<Points>,
    ) -> Result<Prediction> {
        let predicted = self.predict_batch(&[Forecast { context, s, times }], query)?;
        predicted.into_iter().next().ok_or(Error::Numerics(lto_numerics::Error::NoPoints))
    }

    /// As [`Model::predict`], for several contexts at once: the same values, sooner.
    ///
    /// # Errors
    /// As [`Model::predict`], for any of them.
    pub fn predict_batch(&self, wanted: &[Forecast], query: &Arc<Points>) -> Result<Vec<Prediction>> {
        let timed = self.card.problem.times.is_some();
        let times: Vec<Vec<f64>> =
            wanted.iter().map(|w| if timed { w.times.to_vec() } else { vec![w.s] }).collect();
        let starts: Vec<f64> = wanted.iter().map(|w| w.s).collect();
        let contexts: Vec<Context> = wanted.iter().map(|w| w.context.clone()).collect();
        let size = self.check(&contexts, starts.iter().chain(times.iter().flatten()), query)?;
        let mut all: Vec<Vec<f64>> = Vec::with_capacity(wanted.len());
        if timed && self.operator.reach() == Reach::Step {
            let steps = wanted.iter().map(|w| self.steps(w)).collect::<Result<Vec<_>>>()?;
            let most = steps.iter().flatten().copied().max().unwrap_or(0);
            all.extend(times.iter().map(|t| vec![0.0; t.len() * size]));
            self.roll(contexts, &starts, most, query, |step, values| {
                for ((all, steps), values) in all.iter_mut().zip(&steps).zip(values.chunks_exact(size)) {
                    let wanted = all.chunks_exact_mut(size).zip(steps).filter(|(_, k)| **k == step);
                    wanted.for_each(|(slot, _)| slot.copy_from_slice(values));
                }
            })?;
        } else {
            all.extend(times.iter().map(|t| Vec::with_capacity(t.len() * size)));
            // All first times, then all second ones.
            for j in 0..times.iter().map(Vec::len).max().unwrap_or(0) {
                let with: Vec<usize> = (0..wanted.len()).filter(|&i| j < times[i].len()).collect();
                let pairs: Vec<(f64, f64)> = with.iter().map(|&i| (starts[i], times[i][j])).collect();
                let values = if with.len() == contexts.len() {
                    self.apply(&contexts, &pairs, query)?
                } else {
                    let some: Vec<Context> = with.iter().map(|&i| contexts[i].clone()).collect();
                    self.apply(&some, &pairs, query)?
                };
                with.iter().zip(values.chunks_exact(size)).for_each(|(&i, v)| all[i].extend_from_slice(v));
            }
        }
        Ok(self.predictions(&starts, times, all))
    }

    /// Predicts `n_steps` native steps one after the other from observations at time `s`, what is predicted at the query
    /// points being the context of the next step, and gives the values at all of these times. Once values are not
    /// finite, all later ones are NaN.
    ///
    /// Where the source of the model has several frames as channels, oldest first, a prediction takes the place of the
    /// newest and the oldest is dropped.
    ///
    /// # Errors
    /// A context or query the model cannot take, a steady problem, times outside the trained range as for
    /// [`Model::predict`], or a model of several frames whose query points are not those of the context.
    pub fn rollout(
        &self,
        context: &Context,
        s: f64,
        n_steps: usize,
        query: &Arc<Points>,
    ) -> Result<Prediction> {
        let rolled = self.rollout_batch(std::slice::from_ref(context), &[s], n_steps, query)?;
        rolled.into_iter().next().ok_or(Error::Numerics(lto_numerics::Error::NoPoints))
    }

    /// As [`Model::rollout`], for several contexts with a time each.
    ///
    /// # Errors
    /// As [`Model::rollout`], for any of them.
    pub fn rollout_batch(
        &self,
        contexts: &[Context],
        starts: &[f64],
        n_steps: usize,
        query: &Arc<Points>,
    ) -> Result<Vec<Prediction>> {
        let interval = self.interval()?;
        let ends: Vec<f64> = starts.iter().map(|s| s + n_steps as f64 * interval).collect();
        let size = self.check(contexts, starts.iter().chain(&ends), query)?;
        let mut all = vec![Vec::new(); contexts.len()];
        self.roll(contexts.to_vec(), starts, n_steps, query, |_, values| {
            all.iter_mut().zip(values.chunks_exact(size)).for_each(|(all, v)| all.extend_from_slice(v));
        })?;
        let times = starts.iter().map(|s| (1..=n_steps).map(|k| s + k as f64 * interval).collect());
        Ok(self.predictions(starts, times.collect(), all))
    }

    fn predictions(&self, starts: &[f64], times: Vec<Vec<f64>>, values: Vec<Vec<f64>>) -> Vec<Prediction> {
        let together = starts.iter().zip(times).zip(values);
        together
            .map(|((&s, times), values)| {
                let outside_range = self.card.problem.outside_range(times.iter().copied().chain([s]));
                Prediction { times, values, outside_range }
            })
            .collect()
    }

    /// Values of one prediction, q × M; refuses what does not fit.
    fn check<'a>(
        &self,
        contexts: &[Context],
        times: impl Iterator<Item = &'a f64>,
        query: &Arc<Points>,
    ) -> Result<usize> {
        let times: Vec<f64> = times.copied().collect();
        if let Some(bad) = times.iter().find(|t| !t.is_finite()) {
            let (key, requirement) = ("time".into(), "times must be finite numbers".into());
            return Err(Error::Config { key, value: bad.to_string(), requirement });
        }
        self.check_times(times)?;
        let problem = &self.card.problem;
        check_inputs(problem, contexts, &vec![(0.0, 0.0); contexts.len()], std::slice::from_ref(query))?;
        Ok(problem.target_channels * query.len())
    }

    /// One application of the operator.
    ///
    /// # Shapes
    /// b contexts in physical units, b pairs `(s, t)`, M points → `[b, q, M]` in physical units.
    fn apply(&self, contexts: &[Context], times: &[(f64, f64)], query: &Arc<Points>) -> Result<Vec<f64>> {
        let mut contexts = contexts.to_vec();
        for context in &mut contexts {
            self.card.source_normalizer.normalize(&mut context.values, context.points.len())?;
        }
        let (b, n) = (contexts.len(), query.len());
        let pieces: Vec<[Arc<Points>; 1]> = if b * n <= PIECE || !self.operator.cuts_queries() {
            vec![[query.clone()]]
        } else {
            query.pieces(PIECE.div_ceil(b)).into_iter().map(|p| [Arc::new(p)]).collect()
        };
        let mut values = vec![0.0; b * self.card.problem.target_channels * n];
        let mut first = 0;
        for piece in &pieces {
            let m = piece[0].len();
            let predicted = self.operator.forward(&contexts, times, piece)?;
            let predicted: Vec<f64> = predicted.into_data().iter::<f64>().collect();
            for (field, part) in values.chunks_exact_mut(n).zip(predicted.chunks_exact(m)) {
                field[first..first + m].copy_from_slice(part);
            }
            first += m;
        }
        self.card.target_normalizer.denormalize(&mut values, n)?;
        Ok(values)
    }

    /// `n_steps` native steps; `keep` is shown the number of each, from 1, and its values `[b, q, M]`.
    fn roll(
        &self,
        mut contexts: Vec<Context>,
        starts: &[f64],
        n_steps: usize,
        query: &Arc<Points>,
        mut keep: impl FnMut(usize, &[f64]),
    ) -> Result<()> {
        let interval = self.interval()?;
        if n_steps > MOST_STEPS {
            return Err(self.unsupported(format!(
                "it goes one native interval of {interval} at a time, and {n_steps} steps are more than the {MOST_STEPS} that \
                 are taken; ask for an earlier time"
            )));
        }
        let mut finite = vec![true; contexts.len()];
        for step in 0..n_steps {
            let time = |s: f64, k: usize| s + k as f64 * interval;
            let times: Vec<(f64, f64)> = starts.iter().map(|&s| (time(s, step), time(s, step + 1))).collect();
            let mut values = self.apply(&contexts, &times, query)?;
            let each = values.len() / contexts.len().max(1);
            for ((values, context), finite) in
                values.chunks_exact_mut(each.max(1)).zip(&mut contexts).zip(&mut finite)
            {
                *finite &= values.iter().all(|v| v.is_finite());
                if !*finite {
                    values.fill(f64::NAN);
                } else if step + 1 < n_steps {
                    self.feed_back(context, values, query)?;
                }
            }
            keep(step + 1, &values);
        }
        Ok(())
    }

    /// Makes a prediction at the query points the newest frame of a context.
    fn feed_back(&self, context: &mut Context, values: &[f64], query: &Arc<Points>) -> Result<()> {
        let (p, q) = (self.card.problem.source_channels, self.card.problem.target_channels);
        let kept = if p == q {
            Vec::new()
        } else if p.is_multiple_of(q) && context.points == **query {
            context.values.split_off(values.len())
        } else {
            let reason = format!(
                "a rollout feeds {q} channels back into a source of {p}: earlier frames are known at the points of the context \
                 only, so the query must be those"
            );
            return Err(self.unsupported(reason));
        };
        let values = [&kept, values].concat();
        *context = Context { points: query.as_ref().clone(), n_channels: p, values };
        Ok(())
    }

    /// Native steps to each of the times.
    fn steps(&self, wanted: &Forecast) -> Result<Vec<usize>> {
        let interval = self.interval()?;
        let steps = |&t: &f64| {
            let steps = ((t - wanted.s) / interval).round();
            let off = (wanted.s + steps * interval - t).abs();
            if steps >= 1.0 && off <= SAME_TIME * t.abs().max(wanted.s.abs()).max(interval) {
                return Ok(steps as usize);
            }
            let (s, ahead) = (wanted.s, t - wanted.s);
            Err(self.unsupported(format!(
                "it goes one native interval of {interval} at a time, and t − s = {ahead} (s = {s}, t = {t}) is no whole \
                 number of them"
            )))
        };
        wanted.times.iter().map(steps).collect()
    }

    fn interval(&self) -> Result<f64> {
        let interval = self.card.native_interval.filter(|dt| *dt > 0.0 && self.card.problem.times.is_some());
        interval.ok_or_else(|| {
            self.unsupported(
                "there are no steps in time: the problem is steady, or its step is unknown".into(),
            )
        })
    }

    fn unsupported(&self, reason: String) -> Error {
        Error::Unsupported { model: self.card.model.name(), reason }
    }
}
