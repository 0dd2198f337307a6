//! `lto train`: trains a model as a configuration file says.

mod watcher;

use lto_report::training::{History, charts};
use lto_report::words;
pub use watcher::Watcher;

use crate::args::{GlobalArgs, TrainArgs};
use crate::interrupt;
use crate::output;
use anyhow::{Context, Result};
use lto::Error;
use lto::experiment::Experiment;
use lto::train::folder::REPLACEMENT;
use lto::train::{RunEnd, RunSummary, Trainer, in_order};
use lto_report::picture::raster;
use lto_report::picture::ticks::short;
use lto_report::text::Page;
use lto_report::words::duration;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was done, for people and programs.
#[derive(Serialize)]
struct Report {
    run: PathBuf,
    /// `finished` or `interrupted`.
    outcome: &'static str,
    model: PathBuf,
    parameters: usize,
    steps: u64,
    seconds: f64,
    /// The mean loss last written to the metrics, if any was.
    loss: Option<f64>,
    errors: BTreeMap<String, f64>,
    seed: u64,
}

/// The setting that names a file of data, whatever characters its name has.
pub fn data_override(file: &Path) -> String {
    format!("data.path={}", serde_json::Value::from(file.to_string_lossy()))
}

/// Trains.
///
/// # Errors
/// A configuration or data that cannot be used, a run that is there already, or training that diverges.
pub fn run(args: &TrainArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let folder = folder(args);
    let mut overrides = args.set.clone();
    overrides.extend(args.data.as_deref().map(data_override));
    overrides.extend(args.seed.map(|seed| format!("seed={seed}")));
    interrupt::listen()?;
    let mut watcher = Watcher::new(global.quiet);
    let prepared = match &args.config {
        None => Trainer::resume(&folder, &overrides, &mut watcher),
        Some(config) => {
            let experiment = Experiment::read(config, &overrides)?;
            Trainer::start(experiment, &folder, args.force, &mut watcher)
        }
    };
    let mut trainer = match prepared {
        Err(Error::Interrupted) => {
            watcher.finish();
            output::say("interrupted before training began; nothing was kept");
            return Ok(ExitCode::from(interrupt::STATUS));
        }
        Err(error) => return Err(advised(error, &folder)),
        Ok(trainer) => trainer,
    };
    let outcome = trainer.run(&mut watcher);
    watcher.finish();
    let new = folder.join(REPLACEMENT);
    let outcome = match outcome {
        Err(error) if new.exists() => {
            let said =
                format!("the run in {} is as it was; the new one is in {}", folder.display(), new.display());
            return Err(anyhow::Error::new(error).context(said));
        }
        other => other?,
    };
    let (summary, interrupted) = match outcome {
        RunEnd::Finished(summary) => (summary, false),
        RunEnd::Interrupted(summary) => (summary, true),
    };
    let history = draw_curves(&folder)?;
    let report = report(&folder, &trainer, summary, interrupted, &history);
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    } else if !global.quiet {
        output::print(&report.text(output::use_color(global.color, &std::io::stdout())))?;
    }
    if interrupted {
        output::say(format_args!(
            "interrupted after {}, all saved; continue with: lto train --resume -o {}",
            words::count(usize::try_from(report.steps).unwrap_or(usize::MAX), "step"),
            folder.display()
        ));
        return Ok(ExitCode::from(interrupt::STATUS));
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder of the run: as told, else `runs/` and the name of the configuration.
fn folder(args: &TrainArgs) -> PathBuf {
    let name = || args.config.as_ref().and_then(|config| config.file_stem()).unwrap_or_default();
    args.output.clone().unwrap_or_else(|| Path::new("runs").join(name()))
}

/// An error with what to type next.
fn advised(error: Error, folder: &Path) -> anyhow::Error {
    match error {
        Error::RunExists { .. } => anyhow::anyhow!(
            "{}: holds a run already; continue it with --resume -o {0}, or replace it with --force",
            folder.display()
        ),
        other => other.into(),
    }
}

/// Draws the training and validation curves of a run into its folder.
///
/// # Errors
/// Metrics that cannot be read, or a picture that cannot be written.
fn draw_curves(folder: &Path) -> Result<History> {
    let history = History::read(folder)?;
    if let Some(drawing) = charts(&history) {
        let picture = raster::png(&raster::rasterize(&drawing))?;
        output::write_atomically(&folder.join("loss.png"), &picture).context("drawing the loss")?;
    }
    Ok(history)
}

fn report(
    folder: &Path,
    trainer: &Trainer,
    summary: RunSummary,
    interrupted: bool,
    history: &History,
) -> Report {
    Report {
        run: folder.into(),
        outcome: if interrupted { "interrupted" } else { "finished" },
        model: summary.model,
        parameters: trainer.n_parameters(),
        steps: summary.steps,
        seconds: summary.seconds,
        loss: history.last_loss(),
        errors: summary.errors,
        seed: trainer.experiment().seed,
    }
}

impl Report {
    fn text(&self, color: bool) -> String {
        let mut page = Page::new(color);
        page.heading(&self.model.display().to_string());
        page.line(&format!(
            "{} parameters, {} steps in {}, seed {}",
            self.parameters,
            self.steps,
            duration(self.seconds),
            self.seed
        ));
        let loss = self.loss.map(|loss| vec!["training loss".into(), short(loss)]);
        let errors = in_order(&self.errors).into_iter().map(|(name, &value)| vec![name.into(), short(value)]);
        page.table("At the end", &["measure", "value"], loss.into_iter().chain(errors).collect());
        page.into_text()
    }
}
