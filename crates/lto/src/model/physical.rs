//! The operator in physical units: the one place where inputs are normalized and outputs denormalized.

use super::Model;
use crate::device::fetch;
use crate::error::{Error, Result};
use crate::operator::{Batch, Latents, check_contexts};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::sync::Arc;

/// More query points than this, over all examples of a batch, are decoded piece by piece to bound memory.
pub(crate) const PIECE: usize = 1 << 16;

impl Model {
    /// Encodes b contexts, each observed at its time s.
    pub(crate) fn latents(&self, contexts: &[Context], starts: impl Iterator<Item = f64>) -> Result<Latents> {
        check_contexts(&self.card.problem, contexts)?;
        let mut contexts: Arc<[Context]> = contexts.into();
        for (context, s) in Arc::make_mut(&mut contexts).iter_mut().zip(starts) {
            self.prepare(context, s)?;
        }
        self.operator.encode(contexts)
    }

    /// A context observed at time s as the operator sees it: departures from the mean course of the time of each frame,
    /// normalized.
    fn prepare(&self, context: &mut Context, s: f64) -> Result<()> {
        if !self.operator.takes_missing() && context.has_missing() {
            return Err(self.unsupported(
                "some of its observations lack a channel; leave them out, or train a twin on records, which may lack any".into(),
            ));
        }
        let domain = &self.card.problem.domain;
        if !context.points.domain().same_metric(domain) {
            context.points = context.points.clone().measured_as(domain);
        }
        let (n, q) = (context.points.len(), self.card.problem.target_channels);
        if self.course.is_some() {
            let (interval, frames) = (self.card.native_interval.unwrap_or(0.0), context.n_channels / q);
            for (k, frame) in context.values.chunks_exact_mut(q * n).enumerate() {
                let t = s - (frames - 1 - k) as f64 * interval;
                self.depart(frame, &context.points, t, -1.0)?;
            }
        }
        let normalizer = &self.card.source_normalizer;
        normalizer.normalize(&mut context.values, n)?;
        for (deviations, scale) in
            context.deviations.iter_mut().flat_map(|all| all.chunks_exact_mut(n)).zip(normalizer.scale())
        {
            deviations.iter_mut().for_each(|deviation| *deviation /= scale);
        }
        Ok(())
    }

    /// Adds `sign` times the mean course to values `[channel, point]` of a state at time t, less its mean over everything, which
    /// the normalizers keep: a model that learns departures from the course sees values in their usual range.
    fn depart(&self, values: &mut [f64], points: &Points, t: f64, sign: f64) -> Result<()> {
        let Some(course) = &self.course else { return Ok(()) };
        let (course, means) = (course.at(t, points)?, self.card.target_normalizer.mean());
        let channels =
            values.chunks_exact_mut(points.len()).zip(course.chunks_exact(points.len())).zip(means);
        for ((values, course), mean) in channels {
            values.iter_mut().zip(course).for_each(|(value, m)| *value += sign * (m - mean));
        }
        Ok(())
    }

    /// [`Model::depart`] for the values `[b, channel, point]` of a batch, one or b sets of points.
    fn depart_all(
        &self,
        values: &mut [f64],
        queries: &[Arc<Points>],
        times: impl Iterator<Item = f64>,
        sign: f64,
    ) -> Result<()> {
        let size = queries.first().map_or(1, |query| self.card.problem.target_channels * query.len());
        let mut examples = values.chunks_exact_mut(size).zip(queries.iter().cycle()).zip(times);
        examples.try_for_each(|((values, query), t)| self.depart(values, query, t, sign))
    }

    /// Decodes evolved states, large queries piece by piece.
    ///
    /// # Shapes
    /// b examples, one or b sets of M points → `[b, q, M]`.
    pub(crate) fn values(&self, evolved: &Latents, queries: &[Arc<Points>]) -> Result<Vec<f64>> {
        let domain = &self.card.problem.domain;
        let own: Vec<Arc<Points>>;
        let mut queries = queries;
        if queries.iter().any(|query| !query.domain().same_metric(domain)) {
            own = queries.iter().map(|query| Arc::new(Points::clone(query).measured_as(domain))).collect();
            queries = &own;
        }
        let n = queries.first().map_or(0, |query| query.len());
        let decode = |queries: &[Arc<Points>]| -> Result<Vec<f64>> {
            Ok(fetch(self.operator.decode(evolved, queries)?).into_iter().map(f64::from).collect())
        };
        let mut values = self.in_pieces(evolved.n_examples(), queries, decode)?;
        self.card.target_normalizer.denormalize(&mut values, n)?;
        self.depart_all(&mut values, queries, evolved.times().iter().map(|&(_, t)| t), 1.0)?;
        Ok(values)
    }

