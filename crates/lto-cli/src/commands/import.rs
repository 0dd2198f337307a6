//! `lto import`: makes a model from weights trained elsewhere.

use crate::args::{GlobalArgs, ImportArgs, ImportSource};
use crate::interrupt;
use crate::output;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use lto::experiment::{Experiment, Setting};
use lto::import::{Imported, import};
use lto::train::folder;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was done, for people and programs.
#[derive(Serialize)]
struct ImportReport {
    model: PathBuf,
    architecture: &'static str,
    parameters: usize,
    from: PathBuf,
    /// Where its inputs differ from those in the program that trained it.
    notes: Vec<String>,
}

/// Reads, matches and writes.
///
/// # Errors
/// A configuration, data or weights that cannot be used, or do not fit each other.
pub fn run(args: &ImportArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let overrides = [args.set.clone(), args.data.clone().map(Setting::Data).into_iter().collect()].concat();
    let experiment = Experiment::read(&args.config, &overrides)?;
    let architecture = experiment.model.name();
    if architecture != args.arch {
        bail!("--arch {}: the model of {} is \"{architecture}\"", args.arch, args.config.display());
    }
    if !is_file(&args.output) {
        folder::refuse_existing(&args.output)?;
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
    let Imported { model, notes } = match imported {
        Err(error) => return interrupt::or_fail(error.into(), "nothing was written"),
        Ok(imported) => imported,
    };
    let run = (!is_file(&args.output)).then_some(args.output.as_path());
    let path = run.map_or(args.output.clone(), |run| run.join(lto::model::FILE_NAME));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    model.save(&path)?;
    if let Some(run) = run {
        folder::write_config(run, &experiment)?;
    }
    let parameters = model.operator().n_parameters();
    let report = ImportReport { model: path, architecture, parameters, from: args.file.clone(), notes };
    let text = |_| format!("{}: {architecture}, {parameters} parameters\n", report.model.display());
    output::print_results(&report, args.json, global, text)?;
    if !args.json && !global.quiet {
        report.notes.iter().for_each(|note| output::say(format_args!("note: {note}")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether to write a single file, not the folder of a run.
fn is_file(output: &Path) -> bool {
    output.extension().is_some_and(|suffix| suffix == "safetensors")
}
