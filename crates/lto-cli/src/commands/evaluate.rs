//! `lto evaluate`: the errors of models, as JSON, tables and a report.

mod kept;
mod source;

use crate::args::{EvaluateArgs, GlobalArgs, ShownArgs};
use crate::progress::Progress;
use crate::{interrupt, memory, output};
use anyhow::{Context, Result};
use lto::Error;
use lto::data::Data;
use lto::evaluate::compare::differences;
use lto::evaluate::evaluation::{self, Evaluation, ModelInfo};
use lto::evaluate::shape::default_resolutions;
use lto::evaluate::{EvaluationConfig, Levels, Part, evaluate};
use lto::experiment::Experiment;
use lto::model::{Model, ModelConfig};
use lto::train::folder::CONFIG_FILE;
use lto::train::metrics;
use lto_report::evaluation::{Look, formatted, read_published};
use lto_report::words;
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

pub use kept::check_output;

/// Evaluates.
///
/// # Errors
/// A model or data that cannot be used, a protocol that the data do not allow, or a folder that holds results.
pub fn run(args: &EvaluateArgs, global: &GlobalArgs) -> Result<ExitCode> {
    check_output(&args.shown)?;
    let source = source::source(args)?;
    interrupt::listen()?;
    let data = Data::open(&source.config, 1.0)?;
    // All models are looked at before any is evaluated: what cannot be read is told at once.
    let mut history = 1;
    for run in &args.runs {
        history = history.max(model(run, &data)?.card().problem.history());
    }
    let mut protocol = args.protocol(source.part, history);
    if protocol.all_resolutions().is_empty() {
        protocol.resolutions = default_resolutions(&data.layout().grid);
    }
    let levels = Levels::open(&source.config, &protocol.all_resolutions())?;
    if !global.quiet {
        levels.notes().iter().for_each(output::say);
        output::say(said_samples(&protocol, &data)?);
    }
    let command = std::env::args().map(|arg| quoted(&arg)).collect::<Vec<_>>().join(" ");
    let mut evaluations = Vec::with_capacity(args.runs.len());
    for run in &args.runs {
        let mut model = model(run, &data)?;
        if args.allow_extrapolation || args.shown.force {
            model = model.extrapolating();
        }
        match one(run, &model, &levels, &protocol, global.quiet) {
            Ok(evaluation) => evaluations.push(Evaluation { command: command.clone(), ..evaluation }),
            Err(Error::Interrupted) => {
                output::say("interrupted; nothing was written");
                return Ok(ExitCode::from(interrupt::STATUS));
            }
            Err(error) => return Err(error).with_context(|| format!("evaluating {run}")),
        }
    }
    kept::keep(&evaluations, &args.shown, global.quiet)?;
    present(&evaluations, &args.shown, global)?;
    Ok(ExitCode::SUCCESS)
}

/// How many samples of how many, and which.
fn said_samples(protocol: &EvaluationConfig, data: &Data) -> Result<String> {
    let (n, of) = (protocol.chosen_samples(data)?.len(), data.layout().n_samples);
    Ok(match protocol.split {
        Part::All if n == of => format!("evaluating on all {}", words::count(n, "sample")),
        Part::All => format!("evaluating on {n} of all {of} samples"),
        part => format!("evaluating on {n} of {of} samples, of the {} part", part.name()),
    })
}

/// Writes the folder, if one is wanted, and prints tables or JSON.
///
/// # Errors
/// A folder that cannot be written, or published numbers that cannot be read.
pub fn present(evaluations: &[Evaluation], shown: &ShownArgs, global: &GlobalArgs) -> Result<()> {
    let published = shown.published.as_deref().map(read_published).transpose()?.unwrap_or_default();
    let look = Look::new(shown.metric, &published);
    kept::write(evaluations, &look, shown, global.quiet)?;
    for difference in differences(evaluations) {
        output::say(format_args!("warning: {}", difference.text));
    }
    if shown.json {
        return output::print(&format!("{}\n", evaluation::to_json(evaluations)?));
    }
    let color = output::use_color(global.color, &std::io::stdout());
    output::print(&formatted(evaluations, &look, shown.format, color))
}

/// Evaluates one model, with progress.
///
/// # Errors
/// As [`evaluate`].
pub fn one(
    run: &str,
    model: &Model,
    levels: &Levels,
    protocol: &EvaluationConfig,
    quiet: bool,
) -> lto::Result<Evaluation> {
    memory::forget_peak();
    let config = Path::new(run).join(CONFIG_FILE);
    let experiment = Experiment::read(&config, &[]).ok();
    let info = ModelInfo {
        run: run.into(),
        kind: model.card().model.name().into(),
        parameters: model.operator().n_parameters(),
        steps: model.card().steps,
        train_seconds: train_seconds(Path::new(run)),
        seed: experiment.as_ref().map(|experiment| experiment.seed),
        train_command: experiment
            .map(|_| format!("lto train {} -o {}", quoted(&config.to_string_lossy()), quoted(run))),
    };
    let mut progress: Option<Progress> = None;
    let mut report = |done: usize, total: usize| {
        progress.get_or_insert_with(|| Progress::new("samples of all cases", total, 0, quiet)).set(done);
        !interrupt::requested()
    };
    let evaluated = evaluate(model, info, levels, protocol, &mut report);
    if let Some(progress) = progress {
        progress.finish();
    }
    Ok(Evaluation { peak_mb: memory::peak_mb(), ..evaluated? })
}

/// A trained model, or one that needs no training.
///
/// # Errors
/// A folder without a model, or one that is damaged.
pub fn model(run: &str, data: &Data) -> Result<Model> {
    let untrained =
        [ModelConfig::Persistence, ModelConfig::Interpolation].into_iter().find(|m| m.name() == run);
    match untrained {
        Some(config) => Ok(data.untrained(config)?),
        None => Ok(Model::load(run)?),
    }
}

/// Wall time of training, as its metrics say.
fn train_seconds(run: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(run.join(metrics::FILE_NAME)).ok()?;
    let seconds = |line: &str| serde_json::from_str::<Value>(line).ok()?.get("seconds")?.as_f64();
    text.lines().rev().find_map(seconds)
}

/// An argument as a shell takes it.
pub fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        arg.into()
    } else {
        format!("'{}'", arg.replace('\'', "'\\''"))
    }
}
