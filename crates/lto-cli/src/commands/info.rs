//! `lto info`: says what a model is.

mod report;

use crate::args::{GlobalArgs, InfoArgs};
use crate::output;
use anyhow::Result;
use lto::data::Data;
use lto::experiment::Experiment;
use lto::model::{FILE_NAME, Model};
use lto::train::folder::CONFIG_FILE;
use report::Report;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints the report.
///
/// # Errors
/// A model or configuration that cannot be read.
pub fn run(args: &InfoArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let report = match configuration(&args.model) {
        Some(config) => of_configuration(&config)?,
        None => Report::of_model(&args.model, &Model::load(&args.model)?),
    };
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    } else {
        output::print(&report.text(output::use_color(global.color, &std::io::stdout())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The configuration a path names: a TOML file, or that of a run that has no model yet.
fn configuration(path: &Path) -> Option<PathBuf> {
    if path.extension().is_some_and(|suffix| suffix == "toml") {
        return Some(path.into());
    }
    let config = path.join(CONFIG_FILE);
    (!path.join(FILE_NAME).exists() && config.is_file()).then_some(config)
}

/// The report on a model that is not trained yet, built as its configuration says.
fn of_configuration(path: &Path) -> Result<Report> {
    let experiment = Experiment::read(path, &[])?;
    let data = Data::open(&experiment.data, experiment.train.context.largest_fraction())?;
    Ok(Report::of_untrained(path, &data.untrained(experiment.model)?))
}
