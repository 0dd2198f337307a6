//! The results of an evaluation: written as JSON, and the source of tables and pictures.

use super::config::EvaluationConfig;
use super::coverage::Coverage;
use super::level::ResolutionOrigin;
use super::outcome::Outcome;
use crate::data::context::DesignKind;
use crate::error::{Error, Result};
use lto_numerics::{Domain, Grid};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the JSON. The first had intervals only for relative L2, and counted half waves as waves on axes
/// that are not periodic.
pub const SCHEMA: u32 = 2;

/// The file's name in the folder of an evaluation, and in that of a run.
pub use crate::train::folder::EVALUATION_FILE as FILE_NAME;

/// One model on one dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    /// Version of the JSON.
    pub schema: u32,
    /// What was evaluated.
    pub model: ModelInfo,
    /// The data it was evaluated on.
    pub data: DataInfo,
    /// The whole protocol.
    pub config: EvaluationConfig,
    /// The command that made it; empty if none did.
    pub command: String,
    /// One native step (or `config.lead`) from the full native grid to the native grid; the one target of a steady
    /// problem.
    pub one_step: Outcome,
    /// At other resolutions.
    pub resolutions: Vec<ResolutionResult>,
    /// From fewer or more observations.
    pub contexts: Vec<ContextResult>,
    /// From observations with noise.
    pub noise: Vec<NoiseResult>,
    /// Over many steps; none for a steady problem.
    pub horizon: Option<HorizonResult>,
    /// What its bands do; none for a model without calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Power by wavenumber of one-step predictions and of the truth; none if points are not equally spaced.
    pub spectra: Option<Spectra>,
    /// Fields to look at.
    pub examples: Vec<ExampleField>,
    /// Wall time of the whole evaluation.
    pub seconds: f64,
    /// Peak memory of the process meanwhile, in MB; none if the system does not say.
    pub peak_mb: Option<f64>,
}

/// What was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelInfo {
    /// The folder of its run, or its name.
    pub run: String,
    /// The kind of model.
    pub kind: String,
    /// Number of parameters.
    pub parameters: usize,
    /// Steps of training.
    pub steps: u64,
    /// Wall time of training, if known.
    pub train_seconds: Option<f64>,
    /// Seed of training, if known.
    pub seed: Option<u64>,
    /// The command that trains it, if its configuration exists.
    pub train_command: Option<String>,
}

/// What it was evaluated on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataInfo {
    /// A description in words.
    pub description: String,
    /// Points of the native grid along each axis.
    pub native: Vec<usize>,
    /// Names of the predicted channels.
    pub channels: Vec<String>,
    /// The samples.
    pub samples: Vec<usize>,
    /// Source frames that one-step errors are averaged over; empty for a steady problem.
    pub starts: Vec<usize>,
    /// Time between frames; none for a steady problem.
    pub interval: Option<f64>,
}

/// Errors at a resolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolutionResult {
    /// Points of the context along each axis.
    pub context: Vec<usize>,
    /// Where its values come from.
    pub context_origin: ResolutionOrigin,
    /// Points of the query along each axis.
    pub query: Vec<usize>,
    /// Where the truth there comes from.
    pub query_origin: ResolutionOrigin,
    /// The errors.
    pub outcome: Outcome,
}

/// Errors from some of the points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextResult {
    /// How the points are chosen.
    pub design: DesignKind,
    /// Points asked for ÷ native points.
    pub fraction: f64,
    /// Points observed on average; 0 if the model cannot take them.
    pub n_points: f64,
    /// Where the observations come from.
    pub origin: ResolutionOrigin,
    /// The errors.
    pub outcome: Outcome,
}

/// From observations with noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseResult {
    /// Standard deviation of the noise ÷ the field's.
    pub level: f64,
    /// The errors.
    pub outcome: Outcome,
}

/// Over many steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HorizonResult {
    /// Source frame.
    pub start: usize,
    /// After each native step.
    pub steps: Vec<HorizonStep>,
    /// Mean over the steps, each prediction fed back.
    pub rollout_average: Outcome,
    /// Mean over the steps, each predicted directly.
    pub direct_average: Outcome,
    /// Mean over the steps, without decoding on the way; `None` in files made before it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain_average: Option<Outcome>,
}

/// Errors after some native steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HorizonStep {
    /// Number of steps.
    pub k: usize,
    /// t − s.
    pub lead_time: f64,
    /// Each prediction fed back.
    pub rollout: Outcome,
    /// Predicted directly.
    pub direct: Outcome,
    /// Evolved step by step, decoded at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<Outcome>,
}

/// Mean power over samples, by wavenumber.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spectra {
    /// Wavenumbers in cycles per unit length.
    pub wavenumber: Vec<f64>,
    /// Power of the truth.
    pub truth: Vec<f64>,
    /// Power of the predictions.
    #[serde(with = "super::number::several")]
    pub prediction: Vec<f64>,
}

/// One prediction as a field; large grids are thinned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleField {
    /// The sample.
    pub sample: usize,
    /// Name of the channel.
    pub channel: String,
    /// Native steps ahead; 0 for a steady problem.
    pub steps: usize,
    /// Whether predictions were fed back.
    pub rollout: bool,
    /// Whether it is the worst prediction of the worst sample of all, not of the first sample.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worst: bool,
    /// Source and target time.
    pub times: [f64; 2],
    /// The domain of the points.
    pub domain: Domain,
    /// Coordinates along each axis.
    pub coordinates: Vec<Vec<f64>>,
    /// The truth; not finite outside a mask.
    #[serde(with = "super::number::several")]
    pub truth: Vec<f64>,
    /// The prediction; not finite outside a mask, or where it diverged.
    #[serde(with = "super::number::several")]
    pub prediction: Vec<f64>,
}

impl ExampleField {
    /// The domain of the points.
    ///
    /// # Errors
    /// Coordinates that do not form a grid.
    pub fn grid(&self) -> Result<Grid> {
        Ok(Grid::from_coordinates(self.domain.clone(), self.coordinates.clone())?)
    }
}

/// Reads evaluations from their file, or from the folder that holds it: a list, or one alone.
///
/// # Errors
/// A file that is missing, or holds no evaluation of this version.
pub fn read(path: &Path) -> Result<Vec<Evaluation>> {
    let path = if path.is_dir() { path.join(FILE_NAME) } else { path.into() };
    let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
    let no_evaluation = |e: serde_json::Error| {
        Error::bad_file(&path, format!("is not an evaluation this version can read: {e}"))
    };
    let parsed: serde_json::Value = serde_json::from_str(&text).map_err(no_evaluation)?;
    let list = match parsed {
        serde_json::Value::Array(list) => list,
        one => vec![one],
    };
    // Checked first, since other versions have other keys.
    if let Some(other) = list.iter().filter_map(|e| e.get("schema")).find(|schema| **schema != SCHEMA) {
        let problem = format!("has schema {other}, but this version reads {SCHEMA}; evaluate again");
        return Err(Error::bad_file(&path, problem));
    }
    list.into_iter().map(|one| serde_json::from_value(one).map_err(no_evaluation)).collect()
}

/// The JSON of evaluations, always a list; without line breaks, since fields are long.
///
/// # Errors
/// None for sound evaluations.
pub fn to_json(evaluations: &[Evaluation]) -> Result<String> {
    serde_json::to_string(evaluations).map_err(|e| Error::bad_file(Path::new(FILE_NAME), e.to_string()))
}
