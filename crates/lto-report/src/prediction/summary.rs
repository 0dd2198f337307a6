//! What was predicted and from what: as text, and with stable keys for programs.

use super::Predicted;
use crate::picture::ticks::{apart, short};
use crate::text::Page;
use crate::words::{self, duration};
use lto::model::{Prediction, Way};
use lto_numerics::calendar::show_iso;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A prediction in numbers.
#[derive(Serialize)]
pub struct PredictionSummary<'a> {
    model: &'a Path,
    files: Vec<PathBuf>,
    context: ContextNumbers<'a>,
    query: QueryNumbers,
    /// Times of the predictions; empty for a steady model.
    times: &'a [f64],
    /// Whether times are hours since 1970.
    #[serde(skip)]
    dated: bool,
    /// How each time was reached: direct, chain or rollout.
    ways: &'a [Way],
    /// Times outside the training data's, the observations' included.
    outside_range: &'a [f64],
    values: Vec<ValueNumbers>,
    /// What is known of the band, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    band: Option<BandNumbers<'a>>,
    /// Number of samples.
    #[serde(skip_serializing_if = "is_zero")]
    samples: usize,
    seconds: f64,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[derive(Serialize)]
struct BandNumbers<'a> {
    /// The nominal share of values inside it.
    level: f64,
    /// What the model was calibrated on.
    calibrated_on: &'a str,
    /// Share of the points farther from sensors, or at longer leads, than any that was calibrated.
    outside_calibration: f64,
}

#[derive(Serialize)]
struct ContextNumbers<'a> {
    file: &'a Path,
    points: usize,
    skipped: usize,
    merged: usize,
    time: Option<f64>,
}

#[derive(Serialize)]
struct QueryNumbers {
    points: usize,
    /// Points along each axis, if it is a grid.
    shape: Option<Vec<usize>>,
}

#[derive(Serialize)]
struct ValueNumbers {
    time: Option<f64>,
    channel: String,
    min: f64,
    max: f64,
    mean: f64,
    /// Mean width of the band.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<f64>,
}

impl<'a> PredictionSummary<'a> {
    /// The summary of a prediction of `model` from the observations in `context`, written to `files` in `seconds`.
    pub fn new(
        predicted: &Predicted<'a>,
        (model, context): (&'a Path, &'a Path),
        prediction: &'a Prediction,
        files: Vec<PathBuf>,
        seconds: f64,
    ) -> Self {
        let observations = predicted.observations;
        let names = predicted.channel_names();
        let numbers = |frame: usize, channel: usize| {
            let values = predicted.channel(frame, channel);
            ValueNumbers {
                time: predicted.times.get(frame).copied(),
                channel: names[channel].clone(),
                min: values.iter().fold(f64::INFINITY, |a, &v| a.min(v)),
                max: values.iter().fold(f64::NEG_INFINITY, |a, &v| a.max(v)),
                mean: values.iter().sum::<f64>() / values.len() as f64,
                width: predicted.ends(frame, channel).map(|[lower, upper]| {
                    upper.iter().zip(lower).map(|(upper, lower)| upper - lower).sum::<f64>()
                        / values.len() as f64
                }),
            }
        };
        let each = (0..predicted.n_frames()).flat_map(|frame| (0..names.len()).map(move |c| (frame, c)));
        Self {
            model,
            files,
            context: ContextNumbers {
                file: context,
                points: observations.context.points.len(),
                skipped: observations.n_skipped,
                merged: observations.n_merged,
                time: observations.time,
            },
            query: QueryNumbers {
                points: predicted.query.len(),
                shape: predicted.grid().map(lto_numerics::Grid::shape),
            },
            dated: predicted.card.problem.measured.dated,
            times: predicted.times,
            ways: &prediction.ways,
            outside_range: &prediction.outside_range,
            values: each.map(|(frame, channel)| numbers(frame, channel)).collect(),
            band: predicted.band.map(|band| BandNumbers {
                level: band.level,
                calibrated_on: predicted.card.calibration.as_ref().map_or("", |of| &of.data),
                outside_calibration: 0.0,
            }),
            samples: predicted.samples.len(),
            seconds,
        }
    }

    /// The same with the share of points that the calibration of the band says nothing about.
    pub fn with_outside(mut self, share: f64) -> Self {
        self.band.iter_mut().for_each(|band| band.outside_calibration = share);
        self
    }

    /// The text for the terminal.
    pub fn text(&self, color: bool) -> String {
        let mut page = Page::new(color);
        let context = &self.context;
        let mut from = words::count(context.points, "observation");
        if let Some(time) = context.time {
            from.push_str(&match self.dated {
                true => format!(" at {}", show_iso(time)),
                false => format!(" at t = {}", short(time)),
            });
        }
        for (n, what) in
            [(context.skipped, "skipped for missing values"), (context.merged, "merged with others")]
        {
            if n > 0 {
                from.push_str(&format!(", {n} {what}"));
            }
        }
        let to = match &self.query.shape {
            Some(shape) => shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×") + " points",
            None => words::count(self.query.points, "point"),
        };
        page.line(&format!("{from} → {to}, in {}", duration(self.seconds)));
        for file in &self.files {
            let bytes = std::fs::metadata(file).map_or(0, |file| file.len());
            page.line(&format!("{}: {}", file.display(), words::bytes(bytes)));
        }
        let channels = (self.values.len() / self.ways.len().max(1)).max(1);
        let rows = self.values.iter().enumerate().map(|(i, v)| {
            let [min, max, mean] = apart([Some(v.min), Some(v.max), Some(v.mean)]);
            let way = v.time.and(self.ways.get(i / channels)).map_or("–", |way| way.name());
            let when = v.time.map_or("–".into(), |t| if self.dated { show_iso(t) } else { short(t) });
            let mut row = vec![when, way.into(), v.channel.clone(), min, max, mean];
            row.extend(v.width.map(short));
            row
        });
        let mut columns = vec!["t", "way", "channel", "least", "largest", "mean"];
        columns.extend(self.band.as_ref().map(|_| "band's width"));
        page.table("Predicted", &columns, rows.collect());
        if let Some(band) = &self.band {
            page.line(&format!(
                "{} % band: statistics of the forecast, calibrated on {}. It is no proof: lto certify bounds the estimate of the \
                 present state, under stated curvature.",
                short(100.0 * band.level),
                band.calibrated_on
            ));
            if band.outside_calibration > 0.0 {
                page.line(&format!(
                    "warning: {} % of the points are farther from sensors, or ahead, than any calibrated: their band is a guess",
                    short(100.0 * band.outside_calibration)
                ));
            }
        }
        if self.samples > 0 {
            page.line(&words::count(self.samples, "sample"));
        }
        page.into_text()
    }
}
