//! `lto evaluate`: the errors of models, as JSON, tables and a report.

use super::compare::{check_output, present};
use super::train::Watcher;
use crate::args::{EvaluateArgs, GlobalArgs, ShownArgs};
use crate::{interrupt, output};
use anyhow::{Context, Result};
use lto::evaluate::run::{quoted, write};
use lto::evaluate::{Evaluation, Evaluator, Part};
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
    interrupt::listen()?;
    let evaluator = Evaluator::open(&args.request())?;
    if !global.quiet {
        evaluator.notes().iter().for_each(output::say);
        output::say(samples_in_words(evaluator.samples()?));
    }
    let command = std::env::args().map(|arg| quoted(&arg)).collect::<Vec<_>>().join(" ");
    let mut evaluations = Vec::with_capacity(args.runs.len());
    for run in &args.runs {
        let mut watcher = Watcher::new(global.quiet);
        let mut progress =
            |done, total| watcher.progress("samples of all cases", done, total) == Control::Continue;
        let evaluated = evaluator.evaluate(run, args.allow_extrapolation || args.shown.force, &mut progress);
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
fn samples_in_words((part, n, of): (Part, usize, usize)) -> String {
    match part {
        Part::All if n == of => format!("evaluating on all {}", words::count(n, "sample")),
        Part::All => format!("evaluating on {n} of all {of} samples"),
        part => format!("evaluating on {n} of {of} samples of the {} part", part.name()),
    }
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
