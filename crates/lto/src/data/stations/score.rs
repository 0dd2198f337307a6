//! Errors of a model at stations.

use super::{Group, Span, StationData};
use crate::error::Result;
use crate::model::Model;
use lto_numerics::Points;
use lto_numerics::dataset::Mask;
use std::sync::Arc;

/// One forecast against what was observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The time of the context.
    pub s: f64,
    /// Root mean square error of each variable over the stations that observed it; NaN if none did.
    pub rmse: Vec<f64>,
}

/// What is scored.
#[derive(Clone, Copy)]
pub struct Scoring<'a> {
    /// The stations of the contexts, and the times.
    pub data: &'a StationData,
    /// Which stations give contexts.
    pub from: Group,
    /// Which times the contexts and targets are of.
    pub span: Span,
    /// Where the truth is: the same records, or others with the same times.
    pub truth: &'a StationData,
    /// Which stations are compared with.
    pub at: Group,
    /// Every how many frames a forecast begins.
    pub every: usize,
    /// Readings outside it are not compared with.
    pub mask: Option<&'a Mask>,
}

impl Scoring<'_> {
    /// The errors of forecasts over a lead, in intervals between frames, in physical units. Contexts have as many frames as the
    /// model takes; s and t are both within the span.
    ///
    /// # Errors
    /// Records that can no longer be read, or contexts the model cannot take.
    pub fn scores(&self, model: &Model, lead: usize) -> Result<Vec<Score>> {
        let (data, span) = (self.data, self.data.span(self.span));
        let (history, p) = (model.card().problem.history(), model.card().problem.target_channels);
        let mut scores = Vec::new();
        for i in span.clone().step_by(self.every.max(1)) {
            let Some(later) = data.later(i, lead).filter(|later| span.contains(later)) else { continue };
            let (s, t) = (data.records().times()[i], data.records().times()[later]);
            let Some(target) = self.truth.at(t) else { continue };
            let keep = |station: u32| data.is_in(station, self.from);
            let Some(context) = data.context(i, history, keep)? else { continue };
            // A variable that nobody observes now cannot be forecast.
            if (0..p).any(|c| context.newest(p).channel(c).is_none()) {
                continue;
            }
            let Some(mut truth) = self.truth.truth(target, |station| self.truth.is_in(station, self.at))?
            else {
                continue;
            };
            if let Some(mask) = self.mask {
                mask.apply(&truth.points, &mut truth.values);
            }
            let points = on(&truth.points, model)?;
            let predicted = model.predict(&context, s, &[t], &Arc::new(points))?;
            let n = truth.points.len();
            let rmse = predicted.values.chunks_exact(n).zip(truth.values.chunks_exact(n)).map(|(p, u)| {
                let squares = p.iter().zip(u).filter(|(_, u)| !u.is_nan()).map(|(p, u)| (p - u).powi(2));
                let (n, sum) = squares.fold((0.0, 0.0), |(n, sum), square| (n + 1.0, sum + square));
                (sum / n).sqrt()
            });
            scores.push(Score { s, rmse: rmse.collect() });
        }
        Ok(scores)
    }
}

/// Points of other records in the domain of the model.
fn on(points: &Points, model: &Model) -> Result<Points> {
    let domain = &model.card().problem.domain;
    if points.domain().same_place(domain) {
        return Ok(points.clone());
    }
    Ok(Points::scattered(domain.clone(), points.coordinates())?)
}
