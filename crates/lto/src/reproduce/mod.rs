//! Reproduces an experiment of the paper: data, training, evaluation, in stages that are never repeated.

mod fingerprint;
mod heat;
mod stage;
mod suite;

pub use fingerprint::Fingerprint;
pub use heat::{HeatFigure, SeedSlopes, TwinCurve};
pub use stage::{DataFile, StageObserver, data, train};
pub use suite::{PublishedExperiment, Scale, Suite, SuiteRun};

pub(crate) use suite::file as config_file;

use crate::error::Result;
use crate::evaluate::Evaluation;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The results of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// Which experiment.
    pub experiment: PublishedExperiment,
    /// The scale.
    pub scale: Scale,
    /// The page about it.
    pub report: PathBuf,
    /// Every model.
    pub runs: Vec<EvaluatedRun>,
    /// Error against the number of sensors, if that is the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat: Option<HeatFigure>,
    /// Wall time of each stage, whenever it ran.
    pub times: StageTimes,
    /// Wall time of this call; finished stages take none.
    pub seconds: f64,
}

/// Wall times in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct StageTimes {
    /// Making the data; `None` if they were given.
    pub data: Option<f64>,
    /// By run.
    pub models: Vec<RunTimes>,
    /// Everything.
    pub total: f64,
}

/// Wall times of one run in seconds.
#[derive(Clone, Debug, Serialize)]
pub struct RunTimes {
    /// Name of its folder, or of a baseline.
    pub run: String,
    /// Its training; `None` if it needs none.
    pub training: Option<f64>,
    /// Its evaluation.
    pub evaluation: f64,
}

/// One model.
#[derive(Clone, Debug, Serialize)]
pub struct EvaluatedRun {
    /// The model; the same for all its seeds.
    pub name: String,
    /// Seed of its training; `None` if it needs none.
    pub seed: Option<u64>,
    /// Its errors.
    pub evaluation: Evaluation,
}

/// The baselines without parameters, which cost nothing and must be beaten.
const UNTRAINED: [&str; 2] = ["persistence", "interpolation"];

/// Trains and evaluates all models of a suite on a data file. `command` repeats it.
///
/// # Errors
/// Data that cannot be read, settings that do not fit, training that diverges, files that cannot be written;
/// [`Error::Interrupted`](crate::Error::Interrupted) if the observer says so; repeating the call continues
/// from there.
pub fn reproduce(
    suite: &mut Suite,
    data: &DataFile,
    folder: &Path,
    command: &str,
    observer: &mut dyn StageObserver,
) -> Result<Reproduction> {
    suite.read_from(&data.path);
    let file = Fingerprint::of(&data.path)?;
    // Name, seed, the folder of the run (or its name if not trained), seconds of training, data.
    let mut all = Vec::new();
    for SuiteRun { name, seed, folder: own, experiment } in &suite.runs {
        let run = folder.join("runs").join(own);
        let seconds = train(&run, experiment, Some(&file), false, observer)?;
        let run = run.to_string_lossy().into_owned();
        all.push((name.as_str(), Some(*seed), run, Some(seconds), &experiment.data));
    }
    if let Some(first) = suite.runs.iter().find(|run| run.experiment.data.history == 1) {
        all.extend(UNTRAINED.map(|name| (name, None, name.to_string(), None, &first.experiment.data)));
    }
    let (mut runs, mut models) = (Vec::new(), Vec::new());
    for (name, seed, run, training, data) in all {
        let evaluations = folder.join("evaluations");
        let evaluation = stage::evaluate(&evaluations, &run, data, &file, &suite.protocol, observer)?;
        models.push(RunTimes { run: stage::name(Path::new(&run)), training, evaluation: evaluation.seconds });
        let evaluation = Evaluation { command: command.into(), ..evaluation };
        runs.push(EvaluatedRun { name: name.into(), seed, evaluation });
    }
    let of_models = models.iter().map(|model| model.training.unwrap_or(0.0) + model.evaluation).sum::<f64>();
    let heat = (suite.experiment == PublishedExperiment::Heat).then(|| HeatFigure::of(&runs, suite.scale));
    Ok(Reproduction {
        experiment: suite.experiment,
        scale: suite.scale,
        report: folder.join("report.html"),
        heat: heat.transpose()?,
        runs,
        times: StageTimes { total: data.seconds.unwrap_or(0.0) + of_models, data: data.seconds, models },
        seconds: 0.0,
    })
}

impl Reproduction {
    /// One evaluation per model: that of its first seed.
    pub fn shown(&self) -> Vec<Evaluation> {
        let first =
            |(i, run): &(usize, &EvaluatedRun)| self.runs[..*i].iter().all(|other| other.name != run.name);
        self.runs.iter().enumerate().filter(first).map(|(_, run)| run.evaluation.clone()).collect()
    }
}
