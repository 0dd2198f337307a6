//! `lto train`: trains a model from a configuration file.

mod watcher;

pub use watcher::Watcher;

use crate::args::{GlobalArgs, TrainArgs};
use crate::{cluster, device, interrupt, output};
use anyhow::{Context, Result};
use lto::Error;
use lto::experiment::{Experiment, Setting};
use lto::train::folder::REPLACEMENT;
use lto::train::history::History;
use lto::train::report::RunReport;
use lto::train::{RunEnd, Trainer};
use lto_report::training::{text, write_charts};
use lto_report::words;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Trains.
///
/// # Errors
/// A configuration or data that cannot be used, an existing run, or training that diverges.
pub fn run(args: &TrainArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let folder = folder(args);
    let data = args.data.clone().map(Setting::Data);
    let overrides =
        [args.set.clone(), data.into_iter().chain(args.seed.map(Setting::Seed)).collect()].concat();
    let device = device::find(args.device, global)?;
    interrupt::listen()?;
    let (ranks, mut watcher) = (cluster::ranks(), Watcher::new(global.quiet));
    let prepared = match &args.config {
        None => Trainer::resume_together(&folder, &overrides, ranks.clone(), &mut watcher),
        Some(config) => Experiment::read(config, &overrides).and_then(|experiment| {
            Trainer::start_together(experiment, &folder, args.force, ranks.clone(), &mut watcher)
        }),
    };
    let mut trainer = match prepared.and_then(|trainer| trainer.on(device)) {
        Err(error) => {
            watcher.finish();
            return interrupt::or_fail(advised(error, &folder), "training had not begun; nothing was kept");
        }
        Ok(trainer) => trainer,
    };
    let outcome = trainer.run(&mut watcher);
    watcher.finish();
    let new = folder.join(REPLACEMENT);
    let outcome = match outcome {
        Err(error) if new.exists() => {
            let said =
                format!("the run in {} is unchanged; the new one is in {}", folder.display(), new.display());
            return Err(anyhow::Error::new(error).context(said));
        }
        other => other?,
    };
    let interrupted = matches!(outcome, RunEnd::Interrupted(_));
    let status = if interrupted { ExitCode::from(interrupt::STATUS) } else { ExitCode::SUCCESS };
    if !ranks.is_first() {
        return Ok(status);
    }
    let history = History::read(&folder)?;
    write_charts(&folder, &history).context("drawing the loss")?;
    let report = RunReport::new(&folder, &trainer, outcome, &history);
    output::print_results(&report, args.json, global, |color| text(&report, color))?;
    if interrupted {
        output::say(format_args!(
            "interrupted after {}, all saved; continue with: lto train --resume -o {}",
            words::count(usize::try_from(report.steps).unwrap_or(usize::MAX), "step"),
            folder.display()
        ));
    }
    Ok(status)
}

/// The folder of the run: the one given, else `runs/` and the name of the configuration.
fn folder(args: &TrainArgs) -> PathBuf {
    let name = || args.config.as_ref().and_then(|config| config.file_stem()).unwrap_or_default();
    args.output.clone().unwrap_or_else(|| Path::new("runs").join(name()))
}

/// The error, with what to type next.
fn advised(error: Error, folder: &Path) -> anyhow::Error {
    match error {
        Error::RunExists { .. } => anyhow::anyhow!(
            "{}: already holds a run; continue it with --resume -o {0}, or replace it with --force",
            folder.display()
        ),
        other => other.into(),
    }
}
