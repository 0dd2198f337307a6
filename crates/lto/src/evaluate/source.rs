//! The data to evaluate models on.

use super::Part;
use crate::data::config::{DataConfig, SplitConfig};
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Setting};
use crate::train::folder::CONFIG_FILE;
use std::path::{Path, PathBuf};

/// The data of an evaluation.
#[derive(Debug)]
pub struct EvaluationData {
    /// How to read them.
    pub config: DataConfig,
    /// The default samples: those held out, or all of a file no model was trained on and no split was asked for.
    pub part: Part,
}

impl EvaluationData {
    /// The data of `config`, else of the first run that has a configuration, overridden by `file` and `set`.
    ///
    /// # Errors
    /// No data, or settings outside `data`.
    pub fn find(
        runs: &[String],
        config: Option<&Path>,
        file: Option<&Path>,
        set: &[Setting],
    ) -> Result<Self> {
        let refuse = |key: &str, value: String, requirement: &str| {
            Err(Error::Config { key: key.into(), value, requirement: requirement.into() })
        };
        if let Some(wrong) = set.iter().find(|setting| !setting.concerns("data")) {
            let requirement = "only data settings apply here, as in data.periodic=all";
            return refuse("--set", wrong.to_string(), requirement);
        }
        let overrides: Vec<Setting> =
            file.map(|file| Setting::Data(file.into())).into_iter().chain(set.iter().cloned()).collect();
        let of_runs = || runs.iter().map(|run| Path::new(run).join(CONFIG_FILE)).find(|path| path.is_file());
        let (mut config, other) = match config.map(PathBuf::from).or_else(of_runs) {
            None if file.is_none() => {
                let requirement =
                    "no run has a config.toml that names its data; give --data FILE or --config FILE";
                return refuse("data", "nothing".into(), requirement);
            }
            None => {
                // A configuration must name a model; which one does not matter here.
                let text = "[data]\n[model]\nkind = 'persistence'\n[train]\nsteps = 1";
                (Experiment::parse(text, &overrides)?.data, true)
            }
            Some(path) => {
                let trained_on = Experiment::read(&path, &[]).ok().map(|experiment| experiment.data);
                let other = match (file, trained_on) {
                    (Some(file), Some(data)) => match data.path {
                        Some(trained) => !same_file(file, &trained),
                        None => data.generate.is_some(),
                    },
                    // A configuration without data works with any file.
                    _ => false,
                };
                (Experiment::read(&path, &overrides)?.data, other)
            }
        };
        let is_set = |key: &str| set.iter().any(|setting| setting.concerns(key));
        // The training file's split and number of samples do not apply to another file.
        if other && !is_set("data.split") {
            config.split = SplitConfig::Test;
        }
        if other && !is_set("data.samples") {
            config.samples = None;
        }
        let whole = other && !is_set("data.split");
        Ok(Self { config, part: if whole { Part::All } else { Part::Test } })
    }
}

/// Whether a file is the one trained on: the same path, or the same name where that path leads nowhere, since files move and their
/// training samples must not be taken for new ones.
fn same_file(file: &Path, trained: &Path) -> bool {
    match trained.canonicalize() {
        Ok(trained) => file.canonicalize().is_ok_and(|file| file == trained),
        Err(_) => file.file_name() == trained.file_name(),
    }
}
