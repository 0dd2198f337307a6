//! `lto reproduce`: an experiment of the paper in one command: data, training, evaluation, tables and a report.

mod fingerprint;
mod heat;
mod page;
mod stage;
mod suite;

use crate::args::{GlobalArgs, PublishedExperiment, ReproduceArgs};
use crate::commands::evaluate::quoted;
use crate::interrupt;
use crate::output;
use anyhow::{Context, Result, bail};
use fingerprint::Fingerprint;
use heat::HeatFigure;
use lto::data::config::DataConfig;
use lto::evaluate::{Evaluation, EvaluationConfig};
use lto_numerics::metric::MetricKind;
use lto_report::evaluation::{Format, Look, formatted};
use lto_report::words::duration;
use serde::Serialize;
use stage::Stage;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use suite::Suite;

/// What was done, for people and programs.
#[derive(Serialize)]
struct Results {
    experiment: &'static str,
    scale: &'static str,
    report: PathBuf,
    runs: Vec<Run>,
    /// Error against the number of sensors, where that is the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    heat: Option<HeatFigure>,
    /// Wall time of each stage, whenever it was done.
    times: Times,
    /// Wall time of this command; stages that were there already take none.
    seconds: f64,
}

/// Wall times in seconds.
#[derive(Serialize)]
struct Times {
    /// Making the data; none where they were given.
    data: Option<f64>,
    models: Vec<ModelTime>,
    /// All of it.
    total: f64,
}

/// Wall times of one run in seconds.
#[derive(Serialize)]
struct ModelTime {
    /// Name of its folder, or of a baseline.
    run: String,
    /// None where it is not trained.
    training: Option<f64>,
    evaluation: f64,
}

impl Times {
    fn new(data: Option<f64>, models: Vec<ModelTime>) -> Self {
        let of_models =
            models.iter().map(|model| model.training.unwrap_or(0.0) + model.evaluation).sum::<f64>();
        Self { total: data.unwrap_or(0.0) + of_models, data, models }
    }
}

/// One model.
#[derive(Serialize)]
struct Run {
    name: String,
    /// Seed of its training; none where it is not trained.
    seed: Option<u64>,
    evaluation: Evaluation,
}

/// A model to evaluate.
struct Candidate<'a> {
    name: String,
    seed: Option<u64>,
    /// The folder of its run, or its name where it is not trained.
    run: String,
    /// Seconds.
    training: Option<f64>,
    data: &'a DataConfig,
}

/// What costs nothing and must be beaten.
const UNTRAINED: [&str; 2] = ["persistence", "interpolation"];

/// Reproduces an experiment.
///
/// # Errors
/// Data that cannot be read or solved, settings that do not fit, training that diverges, files that cannot be written.
pub fn run(args: &ReproduceArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let started = Instant::now();
    let suite = Suite::of(args.experiment)?;
    let default = || PathBuf::from(format!("reproduce/{}-{}", args.experiment.name(), args.scale.name()));
    let folder = args.output.clone().unwrap_or_else(default);
    let mut plan = suite.plan(args.scale, &args.set)?;
    let protocol: EvaluationConfig = suite.protocol(args.scale)?;
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    interrupt::listen()?;
    let (file, data_seconds) = match (&args.data, plan.first()) {
        (Some(file), _) => (file.clone(), None),
        (None, Some(first)) => match stage::data(&folder, &first.experiment, global.quiet)? {
            Stage::Done((file, seconds)) => (file, Some(seconds)),
            Stage::Interrupted => return interrupted(),
        },
        (None, None) => bail!("{} has no models", suite.title),
    };
    plan.iter_mut().for_each(|planned| planned.read_from(&file));
    let file = Fingerprint::of(&file)?;
    let mut all: Vec<Candidate> = Vec::new();
    for planned in &plan {
        let Stage::Done((run, seconds)) = stage::train(&folder.join("runs"), planned, &file, global.quiet)?
        else {
            return interrupted();
        };
        all.push(Candidate {
            name: planned.name.clone(),
            seed: Some(planned.seed),
            run: run.to_string_lossy().into_owned(),
            training: Some(seconds),
            data: &planned.experiment.data,
        });
    }
    if let Some(first) = plan.iter().find(|planned| planned.experiment.data.history == 1) {
        let data = &first.experiment.data;
        all.extend(UNTRAINED.map(|name| Candidate {
            name: name.into(),
            seed: None,
            run: name.into(),
            training: None,
            data,
        }));
    }
    let (mut evaluated, mut times) = (Vec::new(), Vec::new());
    for Candidate { name, seed, run, training, data } in all {
        let stage = stage::evaluate(&folder.join("evaluations"), &run, data, &file, &protocol, global.quiet)?;
        let Stage::Done(evaluation) = stage else { return interrupted() };
        let run =
            Path::new(&run).file_name().map_or(name.clone(), |name| name.to_string_lossy().into_owned());
        times.push(ModelTime { run, training, evaluation: evaluation.seconds });
        let evaluation = Evaluation { command: command(args, &folder), ..evaluation };
        evaluated.push(Run { name, seed, evaluation });
    }
    let heat = match args.experiment {
        PublishedExperiment::Heat => Some(HeatFigure::of(&evaluated, args.scale)?),
        _ => None,
    };
    let results = Results {
        experiment: args.experiment.name(),
        scale: args.scale.name(),
        report: folder.join("report.html"),
        runs: evaluated,
        heat,
        times: Times::new(data_seconds, times),
        seconds: started.elapsed().as_secs_f64(),
    };
    let html = page::report(&results, &suite, &plan, args)?.html();
    output::write_atomically(&results.report, html.as_bytes())?;
    let json = serde_json::to_string_pretty(&results)? + "\n";
    output::write_atomically(&folder.join("results.json"), json.as_bytes())?;
    if args.json {
        output::print(&json)?;
    } else if !global.quiet {
        let color = output::use_color(global.color, &std::io::stdout());
        let look = Look::new(MetricKind::RelativeL2, &suite.published);
        output::print(&formatted(&results.shown(), &look, Format::Text, color))?;
        output::say(format_args!(
            "done in {}; open {} in a browser",
            duration(results.seconds),
            results.report.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn interrupted() -> Result<ExitCode> {
    output::say("interrupted; the same command goes on from here");
    Ok(ExitCode::from(interrupt::STATUS))
}

/// The command that does all of it again.
fn command(args: &ReproduceArgs, folder: &Path) -> String {
    let mut command = format!("lto reproduce {} --scale {}", args.experiment.name(), args.scale.name());
    command += &format!(" -o {}", quoted(&folder.to_string_lossy()));
    args.set.iter().for_each(|set| command += &format!(" --set {}", quoted(set)));
    if let Some(data) = &args.data {
        command += &format!(" --data {}", quoted(&data.to_string_lossy()));
    }
    command
}

impl Results {
    /// Every model once: of several seeds the first.
    fn shown(&self) -> Vec<Evaluation> {
        let first = |(i, run): &(usize, &Run)| self.runs[..*i].iter().all(|other| other.name != run.name);
        self.runs.iter().enumerate().filter(first).map(|(_, run)| run.evaluation.clone()).collect()
    }
}
