//! The demonstration: a small twin of the heat equation, trained, then tested on unseen states through more
//! and more sensors.

use crate::error::{Error, Result};
use crate::evaluate::SensorRate;
use crate::evaluate::context_sweep::{ContextErrors, context_sweep};
use crate::experiment::Experiment;
use crate::model::{Model, ModelCard};
use crate::reproduce::{StageObserver, train};
use crate::train::folder::{CONFIG_FILE, refuse_existing};
use lto_numerics::dataset::{Context, ContextDesign, ContextSampler};
use lto_numerics::pde::{HeatConfig, PdeConfig, sample_rng};
use lto_numerics::theory::RateFit;
use lto_numerics::{Points, Sample, Trajectory};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration to train; the same file works with `lto train`.
pub const CONFIG: &str = include_str!("../../../configs/demo.toml");

/// Points along each axis of the grid of the test states; finer than the training data's.
const RESOLUTION: usize = 128;
/// Numbers of random sensors.
const SIZES: [usize; 9] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/// Strides of regular grids of sensors: 4 × 4 to 64 × 64.
const STRIDES: [usize; 5] = [32, 16, 8, 4, 2];
/// What is forecast: from the first frame to the middle and to the last.
const PAIRS: [(usize, usize); 2] = [(0, 8), (0, 16)];
/// Numbers of sensors whose forecasts are shown, and the frame they are shown at.
const SHOWN: ([usize; 3], usize) = ([64, 256, 1024], 8);
/// Sensors of the forecast over time.
pub const SENSORS: usize = 256;
/// Frames of the truth it is compared with.
const FRAMES: [usize; 5] = [0, 4, 8, 12, 16];
/// Times of the animation, many more than in the training data.
const ANIMATED: usize = 20;

/// The results of a demonstration.
#[derive(Clone, Debug, Serialize)]
pub struct Demonstration {
    /// The page about it.
    pub report: PathBuf,
    /// The folder of the trained run.
    pub run: PathBuf,
    /// Random sensors of a held-out state at time 0, as `lto predict` reads them.
    pub sensors: PathBuf,
    /// Seed of everything.
    pub seed: u64,
    /// The result of training.
    pub training: Training,
    /// Errors of the forecasts.
    pub evaluation: SensorErrors,
    /// Wall time, from start to end.
    pub seconds: f64,
}

/// The result of training.
#[derive(Clone, Debug, Serialize)]
pub struct Training {
    /// Number of parameters.
    pub parameters: usize,
    /// Steps.
    pub steps: u64,
    /// Wall time.
    pub seconds: f64,
    /// Errors of the last validation.
    pub errors: BTreeMap<String, f64>,
}

/// Errors over numbers of sensors.
#[derive(Clone, Debug, Serialize)]
pub struct SensorErrors {
    /// Number of held-out states.
    pub samples: usize,
    /// Times of the forecasts, from the first state.
    pub times: Vec<f64>,
    /// Exponent that theory predicts, −2/(3D).
    pub predicted_slope: f64,
    /// Sensors at random places.
    pub random: SensorSweep,
    /// Sensors on regular grids.
    pub regular: SensorSweep,
}

/// Errors over numbers of sensors of one design, and their rate.
#[derive(Clone, Debug, Serialize)]
pub struct SensorSweep {
    /// One entry per size.
    pub errors: Vec<ContextErrors>,
    /// The rate at which the error falls, fitted over `fitted_sizes`.
    pub fit: Option<RateFit>,
    /// Sizes at which too few sensors limit the error, not the model.
    pub fitted_sizes: Vec<usize>,
}

impl SensorErrors {
    /// The sweeps by name.
    pub fn designs(&self) -> impl Iterator<Item = (&'static str, &SensorSweep)> {
        [("random", &self.random), ("regular grid", &self.regular)].into_iter()
    }
}

impl SensorSweep {
    fn of(errors: Vec<ContextErrors>) -> Self {
        let sizes: Vec<usize> = errors.iter().map(|at| at.n_points).collect();
        let numbers: Vec<f64> = sizes.iter().map(|&n| n as f64).collect();
        let means: Vec<f64> = errors.iter().map(|at| at.relative_l2.mean).collect();
        let SensorRate { fit, fitted } = SensorRate::of(&numbers, &means);
        Self { fit, fitted_sizes: sizes[..fitted].to_vec(), errors }
    }

