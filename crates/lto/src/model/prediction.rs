//! Predictions in physical units: encoded once, then at any times and points; directly if the operator can,
//! else step by step.

use super::Model;
use super::rolling::Rolling;
use super::way::Way;
use crate::error::{Error, Result};
use crate::operator::{Latents, Reach};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::sync::Arc;

/// Relative tolerance within which two times are the same.
pub(super) const SAME_TIME: f64 = 1e-6;

/// More native steps are refused: errors have long taken over, and a typo in a time would compute for days.
const MOST_STEPS: usize = 100_000;

/// A predicted field.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Target times.
    pub times: Vec<f64>,
    /// Values `[time, channel, point]` in physical units.
    pub values: Vec<f64>,
    /// How each time was reached.
    pub ways: Vec<Way>,
    /// Times asked for that lie outside the trained range, s included: none unless the model is
    /// [extrapolating](Model::extrapolating).
    pub outside_range: Vec<f64>,
}

/// Observations, and the times at which the state is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    /// The observations.
    pub context: &'a Context,
    /// Their time.
    pub s: f64,
    /// Target times; a steady problem ignores them and has one.
    pub times: &'a [f64],
}

/// Observations encoded by a model: the latent state at time s, reused for all target times and queries.
/// A model without a latent state keeps the observations and computes when decoding. Clones share everything;
/// threads may share it.
#[derive(Clone)]
pub struct Encoded {
    pub(super) model: Model,
    pub(super) source: Arc<Source>,
}

/// Several source states, observed and encoded.
pub(super) struct Source {
    pub(super) contexts: Vec<Context>,
    pub(super) starts: Vec<f64>,
    pub(super) latents: Latents,
}

/// The latent state at a time t, to be decoded at any points.
#[derive(Clone)]
pub struct Evolved {
    pub(super) encoded: Encoded,
    t: f64,
    way: Way,
    /// `None` if the operator goes one step at a time: the steps are taken on the query points.
    pub(super) latents: Option<Latents>,
}

impl Encoded {
    /// The model that encoded it, as it was then.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The time of the observations.
    pub fn time(&self) -> f64 {
        self.source.starts[0]
    }

