//! `checkpoint.safetensors`: everything a run needs to continue as if it had never stopped.

use super::flat::FlatLayout;
use super::means::Means;
use crate::error::{Error, Result};
use crate::optim::adamw::AdamW;
use crate::parameters::Named;
use crate::weights;
use lto_numerics::dataset::Normalizer;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The file's name in the folder of a run.
pub const FILE_NAME: &str = "checkpoint.safetensors";

const WEIGHTS: &str = "weights.";
const AVERAGE: &str = "average.";
const FIRST: &str = "first_moment.";
const SECOND: &str = "second_moment.";

/// The state of a run; its position in the data is the step.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Steps done.
    pub step: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Seconds of processor time.
    #[serde(default)]
    pub cpu_seconds: f64,
    /// Losses since the last line of the metrics.
    pub means: Means,
    /// Errors of the last validation.
    pub errors: BTreeMap<String, f64>,
    /// Normalization of sources and targets, to detect changed data.
    pub normalizers: (Normalizer, Normalizer),
}

/// The values that a run changes.
pub struct Values {
    /// Parameters.
    pub weights: Vec<f32>,
    /// Their running mean, if used.
    pub average: Option<Vec<f32>>,
    /// The optimizer's running means.
    pub optimizer: AdamW,
}

/// Writes a checkpoint atomically.
///
/// # Errors
/// The file cannot be written.
pub fn write(run: &Path, layout: &FlatLayout, values: &Values, position: &Position) -> Result<()> {
    let mut tensors: Vec<Named> = layout.named(WEIGHTS, &values.weights).collect();
    tensors.extend(values.average.iter().flat_map(|average| layout.named(AVERAGE, average)));
    tensors.extend(layout.named(FIRST, &values.optimizer.first_moment));
    tensors.extend(layout.named(SECOND, &values.optimizer.second_moment));
    weights::write(&run.join(FILE_NAME), &tensors, position)
}

/// Reads the checkpoint of a run into `values`. A running mean missing from the checkpoint starts from the
/// weights.
///
/// # Errors
/// A file that is missing, damaged, or of another model.
pub fn read(run: &Path, layout: &FlatLayout, values: &mut Values) -> Result<Position> {
    let path = run.join(FILE_NAME);
    let (tensors, position): (Vec<Named>, Position) = weights::read(&path)?;
    let tensors: HashMap<String, Named> = tensors.into_iter().map(|t| (t.name.clone(), t)).collect();
    let collect =
        |prefix| layout.collect(prefix, &tensors).map_err(|problem| Error::bad_file(&path, problem));
    values.weights = collect(WEIGHTS)?;
    values.optimizer.first_moment = collect(FIRST)?;
    values.optimizer.second_moment = collect(SECOND)?;
    let has_average = tensors.keys().any(|name| name.starts_with(AVERAGE));
    if let Some(average) = &mut values.average {
        *average = if has_average { collect(AVERAGE)? } else { values.weights.clone() };
    }
    Ok(position)
}