    /// The mean error at a size.
    pub fn at(&self, n: usize) -> Option<f64> {
        self.errors.iter().find(|at| at.n_points == n).map(|at| at.relative_l2.mean)
    }
}

/// One held-out state and its forecasts, to look at.
#[derive(Clone, Debug)]
pub struct Showcase {
    /// The state.
    pub truth: Trajectory,
    /// Forecasts from more and more sensors, all to the time of frame `frame`.
    pub by_sensors: Vec<StateForecast>,
    /// Their frame of the truth.
    pub frame: usize,
    /// A forecast to the times of `frames`.
    pub over_time: StateForecast,
    /// Their frames of the truth.
    pub frames: Vec<usize>,
    /// A forecast to many times, most of them between frames.
    pub moving: StateForecast,
}

/// A forecast of one state.
#[derive(Clone, Debug)]
pub struct StateForecast {
    /// The sensors' readings.
    pub observed: Context,
    /// The forecast points.
    pub query: Arc<Points>,
    /// The forecast times.
    pub times: Vec<f64>,
    /// One field per time.
    pub fields: Vec<Vec<f64>>,
}

/// The configuration with a seed, and with minutes of training instead of steps if given.
///
/// # Errors
/// Minutes that are not positive.
pub fn experiment(seed: u64, minutes: Option<f64>) -> Result<Experiment> {
    let mut experiment = Experiment::parse(CONFIG, &[])?;
    experiment.seed = seed;
    experiment.data.seed = seed;
    if minutes.is_some() {
        experiment.train.steps = None;
        experiment.train.minutes = minutes;
    }
    experiment.validate()?;
    Ok(experiment)
}

/// Trains the twin in the folder `run` below `folder`, measures it, and forecasts a state to look at. An
/// interrupted run of the same experiment continues; `anew` starts over regardless.
///
/// # Errors
/// A folder that holds another run, training that diverges, files that cannot be written;
/// [`Error::Interrupted`] if the observer says so.
pub fn demonstrate(
    experiment: &Experiment,
    folder: &Path,
    anew: bool,
    observer: &mut dyn StageObserver,
) -> Result<(Demonstration, Showcase, Model)> {
    let run = folder.join("run");
    let begun = Experiment::read(&run.join(CONFIG_FILE), &[]).is_ok_and(|begun| begun == *experiment);
    if !anew && !begun {
        refuse_existing(&run)?;
    }
    let seconds = train(&run, experiment, None, anew, observer)?;
    observer.stage("run", "evaluating across numbers of sensors");
    let model = Model::load(&run)?;
    let held_out = HeldOut::of(experiment)?;
    let evaluation = held_out.sweep(&model)?;
    let shown = held_out.showcase(&model)?;
    let card = model.card();
    let training = Training {
        parameters: model.operator().n_parameters(),
        steps: card.steps,
        seconds,
        errors: card.errors.clone(),
    };
    let results = Demonstration {
        report: folder.join("report.html"),
        sensors: folder.join("sensors.csv"),
        run,
        seed: experiment.seed,
        training,
        evaluation,
        seconds: 0.0,
    };
    Ok((results, shown, model))
}

/// Held-out states, and how they are observed.
struct HeldOut {
    samples: Vec<Sample>,
    seed: u64,
}

impl HeldOut {
    /// The test samples of an experiment on heat, solved on a finer grid.
    fn of(experiment: &Experiment) -> Result<Self> {
        let data = &experiment.data;
        let (Some(PdeConfig::Heat(heat)), Some(n)) = (&data.generate, data.samples) else {
            return Err(unsuited("must generate samples of heat"));
        };
        let finer = PdeConfig::Heat(HeatConfig { resolution: RESOLUTION, ..heat.clone() }).build()?;
        let solve = |index: usize| Ok(finer.sample(&mut sample_rng(data.seed, index as u64))?);
        let solved = data.split.split(n, data.seed)?.test.into_iter().map(solve);
        let samples: Vec<Vec<Sample>> = solved.collect::<Result<_>>()?;
        Ok(Self { samples: samples.into_iter().flatten().collect(), seed: experiment.seed })
    }