    /// The state at several times, as [`Model::predict`] gives it, without encoding again.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn forecast(&self, times: &[f64], query: &Arc<Points>) -> Result<Prediction> {
        let timed = self.model.card.problem.times.is_some();
        only(self.predict(vec![if timed { times.to_vec() } else { vec![self.time()] }], query)?)
    }

    /// The state at time `t`, by the [best known way](Model::way_to); a steady problem ignores the time.
    /// A model that goes one native step at a time ([`Reach::Step`]) takes its steps when decoding, since
    /// each prediction at the query points is the context of the next step.
    ///
    /// # Errors
    /// A time that is not finite, before that of the observations, or not reached by native steps.
    pub fn at(&self, t: f64) -> Result<Evolved> {
        self.at_by(t, self.model.way_to(t - self.source.starts[0]))
    }

    /// The states at several times, each as [`Encoded::at`] gives it; steps that lead to several of them are taken once.
    ///
    /// # Errors
    /// As [`Encoded::at`].
    pub fn at_all(&self, times: &[f64]) -> Result<Vec<Evolved>> {
        if self.model.interval_of_steps()?.is_some() {
            return times.iter().map(|&t| self.at(t)).collect();
        }
        self.model.check_times(times)?;
        let s = self.source.starts[0];
        self.model.check_forward(s, times)?;
        let evolved =
            |&t: &f64| Evolved { encoded: self.clone(), t, way: self.model.way_to(t - s), latents: None };
        let mut all: Vec<Evolved> = times.iter().map(evolved).collect();
        self.visit(
            times,
            |_| None,
            |j, latents| {
                all[j].latents = Some(latents.clone());
                Ok(())
            },
        )?;
        Ok(all)
    }

    /// As [`Encoded::at`], by a given way.
    ///
    /// # Errors
    /// As [`Encoded::at`].
    pub fn at_by(&self, t: f64, way: Way) -> Result<Evolved> {
        self.model.check_times(&[t])?;
        let s = self.source.starts[0];
        self.model.check_forward(s, &[t])?;
        let latents = match self.model.interval_of_steps()? {
            Some(interval) => self.model.steps(s, t, interval).map(|_| None)?,
            None => Some(Rolling::new(self).to(t, way)?),
        };
        Ok(Evolved { encoded: self.clone(), t, way, latents })
    }

    /// The first source alone, at increasing or other times, by the best known or a given way.
    fn predict_one(&self, times: &[f64], way: Option<Way>, query: &Arc<Points>) -> Result<Vec<f64>> {
        let size = self.model.card.problem.target_channels * query.len();
        let mut all = vec![0.0; times.len() * size];
        self.visit(
            times,
            |_| way,
            |j, evolved| {
                let values = self.model.values(evolved, std::slice::from_ref(query))?;
                all[j * size..(j + 1) * size].copy_from_slice(&values);
                Ok(())
            },
        )?;
        Ok(all)
    }

    /// Shows the latent states of the first source at times, each with its number, the earliest first, by the best known
    /// or given ways.
    pub(super) fn visit(
        &self,
        times: &[f64],
        way: impl Fn(usize) -> Option<Way>,
        mut show: impl FnMut(usize, &Latents) -> Result<()>,
    ) -> Result<()> {
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
        let mut rolling = Rolling::new(self);
        for j in order {
            let way = way(j).unwrap_or_else(|| self.model.way_to(times[j] - self.source.starts[0]));
            show(j, &rolling.to(times[j], way)?)?;
        }
        Ok(())
    }

    /// Predictions of every source at its own times.
    fn predict(&self, times: Vec<Vec<f64>>, query: &Arc<Points>) -> Result<Vec<Prediction>> {
        let (model, Source { starts, latents, .. }) = (&self.model, self.source.as_ref());
        model.check_times(&times.concat())?;
        starts.iter().zip(&times).try_for_each(|(&s, times)| model.check_forward(s, times))?;
        let size = model.card.problem.target_channels * query.len();
        let mut all: Vec<Vec<f64>> = times.iter().map(|t| vec![0.0; t.len() * size]).collect();
        if let Some(interval) = model.interval_of_steps()? {
            let steps = starts.iter().zip(&times).map(|(&s, times)| {
                times.iter().map(|&t| model.steps(s, t, interval)).collect::<Result<Vec<_>>>()
            });
            let steps = steps.collect::<Result<Vec<_>>>()?;
            let most = steps.iter().flatten().copied().max().unwrap_or(0);
            self.roll(most, query, |step, values| {
                for ((all, steps), values) in all.iter_mut().zip(&steps).zip(values.chunks_exact(size)) {
                    let wanted = all.chunks_exact_mut(size).zip(steps).filter(|(_, k)| **k == step);
                    wanted.for_each(|(slot, _)| slot.copy_from_slice(values));
                }
            })?;
        } else if starts
            .iter()
            .zip(&times)
            .any(|(s, times)| times.iter().any(|t| model.way_to(t - s) != Way::Direct))
        {
            for (i, (all, times)) in all.iter_mut().zip(&times).enumerate() {
                *all = self.alone(i)?.predict_one(times, None, query)?;
            }
        } else {
            // All first times, then all second ones; a source without further times stays at its last.
            for j in 0..times.iter().map(Vec::len).max().unwrap_or(0) {
                let each = starts.iter().zip(&times);
                let pairs: Vec<(f64, f64)> =
                    each.map(|(&s, times)| (s, times.get(j).copied().unwrap_or(s))).collect();
                let evolved = model.operator.evolve(latents, &pairs)?;
                let values = model.values(&evolved, std::slice::from_ref(query))?;
                for (all, values) in all.iter_mut().zip(values.chunks_exact(size)) {
                    all.chunks_exact_mut(size).skip(j).take(1).for_each(|slot| slot.copy_from_slice(values));
                }
            }
        }
        Ok(self.predictions(times, all, None))
    }

    /// One of the sources.
    fn alone(&self, i: usize) -> Result<Encoded> {
        let Source { contexts, starts, .. } = self.source.as_ref();
        match contexts.len() {
            1 => Ok(self.clone()),
            _ => self.model.encode(&contexts[i], starts[i]),
        }
    }

    /// `n_steps` native steps; `keep` is shown the number of each, from 1, and its values `[b, q, M]`. Once values are not
    /// finite, all later ones are NaN.
    fn roll(&self, n_steps: usize, query: &Arc<Points>, mut keep: impl FnMut(usize, &[f64])) -> Result<()> {
        let (model, source) = (&self.model, self.source.as_ref());
        let interval = model.interval()?;
        if n_steps > MOST_STEPS {
            return Err(model.unsupported(format!(
                "it goes one native interval of {interval} at a time, and {n_steps} steps exceed the limit \
                 of {MOST_STEPS}; ask for an earlier time"
            )));
        }
        let (mut contexts, mut latents) = (source.contexts.clone(), source.latents.clone());
        let mut finite = vec![true; contexts.len()];
        for step in 0..n_steps {
            let time = |s: f64, k: usize| s + k as f64 * interval;
            let times: Vec<(f64, f64)> =
                source.starts.iter().map(|&s| (time(s, step), time(s, step + 1))).collect();
            if step > 0 {
                latents = model.latents(&contexts, times.iter().map(|&(s, _)| s))?;
            }
            let evolved = model.operator.evolve(&latents, &times)?;
            let mut values = model.values(&evolved, std::slice::from_ref(query))?;
            let each = values.len() / contexts.len().max(1);
            for ((values, context), finite) in
                values.chunks_exact_mut(each.max(1)).zip(&mut contexts).zip(&mut finite)
            {
                *finite &= values.iter().all(|v| v.is_finite());
                if !*finite {
                    values.fill(f64::NAN);
                } else if step + 1 < n_steps {
                    model.feed_back(context, values, query)?;
                }
            }
            keep(step + 1, &values);
        }
        Ok(())
    }

    /// Predictions by the best known or a given way.
    pub(super) fn predictions(
        &self,
        times: Vec<Vec<f64>>,
        values: Vec<Vec<f64>>,
        way: Option<Way>,
    ) -> Vec<Prediction> {
        let together = self.source.starts.iter().zip(times).zip(values);
        together
            .map(|((&s, times), values)| {
                let asked = times.iter().copied().chain([s]);
                let outside_range = self.model.card.problem.outside_range(asked);
                let ways = times.iter().map(|t| way.unwrap_or_else(|| self.model.way_to(t - s))).collect();
                Prediction { times, values, ways, outside_range }
            })
            .collect()
    }
}

