//! `lto data generate`: solves random problems of a PDE into a file.

use crate::args::{GenerateArgs, GlobalArgs, PdeArgs, RunArgs};
use crate::progress::Progress;
use crate::usage;
use crate::{cluster, interrupt, output};
use anyhow::Result;
use lto_numerics::generate::{Existing, Generation, Journal, Recipe};
use lto_numerics::pde::PdeConfig;
use lto_report::words::{self, duration};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// What was done, for people and programs.
#[derive(Serialize)]
pub struct Summary {
    file: PathBuf,
    bytes: u64,
    config: PdeConfig,
    seed: u64,
    samples: usize,
    /// Samples found in the journal of an earlier run.
    resumed: usize,
    /// Number of points along each axis, for each grid.
    shapes: Vec<Vec<usize>>,
    frames: usize,
    seconds: f64,
}

/// Generates the file, and says what was done.
///
/// # Errors
/// A parameter out of range, an output that cannot be written, or a problem that cannot be solved.
pub fn run(args: &GenerateArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let PdeArgs { config, run } = &args.pde;
    interrupt::listen()?;
    let Some(summary) = generate(config.clone(), run, global.quiet)? else {
        return Ok(ExitCode::from(interrupt::STATUS));
    };
    if run.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&summary)?))?;
    } else if !global.quiet {
        output::print(&summary.text())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Generates the file; `None` if interrupted, after saying so. The caller listens for interrupts.
///
/// # Errors
/// As [`run`].
pub fn generate(config: PdeConfig, run: &RunArgs, quiet: bool) -> Result<Option<Summary>> {
    let started = Instant::now();
    let recipe = Recipe::new(config, run.seed, run.n_samples);
    let existing = Existing { resume: run.resume, replace: run.force };
    let mut generation = Generation::begin_together(recipe.clone(), &run.output, existing, cluster::ranks())
        .map_err(usage::with_flag)?;
    let resumed = generation.solved();
    let all = words::count(recipe.samples, "sample");
    if resumed > 0 && !quiet {
        output::say(format_args!("continuing after {resumed} of {all}"));
    }
    let mut progress = Progress::new("samples", recipe.samples, resumed, quiet);
    let finished = generation.run(&mut |solved| progress.set(solved), &interrupt::requested);
    progress.finish();
    if !finished? {
        output::say(format_args!(
            "interrupted after {} of {all}, kept in {}; continue with the same command and --resume",
            generation.solved(),
            Journal::path_for(&run.output).display()
        ));
        return Ok(None);
    }
    let pde = generation.pde();
    Ok(Some(Summary {
        bytes: std::fs::metadata(&run.output)?.len(),
        file: run.output.clone(),
        config: recipe.config,
        seed: recipe.seed,
        samples: recipe.samples,
        resumed,
        shapes: pde.grids().iter().map(|grid| grid.shape()).collect(),
        frames: pde.times().len(),
        seconds: started.elapsed().as_secs_f64(),
    }))
}

impl Summary {
    fn text(&self) -> String {
        let grids: Vec<String> = self
            .shapes
            .iter()
            .map(|shape| shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×"))
            .collect();
        let frames =
            if self.frames > 0 { format!(", {}", words::count(self.frames, "frame")) } else { String::new() };
        let rate = (self.samples - self.resumed) as f64 / self.seconds;
        format!(
            "{}: {} of {} on {}{frames}; {} in {} ({rate:.1} samples/s)\n",
            self.file.display(),
            words::count(self.samples, "sample"),
            self.config.name(),
            grids.join(" and "),
            words::bytes(self.bytes),
            duration(self.seconds),
        )
    }
}
