//! `metrics.jsonl`: one JSON object per line. Every line has `step` and `kind`, `train` or `validation`.

use crate::error::{Error, Result};
use lto_numerics::dataset::write::AtomicFile;
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The file's name in the folder of a run.
pub const FILE_NAME: &str = "metrics.jsonl";

/// Appends lines.
pub struct Metrics {
    path: PathBuf,
    file: File,
}

impl Metrics {
    /// Opens the metrics of a run as they were after `step` steps; later lines, and an incomplete last one,
    /// are removed.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(run: &Path, step: u64) -> Result<Self> {
        let path = run.join(FILE_NAME);
        let text = match std::fs::read_to_string(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
            read => read.map_err(Error::io(&path))?,
        };
        let keep = |line: &&str| {
            let parsed: Option<Value> = serde_json::from_str(line).ok();
            parsed.and_then(|v| v.get("step")?.as_u64()).is_some_and(|s| s <= step)
        };
        let kept: String = text.lines().filter(keep).flat_map(|line| [line, "\n"]).collect();
        if kept != text {
            let mut file = AtomicFile::create(&path)?;
            file.file().write_all(kept.as_bytes()).map_err(Error::io(&path))?;
            file.finish()?;
        }
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(Error::io(&path))?;
        Ok(Self { path, file })
    }

    /// Appends a line.
    ///
    /// # Errors
    /// A full or failing disk.
    pub fn append(
        &mut self,
        step: u64,
        kind: &str,
        values: impl IntoIterator<Item = (String, f64)>,
    ) -> Result<()> {
        let mut object = Map::new();
        object.insert("step".into(), step.into());
        object.insert("kind".into(), kind.into());
        object.extend(values.into_iter().map(|(name, value)| (name, value.into())));
        let line = format!("{}\n", Value::Object(object));
        self.file.write_all(line.as_bytes()).map_err(Error::io(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reopening_takes_away_what_came_after_the_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let mut metrics = Metrics::open(folder.path(), 0).unwrap();
        for step in [10, 20, 30] {
            metrics.append(step, "train", [("loss".to_string(), 0.5)]).unwrap();
        }
        drop(metrics);
        let path = folder.path().join(FILE_NAME);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"step\": 5, \"ki");
        std::fs::write(&path, &text).unwrap();
        let mut metrics = Metrics::open(folder.path(), 20).unwrap();
        metrics.append(21, "validation", [("relative_l2".to_string(), 0.25)]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.iter().map(|l| l["step"].as_u64().unwrap()).collect::<Vec<_>>(), [10, 20, 21]);
        assert_eq!((&lines[2]["kind"], &lines[2]["relative_l2"]), (&"validation".into(), &0.25.into()));
    }
}
