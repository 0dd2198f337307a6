//! `lto evaluate`: the errors of models, as JSON, tables and a report.

use super::compare::{check_output, present};
use super::train::Watcher;
use crate::args::{EvaluateArgs, GlobalArgs, ShownArgs};
use crate::{cluster, device, interrupt, output};
use anyhow::{Context, Result};
use lto::evaluate::run::{quoted, write};
use lto::evaluate::stations::StationEvaluation;
use lto::evaluate::{Evaluation, EvaluationData, Evaluator, Part};
use lto::reproduce::StageObserver;
use lto::train::Control;
use lto_report::evaluation::Format;
use lto_report::{stations, words};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The file of an evaluation at stations.
const STATIONS: &str = "stations.json";

/// Evaluates.
///
/// # Errors
/// A model or data that cannot be used, a protocol the data do not allow, or a folder that already holds
/// results.
pub fn run(args: &EvaluateArgs, global: &GlobalArgs) -> Result<ExitCode> {
    check_output(&args.shown)?;
    device::find(args.device, global)?;
    interrupt::listen()?;
    let source = EvaluationData::find(&args.runs, args.config.as_deref(), args.data.as_deref(), &args.set)?;
    if source.config.records.is_some() {
        // Seconds: the first process does it.
        return if cluster::is_first() { at_stations(args, global) } else { Ok(ExitCode::SUCCESS) };
    }
    let evaluator = Evaluator::open(&args.request())?.together(cluster::ranks());
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
    if !cluster::is_first() {
        return Ok(ExitCode::SUCCESS);
    }
    keep(&evaluations, &args.shown, global.quiet);
    present(&evaluations, &args.shown, global)?;
    Ok(ExitCode::SUCCESS)
}

/// Evaluates at the stations of records.
fn at_stations(args: &EvaluateArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let mut watcher = Watcher::new(global.quiet);
    let mut progress = |done, total| watcher.progress("rows of all tables", done, total) == Control::Continue;
    let extrapolate = args.allow_extrapolation || args.shown.force;
    let evaluated = StationEvaluation::new(&args.stations(), extrapolate, &mut progress);
    watcher.finish();
    let evaluation = match evaluated {
        Ok(evaluation) => evaluation,
        Err(error) => return interrupt::or_fail(error.into(), "nothing was written"),
    };
    let json = serde_json::to_string_pretty(&evaluation)? + "\n";
    if let Some(folder) = &args.shown.output {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let file = folder.join(STATIONS);
        output::write_atomically(&file, json.as_bytes())?;
        if !global.quiet {
            output::say(format_args!("written: {}", file.display()));
        }
    }
    let color = output::use_color(global.color, &std::io::stdout());
    output::print(&match (args.shown.json, args.shown.format) {
        (true, _) => json,
        (false, Format::Markdown) => stations::markdown(&evaluation),
        (false, _) => stations::text(&evaluation, color),
    })?;
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
