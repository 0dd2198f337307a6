//! `lto evaluate`: the errors of models, as JSON, tables and a report.

use super::compare::{check_output, present};
use super::train::Watcher;
use crate::args::{EvaluateArgs, GlobalArgs, ShownArgs};
use crate::{interrupt, output};
use anyhow::{Context, Result};
use lto::data::Data;
use lto::evaluate::run::{evaluate_run, load, quoted, write};
use lto::evaluate::shape::default_resolutions;
use lto::evaluate::{Evaluation, EvaluationConfig, EvaluationData, Levels, Part};
use lto::reproduce::StageObserver;
use lto::train::Control;
use lto_report::words;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Evaluates.
///
/// # Errors
/// A model or data that cannot be used, a protocol the data do not allow, or a folder that already holds
/// results.
pub fn run(args: &EvaluateArgs, global: &GlobalArgs) -> Result<ExitCode> {
    check_output(&args.shown)?;
    let source = EvaluationData::find(&args.runs, args.config.as_deref(), args.data.as_deref(), &args.set)?;
    interrupt::listen()?;
    let data = Data::open(&source.config, 1.0)?;
    // Every model is opened before any is evaluated, so that unreadable ones fail at once.
    let mut history = 1;
    for run in &args.runs {
        history = history.max(load(run, &data)?.card().problem.history());
    }
    let mut protocol = args.protocol(source.part, history);
    if protocol.all_resolutions().is_empty() {
        protocol.resolutions = default_resolutions(&data.layout().grid);
    }
    let levels = Levels::open(&source.config, &protocol.all_resolutions())?;
    if !global.quiet {
        levels.notes().iter().for_each(output::say);
        output::say(samples_in_words(&protocol, &data)?);
    }
    let command = std::env::args().map(|arg| quoted(&arg)).collect::<Vec<_>>().join(" ");
    let mut evaluations = Vec::with_capacity(args.runs.len());
    for run in &args.runs {
        let mut model = load(run, &data)?;
        if args.allow_extrapolation || args.shown.force {
            model = model.extrapolating();
        }
        let mut watcher = Watcher::new(global.quiet);
        let mut progress =
            |done, total| watcher.progress("samples of all cases", done, total) == Control::Continue;
        let evaluated = evaluate_run(run, &model, &levels, &protocol, &mut progress);
        watcher.finish();
        match evaluated.with_context(|| format!("evaluating {run}")) {
            Ok(evaluation) => evaluations.push(Evaluation { command: command.clone(), ..evaluation }),
            Err(error) => return interrupt::or_fail(error, "nothing was written"),
        }
    }
    keep(&evaluations, &args.shown, global.quiet);
    present(&evaluations, &args.shown, global)?;
    Ok(ExitCode::SUCCESS)
}

/// How many of the samples are used, and which.
fn samples_in_words(protocol: &EvaluationConfig, data: &Data) -> Result<String> {
    let (n, of) = (protocol.chosen_samples(data)?.len(), data.layout().n_samples);
    Ok(match protocol.split {
        Part::All if n == of => format!("evaluating on all {}", words::count(n, "sample")),
        Part::All => format!("evaluating on {n} of all {of} samples"),
        part => format!("evaluating on {n} of {of} samples of the {} part", part.name()),
    })
}

/// Leaves the result of each run in its folder, where `lto compare` looks for it. A folder that cannot be
/// written only gives a warning: the results are not lost.
fn keep(evaluations: &[Evaluation], shown: &ShownArgs, quiet: bool) {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    let output = shown.output.as_deref().map(real);
    for one in evaluations {
        let run = Path::new(&one.model.run);
        // All results go into the folder of -o anyway.
        if !run.is_dir() || output.as_ref().is_some_and(|output| *output == real(run)) {
            continue;
        }
        match write(run, std::slice::from_ref(one)) {
            Ok(_) if quiet => {}
            Ok(file) => output::say(format_args!("kept: {}", file.display())),
            Err(error) => {
                output::say(format_args!("warning: the result could not be kept with the run: {error:#}"))
            }
        }
    }
}
