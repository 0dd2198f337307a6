//! What a client needs to know about a model.

use crate::source::{Origin, Source};
use lto::Model;
use serde::Serialize;
use utoipa::ToSchema;

/// A model as `/v1/models` lists it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelSummary {
    /// Its name in paths.
    pub name: String,
    /// Where the service was told to find it; missing for the twin that is part of the binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Its kind: `twin`, `fno`, …
    pub kind: &'static str,
    /// Number of axes.
    pub dimension: usize,
    /// Where its states live.
    pub domain: DomainSummary,
    /// Names of the axes.
    pub axes: Vec<String>,
    /// What it predicts.
    pub channels: Vec<Channel>,
    /// Numbers in a reading.
    pub source_channels: usize,
    /// Points of the training grid along each axis.
    pub native: Vec<usize>,
    /// The times it was trained on; `null` for a steady model.
    pub times: Option<TimeSummary>,
    /// Number of parameters.
    pub parameters: usize,
    /// Mean and deviation of the training data.
    pub range: ValueRange,
    /// Whether it gives bands.
    pub bands: bool,
    /// Readings of a held-out state; `null` without data.
    pub example: Option<Example>,
    /// Whether `/truth` knows the course of the example.
    pub truth: bool,
}

/// A box.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DomainSummary {
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// Whether the ends of each axis are joined.
    pub periodic: Vec<bool>,
}

/// A channel of the predicted field.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Channel {
    /// Its name.
    pub name: String,
}

/// The times that a model knows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TimeSummary {
    /// The first.
    pub start: f64,
    /// The last.
    pub end: f64,
    /// Between frames of the training data.
    pub native_interval: Option<f64>,
}

/// Values of the training data, by channel.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ValueRange {
    /// Means.
    pub mean: Vec<f64>,
    /// Standard deviations.
    pub deviation: Vec<f64>,
}

/// Readings of a held-out state.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Example {
    /// Where the sensors are.
    pub sensors: Vec<Vec<f64>>,
    /// What they read.
    pub values: Vec<Vec<f64>>,
    /// When; `null` for a steady model.
    pub s: Option<f64>,
}

impl ModelSummary {
    /// What is known of a model, and of an example if there is one.
    pub fn new(source: &Source, model: &Model, example: Option<Example>) -> Self {
        let card = model.card();
        let (problem, normalizer) = (&card.problem, &card.target_normalizer);
        let axes = problem.domain.axes();
        let named = card.channel_names.iter().cloned();
        let numbered = (card.channel_names.len()..problem.target_channels).map(|c| format!("u{c}"));
        Self {
            name: source.name.clone(),
            run: match &source.origin {
                Origin::Embedded => None,
                Origin::Path(path) => Some(path.display().to_string()),
            },
            kind: card.model.name(),
            dimension: axes.len(),
            domain: DomainSummary {
                lower: axes.iter().map(|axis| axis.lower).collect(),
                upper: axes.iter().map(|axis| axis.upper).collect(),
                periodic: axes.iter().map(|axis| axis.periodic).collect(),
            },
            axes: axes.iter().map(|axis| axis.name.clone()).collect(),
            channels: named.chain(numbered).map(|name| Channel { name }).collect(),
            source_channels: problem.source_channels,
            native: problem.native.clone(),
            times: problem.times.map(|[start, end]| TimeSummary {
                start,
                end,
                native_interval: card.native_interval,
            }),
            parameters: model.operator().n_parameters(),
            range: ValueRange { mean: normalizer.mean().to_vec(), deviation: normalizer.scale().to_vec() },
            bands: card.calibration.is_some(),
            truth: example.is_some(),
            example,
        }
    }
}