impl Evolved {
    /// The time t.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The state at query points, `[channel, point]` in the order of the points, in physical units. Nothing
    /// is encoded or evolved again, except by a model that goes one native step at a time.
    ///
    /// # Errors
    /// A query on another domain; [`Error::Unsupported`] for queries that models of this kind never take.
    pub fn decode(&self, query: &Points) -> Result<Prediction> {
        let query = Arc::new(query.clone());
        let predictions = match &self.latents {
            None => self.encoded.predict(vec![vec![self.t]], &query)?,
            Some(latents) => {
                let values = self.encoded.model.values(latents, std::slice::from_ref(&query))?;
                self.encoded.predictions(vec![vec![self.t]], vec![values], Some(self.way))
            }
        };
        only(predictions)
    }
}

impl Model {
    /// Encodes observations at time `s`; a steady problem ignores the time. The result serves any number of
    /// target times and queries, from any number of threads.
    ///
    /// # Errors
    /// Observations that the model cannot take, or a time that is not finite.
    pub fn encode(&self, observations: &Context, s: f64) -> Result<Encoded> {
        self.encode_batch(vec![observations.clone()], vec![s])
    }

    fn encode_batch(&self, contexts: Vec<Context>, starts: Vec<f64>) -> Result<Encoded> {
        self.check_times(&starts)?;
        let latents = self.latents(&contexts, starts.iter().copied())?;
        Ok(Encoded { model: self.clone(), source: Arc::new(Source { contexts, starts, latents }) })
    }

