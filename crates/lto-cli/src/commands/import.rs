//! `lto import`: makes a model of weights that were trained elsewhere.

use super::train::data_override;
use crate::args::{GlobalArgs, ImportArgs, ImportSource};
use crate::interrupt;
use crate::output;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use lto::Error;
use lto::experiment::Experiment;
use lto::import::import;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was done, for people and programs.
#[derive(Serialize)]
struct Report {
    model: PathBuf,
    architecture: &'static str,
    parameters: usize,
    from: PathBuf,
}

/// Reads, matches and writes.
///
/// # Errors
/// A configuration, data or weights that cannot be used, or do not fit each other.
pub fn run(args: &ImportArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let mut overrides = args.set.clone();
    overrides.extend(args.data.as_deref().map(data_override));
    let experiment = Experiment::read(&args.config, &overrides)?;
    let architecture = experiment.model.name();
    if architecture != args.arch {
        bail!("--arch {}: the model of {} is \"{architecture}\"", args.arch, args.config.display());
    }
    interrupt::listen()?;
    let mut progress = Progress::new("samples for the normalization", 0, 0, global.quiet);
    let mut watch = |done, total| {
        progress.show(done, Some(total), String::new);
        !interrupt::requested()
    };
    let imported = match args.from {
        ImportSource::Pytorch => import(&experiment, &args.file, &mut watch),
    };
    progress.finish();
    let model = match imported {
        Err(Error::Interrupted) => {
            eprintln!("interrupted; nothing was written");
            return Ok(ExitCode::from(interrupt::STATUS));
        }
        other => other?,
    };
    if let Some(folder) = args.output.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    model.save(&args.output)?;
    let parameters = model.operator().n_parameters();
    let (model, from) = (args.output.clone(), args.file.clone());
    let report = Report { model, architecture, parameters, from };
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    } else if !global.quiet {
        output::print(&format!("{}: {architecture}, {parameters} parameters\n", report.model.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
