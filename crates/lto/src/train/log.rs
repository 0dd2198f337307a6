//! What a run writes about itself: lines of metrics, and the same for TensorBoard.

use super::metrics::Metrics;
use super::tensorboard::EventFile;
use crate::error::Result;
use std::path::Path;

/// The open files.
pub struct Log {
    metrics: Metrics,
    events: EventFile,
}

impl Log {
    /// Opens the files of a run as they were after `step` steps.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn open(run: &Path, step: u64) -> Result<Self> {
        Ok(Self { metrics: Metrics::open(run, step)?, events: EventFile::create(run, step)? })
    }

    /// Writes values of a kind, `train` or `validation`, and what only the metrics keep.
    ///
    /// # Errors
    /// A full or failing disk.
    pub fn write(
        &mut self,
        step: u64,
        kind: &str,
        values: Vec<(String, f64)>,
        kept: impl IntoIterator<Item = (String, f64)>,
    ) -> Result<()> {
        let tags: Vec<String> = values.iter().map(|(name, _)| format!("{kind}/{name}")).collect();
        self.events
            .scalars(step, tags.iter().zip(&values).map(|(tag, (_, value))| (tag.as_str(), *value)))?;
        self.metrics.append(step, kind, values.into_iter().chain(kept))
    }
}
