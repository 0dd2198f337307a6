//! The result of training.

use super::{RunEnd, Trainer};
use crate::train::history::History;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A run that ended or was interrupted.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// Its folder.
    pub run: PathBuf,
    /// `finished` or `interrupted`.
    pub outcome: &'static str,
    /// The file of the model.
    pub model: PathBuf,
    /// Number of parameters.
    pub parameters: usize,
    /// Steps done.
    pub steps: u64,
    /// Wall time of training, over all sessions.
    pub seconds: f64,
    /// The mean loss last written to the metrics, if any.
    pub loss: Option<f64>,
    /// Errors of the last validation.
    pub errors: BTreeMap<String, f64>,
    /// Seed of weights and training.
    pub seed: u64,
}

impl RunReport {
    /// The report on training in a folder.
    pub fn new(run: &Path, trainer: &Trainer, outcome: RunEnd, history: &History) -> Self {
        let (outcome, summary) = match outcome {
            RunEnd::Finished(summary) => ("finished", summary),
            RunEnd::Interrupted(summary) => ("interrupted", summary),
        };
        Self {
            run: run.into(),
            outcome,
            model: summary.model,
            parameters: trainer.n_parameters(),
            steps: summary.steps,
            seconds: summary.seconds,
            loss: history.last_loss(),
            errors: summary.errors,
            seed: trainer.experiment().seed,
        }
    }
}