    /// Refuses times that are not finite, and times outside training unless the model is
    /// [extrapolating](Model::extrapolating).
    ///
    /// # Errors
    /// A time that is not finite; [`Error::TimeOutsideRange`].
    pub fn check_times(&self, times: &[f64]) -> Result<()> {
        if let Some(bad) = times.iter().find(|t| !t.is_finite()) {
            let (key, requirement) = ("time".into(), "times must be finite numbers".into());
            return Err(Error::Config { key, value: bad.to_string(), requirement });
        }
        let problem = &self.card.problem;
        match (problem.outside_range(times.iter().copied()).first(), problem.times) {
            (Some(&time), Some(range)) if !self.extrapolates => Err(Error::TimeOutsideRange { time, range }),
            _ => Ok(()),
        }
    }

    /// Refuses times before that of the observations, since models learn to go forward only, and leads beyond those of a
    /// calendar's training unless the model is [extrapolating](Model::extrapolating).
    pub(super) fn check_forward(&self, s: f64, times: &[f64]) -> Result<()> {
        if let (Some(last), false) = (self.card.problem.furthest(s), self.extrapolates)
            && let Some(&time) = times.iter().find(|&&t| t > last)
        {
            return Err(Error::TimeOutsideRange { time, range: [s, last] });
        }
        let steady = self.card.problem.times.is_none();
        match times.iter().find(|&&t| t < s - SAME_TIME * s.abs()) {
            Some(t) if !steady => Err(self.unsupported(format!(
                "t = {t} is before the observations at s = {s}, and models predict only forward in time"
            ))),
            _ => Ok(()),
        }
    }

    /// Predicts each of the target times from observations at time `s`: directly, or by native steps if the
    /// operator goes one step at a time ([`Reach::Step`]), where each prediction at the query points is the
    /// context of the next step. A steady problem ignores the times and gives one state.
    ///
    /// # Errors
    /// A context or query the model cannot take, a time that is not finite or outside the trained range (unless the model is
    /// [extrapolating](Model::extrapolating)), or not reached by native steps.
    pub fn predict(
        &self,
        context: &Context,
        s: f64,
        times: &[f64],
        query: &Arc<Points>,
    ) -> Result<Prediction> {
        only(self.predict_batch(&[Forecast { context, s, times }], query)?)
    }

    /// As [`Model::predict`], for several contexts at once: the same values, faster.
    ///
    /// # Errors
    /// As [`Model::predict`], for any of them.
    pub fn predict_batch(&self, wanted: &[Forecast], query: &Arc<Points>) -> Result<Vec<Prediction>> {
        let timed = self.card.problem.times.is_some();
        let times = wanted.iter().map(|w| if timed { w.times.to_vec() } else { vec![w.s] }).collect();
        let contexts = wanted.iter().map(|w| w.context.clone()).collect();
        self.encode_batch(contexts, wanted.iter().map(|w| w.s).collect())?.predict(times, query)
    }

    /// As [`Model::predict`], by a given way.
    ///
    /// # Errors
    /// As [`Model::predict`]; a way other than [`Way::Rollout`] for a model that goes one native step at a time.
    pub fn predict_by(&self, way: Way, forecast: &Forecast, query: &Arc<Points>) -> Result<Prediction> {
        let Forecast { context, s, times } = *forecast;
        if self.card.problem.times.is_none() {
            return self.predict(context, s, times, query);
        }
        if self.operator.reach() == Reach::Step {
            return match way {
                Way::Rollout => self.predict(context, s, times, query),
                _ => {
                    Err(self
                        .unsupported("it goes one native step at a time; only a rollout goes further".into()))
                }
            };
        }
        self.check_times(times)?;
        self.check_forward(s, times)?;
        let encoded = self.encode(context, s)?;
        let values = encoded.predict_one(times, Some(way), query)?;
        only(encoded.predictions(vec![times.to_vec()], vec![values], Some(way)))
    }