    /// The errors of a model from more and more sensors.
    fn sweep(&self, model: &Model) -> Result<SensorErrors> {
        let sweep = |designs: Vec<ContextDesign>| -> Result<SensorSweep> {
            Ok(SensorSweep::of(context_sweep(model, &self.samples, &PAIRS, &designs, self.seed)?))
        };
        let times = self.example()?.times();
        let dim = model.card().problem.domain.dim();
        Ok(SensorErrors {
            samples: self.samples.len(),
            times: PAIRS.iter().filter_map(|&(_, to)| times.get(to)).copied().collect(),
            predicted_slope: -2.0 / (3.0 * dim as f64),
            random: sweep(SIZES.iter().map(|&n| random(n)).collect())?,
            regular: sweep(STRIDES.iter().map(|&stride| ContextDesign::Strided { stride }).collect())?,
        })
    }

    fn example(&self) -> Result<&Trajectory> {
        match self.samples.first() {
            Some(Sample::Evolution(trajectory)) => Ok(trajectory),
            _ => Err(unsuited("must hold out a state to test on")),
        }
    }

    /// The forecasts to show.
    fn showcase(&self, model: &Model) -> Result<Showcase> {
        let truth = self.example()?.clone();
        let time = |frame: usize| truth.times().get(frame).copied();
        let (sizes, frame) = SHOWN;
        let at: Vec<f64> = time(frame).into_iter().collect();
        let by_sensors = sizes.iter().map(|&n| self.forecast(model, n, at.clone())).collect::<Result<_>>()?;
        let (frames, times): (Vec<usize>, Vec<f64>) =
            FRAMES.iter().filter_map(|&frame| Some((frame, time(frame)?))).unzip();
        let last = truth.times().last().copied().unwrap_or_default();
        let many = (0..ANIMATED).map(|i| last * i as f64 / (ANIMATED - 1) as f64).collect();
        Ok(Showcase {
            by_sensors,
            frame,
            over_time: self.forecast(model, SENSORS, times)?,
            frames,
            moving: self.forecast(model, SENSORS, many)?,
            truth,
        })
    }

    /// The first frame of the example through `n` random sensors, and its forecast on the whole grid.
    fn forecast(&self, model: &Model, n: usize, times: Vec<f64>) -> Result<StateForecast> {
        let example = self.example()?;
        let mut rng = sample_rng(self.seed, n as u64);
        let observed = ContextSampler { design: random(n) }.sample(&example.field(0), None, &mut rng)?;
        let query = Arc::new(Points::grid(example.grid().as_ref().clone()));
        let s = example.times().first().copied().unwrap_or_default();
        let values = model.predict(&observed, s, &times, &query)?.values;
        let fields = values.chunks_exact(query.len()).map(<[f64]>::to_vec).collect();
        Ok(StateForecast { observed, query, times, fields })
    }
}

impl StateForecast {
    /// The sensors' readings as a CSV file for `lto predict`: a column for each coordinate, then for each
    /// channel.
    pub fn sensors_csv(&self, card: &ModelCard) -> String {
        let Context { points, n_channels, values, .. } = &self.observed;
        let axes = points.domain().axes().iter().map(|axis| axis.name.as_str());
        let names = card.channel_names.iter().map(String::as_str);
        let mut text = axes.chain(names.take(*n_channels)).collect::<Vec<_>>().join(",") + "\n";
        let coordinates = points.coordinates();
        for (i, place) in coordinates.chunks_exact(points.dim()).enumerate() {
            let channels = (0..*n_channels).map(|c| values[c * points.len() + i]);
            let row: Vec<String> = place.iter().copied().chain(channels).map(|v| v.to_string()).collect();
            text += &(row.join(",") + "\n");
        }
        text
    }
}

fn unsuited(requirement: &str) -> Error {
    Error::Config {
        key: "data".into(),
        value: "of the demonstration".into(),
        requirement: requirement.into(),
    }
}

/// `n` random points of the test grid.
fn random(n: usize) -> ContextDesign {
    ContextDesign::Random { context_fraction: n as f64 / RESOLUTION.pow(2) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_replaces_the_steps() {
        let fixed = experiment(7, None).unwrap();
        assert!(fixed.train.steps.is_some() && fixed.train.minutes.is_some_and(|m| m <= 3.0));
        assert_eq!((fixed.seed, fixed.data.seed), (7, 7));
        let timed = experiment(7, Some(0.5)).unwrap();
        assert_eq!((timed.train.steps, timed.train.minutes), (None, Some(0.5)));
    }
}
