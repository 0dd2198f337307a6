//! `lto demo`: data, training, evaluation across context sizes and a report, in one command.

mod evaluation;
mod figures;
mod pages;

use super::train::Watcher;
use crate::args::{DemoArgs, GlobalArgs};
use crate::interrupt;
use crate::output;
use anyhow::{Context, Result, ensure};
use evaluation::Evaluation;
use lto::Error;
use lto::experiment::Experiment;
use lto::model::Model;
use lto::train::{RunEnd, Trainer};
use lto_report::picture::ticks::short;
use lto_report::text::Page;
use lto_report::training::History;
use lto_report::words::duration;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The configuration that is trained; the same file works with `lto train`.
const CONFIG: &str = include_str!("demo/config.toml");

/// What was done, for people and programs.
#[derive(Serialize)]
struct Results {
    report: PathBuf,
    run: PathBuf,
    seed: u64,
    training: Training,
    evaluation: Evaluation,
    /// Everything, from start to end.
    seconds: f64,
}

/// What training came to.
#[derive(Serialize)]
struct Training {
    parameters: usize,
    steps: u64,
    seconds: f64,
    /// Errors of the last validation.
    errors: BTreeMap<String, f64>,
}

/// Runs the demonstration.
///
/// # Errors
/// A folder that cannot be written or holds an earlier demonstration, or training that diverges.
pub fn run(args: &DemoArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let started = Instant::now();
    let folder = &args.output;
    let (report, run) = (folder.join("report.html"), folder.join("run"));
    ensure!(
        args.force || !run.exists() && !report.exists(),
        "{}: holds a demonstration already; --force replaces it, -o names another folder",
        folder.display()
    );
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    interrupt::listen()?;
    let mut watcher = Watcher::new(global.quiet);
    let experiment = experiment(args)?;
    let trained = Trainer::start(experiment, &run, true, &mut watcher)
        .and_then(|mut trainer| trainer.run(&mut watcher).map(|outcome| (trainer, outcome)));
    watcher.finish();
    let (trainer, summary) = match trained {
        Ok((trainer, RunEnd::Finished(summary))) => (trainer, summary),
        Ok((_, RunEnd::Interrupted(_))) | Err(Error::Interrupted) => {
            output::say("interrupted; run the same command again with --force");
            return Ok(ExitCode::from(interrupt::STATUS));
        }
        Err(error) => return Err(error.into()),
    };
    if !global.quiet {
        output::say(format_args!(
            "trained in {}; evaluating across context sizes",
            duration(summary.seconds)
        ));
    }
    let model = Model::load(&run)?;
    let tests = evaluation::Tests::of(trainer.experiment(), args.seed)?;
    let evaluation = tests.evaluate(&model)?;
    let training = Training {
        parameters: trainer.n_parameters(),
        steps: summary.steps,
        seconds: summary.seconds,
        errors: summary.errors,
    };
    let history = History::read(&run)?;
    let results = Results {
        report,
        run,
        seed: args.seed,
        training,
        evaluation,
        seconds: started.elapsed().as_secs_f64(),
    };
    let html = pages::report(&results, &model, &tests, &history, args)?.html();
    output::write_atomically(&results.report, html.as_bytes())?;
    let results = Results { seconds: started.elapsed().as_secs_f64(), ..results };
    let json = serde_json::to_string_pretty(&results)? + "\n";
    output::write_atomically(&folder.join("results.json"), json.as_bytes())?;
    if args.json {
        output::print(&json)?;
    } else if !global.quiet {
        output::print(&results.text(output::use_color(global.color, &std::io::stdout())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The configuration with the seed and the time asked for.
fn experiment(args: &DemoArgs) -> Result<Experiment> {
    let mut experiment = Experiment::parse(CONFIG, &[])?;
    experiment.seed = args.seed;
    experiment.data.seed = args.seed;
    if args.minutes.is_some() {
        experiment.train.steps = None;
        experiment.train.minutes = args.minutes;
    }
    Ok(experiment)
}

impl Results {
    fn text(&self, color: bool) -> String {
        let mut page = Page::new(color);
        let rows = self.evaluation.designs().flat_map(|(name, sweep)| {
            sweep.errors.iter().map(move |at| {
                let error = &at.relative_l2;
                let [low, high] = error.bar();
                vec![
                    name.into(),
                    at.n_points.to_string(),
                    short(error.mean),
                    format!("{} – {}", short(low), short(high)),
                ]
            })
        });
        let columns = ["sensors", "N", "relative L2", "95 % interval"];
        page.table("Held-out forecasts, one model for every N", &columns, rows.collect());
        page.line(&format!(
            "{} parameters, {} steps in {}; all done in {}",
            self.training.parameters,
            self.training.steps,
            duration(self.training.seconds),
            duration(self.seconds)
        ));
        page.line(&format!("open {} in a browser", self.report.display()));
        page.into_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_understood_and_the_time_replaces_the_steps() {
        let args = |minutes| DemoArgs { output: "x".into(), minutes, seed: 7, force: false, json: false };
        let fixed = experiment(&args(None)).unwrap();
        assert!(fixed.train.steps.is_some() && fixed.train.minutes.is_some_and(|m| m <= 3.0));
        assert_eq!((fixed.seed, fixed.data.seed), (7, 7));
        let timed = experiment(&args(Some(0.5))).unwrap();
        assert_eq!((timed.train.steps, timed.train.minutes), (None, Some(0.5)));
    }
}
