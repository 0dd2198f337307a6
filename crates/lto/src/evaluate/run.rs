//! The evaluation of a run: its model, what is known of its training, and where the result goes.

use super::evaluation::{self, Evaluation, ModelInfo};
use super::protocol::Progress;
use super::{EvaluationConfig, Levels, evaluate_together};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::model::{Model, ModelConfig};
use crate::peak_memory;
use crate::train::folder::CONFIG_FILE;
use crate::train::history::History;
use lto_numerics::dataset::write::AtomicFile;
use lto_numerics::ranks::Ranks;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The model of a run, or one that needs no training: `persistence`, `interpolation`.
///
/// # Errors
/// A folder without a model, or one that is damaged.
pub fn load(run: &str, data: &Data) -> Result<Model> {
    // The name of a kind says all of a model only where there is nothing to configure, let alone to train.
    match serde_json::from_value::<ModelConfig>(serde_json::json!({ "kind": run })) {
        Ok(config) => data.untrained(config),
        Err(_) => Model::load(run),
    }
}

/// Evaluates the model of a run, and records the peak memory.
///
/// # Errors
/// As [`evaluate_together`].
pub fn evaluate_run(
    run: &str,
    model: &Model,
    levels: &Levels,
    protocol: &EvaluationConfig,
    ranks: &dyn Ranks,
    progress: &mut Progress,
) -> Result<Evaluation> {
    let config = Path::new(run).join(CONFIG_FILE);
    let experiment = Experiment::read(&config, &[]).ok();
    let info = ModelInfo {
        run: run.into(),
        kind: model.card().model.name().into(),
        parameters: model.operator().n_parameters(),
        steps: model.card().steps,
        train_seconds: History::read(Path::new(run)).ok().and_then(|history| history.seconds),
        seed: experiment.as_ref().map(|experiment| experiment.seed),
        train_command: experiment
            .map(|_| format!("lto train {} -o {}", quoted(&config.to_string_lossy()), quoted(run))),
    };
    peak_memory::reset();
    let evaluation = evaluate_together(model, info, levels, protocol, ranks, progress)?;
    Ok(Evaluation { peak_mb: peak_memory::megabytes(), ..evaluation })
}

/// Writes evaluations to a folder, replacing earlier ones; returns the file.
///
/// # Errors
/// A folder that cannot be written.
pub fn write(folder: &Path, evaluations: &[Evaluation]) -> Result<PathBuf> {
    let path = folder.join(evaluation::FILE_NAME);
    let mut file = AtomicFile::create(&path)?;
    let text = format!("{}\n", evaluation::to_json(evaluations)?);
    file.file().write_all(text.as_bytes()).map_err(Error::io(&path))?;
    file.finish()?;
    Ok(path)
}

/// An argument quoted for a shell.
pub fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.into()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}
