//! Errors of a model at stations.

use super::{Group, Span, StationData, some_stations};
use crate::data::context::{ContextChoice, DesignKind};
use crate::error::Result;
use crate::model::{Forecast, Model, Spread};
use lto_numerics::Points;
use lto_numerics::dataset::Mask;
use lto_numerics::pde::sample_rng;
use std::sync::Arc;

/// One forecast against what was observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The time of the context.
    pub s: f64,
    /// Root mean square error of each variable over the stations that observed it; NaN if none did.
    pub rmse: Vec<f64>,
    /// The band of each variable over these stations, of a calibrated model; NaN if none observed it.
    pub bands: Option<Vec<BandScore>>,
}

/// A band of level 0.9 against what was observed, and the distribution it is of: means over stations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandScore {
    /// Share of the observed values inside.
    pub covered: f64,
    /// Width.
    pub width: f64,
    /// Continuous ranked probability score.
    pub crps: f64,
}

/// The level of the bands that are scored.
pub const LEVEL: f64 = 0.9;

/// Seed of the stations that are drawn, the same for all models.
const SEED: u64 = 0;

/// What is scored.
#[derive(Clone, Copy)]
pub struct Scoring<'a> {
    /// The stations of the contexts, and the times.
    pub data: &'a StationData,
    /// Which stations give contexts.
    pub from: Group,
    /// How many of these that report are used, drawn anew for each forecast: 1 for all.
    pub fraction: f64,
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
            let Some(whole) = data.context(i, history, keep)? else { continue };
            let design = if self.fraction < 1.0 { DesignKind::Random } else { DesignKind::Full };
            let choice = ContextChoice { design, fraction: self.fraction };
            let context = some_stations(choice, whole, &mut sample_rng(SEED, i as u64))?;
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
            let points = Arc::new(points);
            let (predicted, bands) = match model.card().calibration {
                None => (model.predict(&context, s, &[t], &points)?, None),
                Some(_) => {
                    let forecast = Forecast { context: &context, s, times: &[t] };
                    let (predicted, spread) = model.predict_spread(&forecast, None, &points)?;
                    (predicted, Some(band_scores(&spread, &truth.values, p)?))
                }
            };
            let n = truth.points.len();
            let rmse = predicted.values.chunks_exact(n).zip(truth.values.chunks_exact(n)).map(|(p, u)| {
                let squares = p.iter().zip(u).filter(|(_, u)| !u.is_nan()).map(|(p, u)| (p - u).powi(2));
                let (n, sum) = squares.fold((0.0, 0.0), |(n, sum), square| (n + 1.0, sum + square));
                (sum / n).sqrt()
            });
            scores.push(Score { s, rmse: rmse.collect(), bands });
        }
        Ok(scores)
    }
}

/// The scores of each of p variables.
fn band_scores(spread: &Spread, truth: &[f64], p: usize) -> Result<Vec<BandScore>> {
    let (band, crps) = (spread.band(LEVEL)?, spread.crps(truth)?);
    let n = truth.len() / p.max(1);
    let of = |variable: usize| {
        let known: Vec<usize> = (variable * n..(variable + 1) * n).filter(|&i| !truth[i].is_nan()).collect();
        let mean = |of: &dyn Fn(usize) -> f64| known.iter().map(|&i| of(i)).sum::<f64>() / known.len() as f64;
        BandScore {
            covered: mean(&|i| f64::from(u8::from((band.lower[i]..=band.upper[i]).contains(&truth[i])))),
            width: mean(&|i| band.upper[i] - band.lower[i]),
            crps: mean(&|i| crps[i]),
        }
    };
    Ok((0..p).map(of).collect())
}

/// Points of other records in the domain of the model.
fn on(points: &Points, model: &Model) -> Result<Points> {
    let domain = &model.card().problem.domain;
    if points.domain().same_place(domain) {
        return Ok(points.clone());
    }
    Ok(Points::scattered(domain.clone(), points.coordinates())?)
}
