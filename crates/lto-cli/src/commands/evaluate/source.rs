//! What models are evaluated on.

use crate::args::EvaluateArgs;
use crate::commands::train::data_override;
use anyhow::{Result, bail};
use lto::data::config::{DataConfig, SplitConfig};
use lto::evaluate::Part;
use lto::experiment::Experiment;
use lto::train::folder::CONFIG_FILE;
use std::path::{Path, PathBuf};

/// The data of an evaluation.
#[derive(Debug)]
pub struct Source {
    /// How they are read.
    pub config: DataConfig,
    /// Which samples unless told: those held out, or all of a file that no model was trained on.
    pub part: Part,
}

/// The data of a configuration, that of the first run that has one unless told, with what the command line says.
///
/// # Errors
/// No data, or settings that are none of data.
pub fn source(args: &EvaluateArgs) -> Result<Source> {
    if let Some(wrong) = args.set.iter().find(|set| !set.trim_start().starts_with("data.")) {
        bail!("--set {wrong}: only options of the data can be set here, as in data.periodic=all");
    }
    let overrides: Vec<String> =
        args.data.as_deref().map(data_override).into_iter().chain(args.set.iter().cloned()).collect();
    let of_runs = || args.runs.iter().map(|run| Path::new(run).join(CONFIG_FILE)).find(|path| path.is_file());
    let (mut config, other) = match args.config.clone().or_else(of_runs) {
        None if args.data.is_none() => {
            bail!("no run has a {CONFIG_FILE} that says what its data are; give --data FILE or --config FILE")
        }
        None => {
            // A configuration must name a model; which one does not matter for its data.
            let text = "[data]\n[model]\nkind = 'persistence'\n[train]\nsteps = 1";
            (Experiment::parse(text, &overrides)?.data, true)
        }
        Some(path) => {
            let trained_on = Experiment::read(&path, &[]).ok().map(|experiment| experiment.data);
            let other = match (&args.data, trained_on) {
                (Some(file), Some(data)) => match data.path {
                    Some(trained) => !same_file(file, &trained),
                    None => data.generate.is_some(),
                },
                // A configuration without data is for whatever file it is given.
                _ => false,
            };
            (Experiment::read(&path, &overrides)?.data, other)
        }
    };
    let set = |key: &str| args.set.iter().any(|set| set.trim_start().starts_with(key));
    // The training file's split and number of samples say nothing of another.
    if other && !set("data.split") {
        config.split = SplitConfig::Test;
    }
    if other && !set("data.samples") {
        config.samples = None;
    }
    Ok(Source { config, part: if other { Part::All } else { Part::Test } })
}

fn same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    real(a) == real(b)
}
