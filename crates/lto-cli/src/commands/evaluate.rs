//! `lto evaluate`: the errors of models, as JSON, tables and a report.

use crate::args::{EvaluateArgs, GlobalArgs, ShownArgs};
use crate::evaluation::{formatted, read_published, report, tables};
use crate::progress::Progress;
use crate::{interrupt, memory, output};
use anyhow::{Context, Result, bail};
use lto::data::Data;
use lto::data::config::DataConfig;
use lto::evaluate::evaluation::{self, Evaluation, ModelInfo};
use lto::evaluate::{EvaluationConfig, Levels, evaluate};
use lto::experiment::Experiment;
use lto::model::{Model, ModelConfig};
use lto::train::folder::CONFIG_FILE;
use lto::train::metrics;
use lto::{Device, Error};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Evaluates.
///
/// # Errors
/// A model or data that cannot be used, or a protocol that the data do not allow.
pub fn run(args: &EvaluateArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let config = data_config(args)?;
    interrupt::listen()?;
    let native = Data::open(&config, 1.0)?.layout().grid.shape()[0];
    let protocol = args.protocol().with_default_resolutions(native);
    let levels = Levels::open(&config, &protocol.all_resolutions())?;
    if !global.quiet {
        levels.notes().iter().for_each(|note| eprintln!("{note}"));
    }
    let command = std::env::args().map(|arg| quoted(&arg)).collect::<Vec<_>>().join(" ");
    let mut evaluations = Vec::with_capacity(args.runs.len());
    for run in &args.runs {
        let model = model(run, &levels)?;
        match one(run, &model, &levels, &protocol, global.quiet) {
            Ok(evaluation) => evaluations.push(Evaluation { command: command.clone(), ..evaluation }),
            Err(Error::Interrupted) => {
                eprintln!("interrupted; nothing was written");
                return Ok(ExitCode::from(interrupt::STATUS));
            }
            Err(error) => return Err(error).with_context(|| format!("evaluating {run}")),
        }
    }
    present(&evaluations, &args.shown, global)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the folder, if one is wanted, and prints tables or JSON.
///
/// # Errors
/// A folder that cannot be written, or published numbers that cannot be read.
pub fn present(evaluations: &[Evaluation], shown: &ShownArgs, global: &GlobalArgs) -> Result<()> {
    let published = shown.published.as_deref().map(read_published).transpose()?.unwrap_or_default();
    let text = evaluation::to_json(evaluations)?;
    if let Some(folder) = &shown.output {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        output::write_atomically(&folder.join(evaluation::FILE_NAME), format!("{text}\n").as_bytes())?;
        let page = folder.join("report.html");
        output::write_atomically(&page, report(evaluations, &published)?.html().as_bytes())?;
        if !global.quiet {
            eprintln!("written: {} and {}", folder.join(evaluation::FILE_NAME).display(), page.display());
        }
    }
    if shown.json {
        return output::print(&format!("{text}\n"));
    }
    let color = output::use_color(global.color, &std::io::stdout());
    output::print(&formatted(&tables(evaluations, &published), shown.format, color))
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
    let info = ModelInfo {
        run: run.into(),
        kind: model.card().model.name().into(),
        parameters: model.operator().n_parameters(),
        steps: model.card().steps,
        train_seconds: train_seconds(Path::new(run)),
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
pub fn model(run: &str, levels: &Levels) -> Result<Model> {
    let untrained =
        [ModelConfig::Persistence, ModelConfig::Interpolation].into_iter().find(|m| m.name() == run);
    match untrained {
        Some(config) => Ok(levels.data().untrained(config, &Device::flex())?),
        None => Ok(Model::load(Path::new(run), &Device::flex())?),
    }
}

/// What to evaluate on: the data of a configuration, that of the first run that has one unless told, with what the command line says.
fn data_config(args: &EvaluateArgs) -> Result<DataConfig> {
    let file = |path: &PathBuf| format!("data.path={}", Value::from(path.to_string_lossy()));
    let overrides: Vec<String> = args.data.iter().map(file).chain(args.set.iter().cloned()).collect();
    if let Some(wrong) = args.set.iter().find(|set| !set.trim_start().starts_with("data.")) {
        bail!("--set {wrong}: only options of the data can be set here, as in data.periodic=all");
    }
    let of_runs = || args.runs.iter().map(|run| Path::new(run).join(CONFIG_FILE)).find(|path| path.is_file());
    let configured = args.config.clone().or_else(of_runs);
    Ok(match configured {
        Some(path) => Experiment::read(&path, &overrides)?.data,
        None if args.data.is_none() => {
            bail!("no run has a {CONFIG_FILE} that says what its data are; give --data FILE or --config FILE")
        }
        None => {
            // A configuration must name a model; which one does not matter for its data.
            let text = "[data]\n[model]\nkind = 'persistence'\n[train]\nsteps = 1";
            Experiment::parse(text, &overrides)?.data
        }
    })
}

/// Wall time of training, as its metrics say.
fn train_seconds(run: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(run.join(metrics::FILE_NAME)).ok()?;
    let seconds = |line: &str| serde_json::from_str::<Value>(line).ok()?.get("seconds")?.as_f64();
    text.lines().rev().find_map(seconds)
}

/// An argument as a shell takes it.
fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        arg.into()
    } else {
        format!("'{}'", arg.replace('\'', "'\\''"))
    }
}