    /// The way that [`Model::predict`] takes over a lead: the one that was best on held-out samples at the
    /// nearest lead; where that was not measured, several steps by rollout if the model is trained on short ones, else
    /// directly.
    pub fn way_to(&self, lead: f64) -> Way {
        let n = self.n_steps(lead);
        if n > 1 && self.operator.reach() == Reach::Step {
            return Way::Rollout;
        }
        let (Some(interval), true) = (self.card.native_interval, n > 1) else { return Way::Direct };
        let distance = |measured: f64| (lead / interval / measured).ln().abs();
        let nearest = self.card.ways.iter().min_by(|a, b| distance(a.lead).total_cmp(&distance(b.lead)));
        let usual = if self.card.model.max_step().is_some() { Way::Rollout } else { Way::Direct };
        nearest.map_or(usual, |best| best.way)
    }

    /// Number of equal steps over a lead, none longer than the model's longest (or a native interval).
    pub(super) fn n_steps(&self, lead: f64) -> usize {
        let longest =
            self.card.model.max_step().unwrap_or(1.0) * self.card.native_interval.unwrap_or(f64::INFINITY);
        ((lead / longest - SAME_TIME).ceil().max(1.0) as usize).min(MOST_STEPS)
    }

    /// Predicts `n_steps` native steps from observations at time `s`, each prediction at the query points
    /// being the context of the next step, and returns the values at all these times. Once values are not
    /// finite, all later ones are NaN. If the model's source has several frames as channels, oldest first,
    /// each prediction becomes the newest frame and the oldest is dropped.
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
        only(self.rollout_batch(std::slice::from_ref(context), &[s], n_steps, query)?)
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
        let ends = starts.iter().map(|s| s + n_steps as f64 * interval);
        self.check_times(&ends.collect::<Vec<_>>())?;
        let encoded = self.encode_batch(contexts.to_vec(), starts.to_vec())?;
        let size = self.card.problem.target_channels * query.len();
        let mut all = vec![Vec::new(); contexts.len()];
        encoded.roll(n_steps, query, |_, values| {
            all.iter_mut().zip(values.chunks_exact(size)).for_each(|(all, v)| all.extend_from_slice(v));
        })?;
        let times = starts.iter().map(|s| (1..=n_steps).map(|k| s + k as f64 * interval).collect());
        Ok(encoded.predictions(times.collect(), all, Some(Way::Rollout)))
    }

    /// The native interval, if the operator goes no further at a time.
    fn interval_of_steps(&self) -> Result<Option<f64>> {
        let steps = self.card.problem.times.is_some() && self.operator.reach() == Reach::Step;
        steps.then(|| self.interval()).transpose()
    }

    /// Native steps from s to t.
    fn steps(&self, s: f64, t: f64, interval: f64) -> Result<usize> {
        let steps = ((t - s) / interval).round();
        let off = (s + steps * interval - t).abs();
        if steps >= 1.0 && off <= SAME_TIME * t.abs().max(s.abs()).max(interval) {
            return Ok(steps as usize);
        }
        let ahead = t - s;
        Err(self.unsupported(format!(
            "it goes one native interval of {interval} at a time, and t − s = {ahead} (s = {s}, t = {t}) is \
             not a whole number of them"
        )))
    }

    fn interval(&self) -> Result<f64> {
        let interval = self.card.native_interval.filter(|dt| *dt > 0.0 && self.card.problem.times.is_some());
        interval.ok_or_else(|| {
            self.unsupported(
                "there are no steps in time: the problem is steady, or its step is unknown".into(),
            )
        })
    }
}

pub(super) fn only(predictions: Vec<Prediction>) -> Result<Prediction> {
    predictions.into_iter().next().ok_or(Error::Numerics(lto_numerics::Error::NoPoints))
}