    /// What the decoder sees at a query, `[k, M]` of one example; empty for a model without a latent state.
    pub(super) fn features(&self, evolved: &Latents, query: &Arc<Points>) -> Result<Vec<f32>> {
        let of = |queries: &[Arc<Points>]| -> Result<Vec<f32>> {
            let features = self.operator.features(evolved, queries)?;
            Ok(features.map_or(Vec::new(), fetch))
        };
        self.in_pieces(evolved.n_examples(), std::slice::from_ref(query), of)
    }

    /// Values `[row, M]` of b examples at queries, large ones piece by piece.
    fn in_pieces<T: Copy + Default>(
        &self,
        b: usize,
        queries: &[Arc<Points>],
        decode: impl Fn(&[Arc<Points>]) -> Result<Vec<T>>,
    ) -> Result<Vec<T>> {
        let n = queries.first().map_or(0, |query| query.len());
        let [query] = queries else { return decode(queries) };
        if b * n <= PIECE || !self.operator.cuts_queries() {
            return decode(queries);
        }
        let (mut values, mut first) = (Vec::new(), 0);
        for piece in query.pieces(PIECE.div_ceil(b)) {
            let m = piece.len();
            let decoded = decode(&[Arc::new(piece)])?;
            values.resize(decoded.len() / m * n, T::default());
            for (field, part) in values.chunks_exact_mut(n).zip(decoded.chunks_exact(m)) {
                field[first..first + m].copy_from_slice(part);
            }
            first += m;
        }
        Ok(values)
    }

    /// One application: encode, evolve from s to t, decode.
    ///
    /// # Shapes
    /// b contexts, b pairs `(s, t)`, one or b sets of M points → `[b, q, M]`.
    pub(crate) fn apply(
        &self,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Vec<f64>> {
        let latents = self.latents(contexts, times.iter().map(|&(s, _)| s))?;
        self.values(&self.operator.evolve(&latents, times)?, queries)
    }

    /// Makes a prediction at the query points the newest frame of a context; if a source has several frames
    /// as channels, oldest first, the oldest is dropped.
    pub(crate) fn feed_back(&self, context: &mut Context, values: &[f64], query: &Points) -> Result<()> {
        let (p, q) = (self.card.problem.source_channels, self.card.problem.target_channels);
        let kept = if p == q {
            Vec::new()
        } else if p.is_multiple_of(q) && context.points == *query {
            context.values.split_off(values.len())
        } else {
            return Err(self.unsupported(format!(
                "a rollout feeds {q} channels back into a source of {p}: earlier frames are known only at \
                 the points of the context, so the query must be the same points"
            )));
        };
        *context = Context {
            points: query.clone(),
            n_channels: p,
            values: [&kept, values].concat(),
            deviations: None,
        };
        Ok(())
    }

    /// A batch as the operator sees it.
    pub(crate) fn normalized(&self, mut batch: Batch) -> Result<Batch> {
        let (source, target) = (&self.card.source_normalizer, &self.card.target_normalizer);
        for (context, &(s, _)) in batch.contexts.iter_mut().zip(&batch.times) {
            self.prepare(context, s)?;
        }
        let (starts, ends) = (batch.times.iter().map(|&(s, _)| s), batch.times.iter().map(|&(_, t)| t));
        if self.card.problem.history() == 1 {
            self.depart_all(&mut batch.source, &batch.queries, starts, -1.0)?;
        }
        self.depart_all(&mut batch.target, &batch.queries, ends, -1.0)?;
        for context in &mut batch.target_contexts {
            target.normalize(&mut context.values, context.points.len())?;
        }
        let m = batch.n_queries();
        source.normalize(&mut batch.source, m)?;
        target.normalize(&mut batch.target, m)?;
        Ok(batch)
    }

    pub(super) fn unsupported(&self, reason: String) -> Error {
        Error::Unsupported { model: self.card.model.name(), reason }
    }
}
