//! The published models with data of the published shapes, and models of runs. Values are made up, since they do not affect the
//! time.

use super::BenchTask;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::experiment::training::TrainConfig;
use crate::experiment::{Experiment, Setting};
use crate::model::{Model, ModelCard};
use crate::operator::Batch;
use crate::reproduce::config_file;
use crate::train::folder::CONFIG_FILE;
use lto_numerics::dataset::Context;
use lto_numerics::{Grid, Points};
use std::path::Path;
use std::sync::Arc;

/// A published model: a twin unless the name says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum BenchCase {
    /// 29,395 parameters, 1-D
    Burgers,
    /// 1,126,211 parameters, 2-D, periodic
    NavierStokes,
    /// 29,139 parameters, 2-D, steady
    Darcy,
    /// Latent Neural Operator, 1,146,945 parameters, 2-D
    LnoNavierStokes,
    /// Latent Neural Operator, 29,171 parameters, 2-D, steady
    LnoDarcy,
    /// Fourier neural operator, 23,937 parameters, 1-D
    FnoBurgers,
    /// Fourier neural operator, 1,124,193 parameters, 2-D
    FnoNavierStokes,
    /// Factorized Fourier neural operator, 29,426 parameters, 1-D
    FFnoBurgers,
    /// Factorized Fourier neural operator, 1,072,834 parameters, 2-D
    FFnoNavierStokes,
}

impl BenchCase {
    /// Every case.
    pub const ALL: [Self; 9] = [
        Self::Burgers,
        Self::NavierStokes,
        Self::Darcy,
        Self::LnoNavierStokes,
        Self::LnoDarcy,
        Self::FnoBurgers,
        Self::FnoNavierStokes,
        Self::FFnoBurgers,
        Self::FFnoNavierStokes,
    ];

    /// Name as on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Burgers => "burgers",
            Self::NavierStokes => "navier-stokes",
            Self::Darcy => "darcy",
            Self::LnoNavierStokes => "lno-navier-stokes",
            Self::LnoDarcy => "lno-darcy",
            Self::FnoBurgers => "fno-burgers",
            Self::FnoNavierStokes => "fno-navier-stokes",
            Self::FFnoBurgers => "f-fno-burgers",
            Self::FFnoNavierStokes => "f-fno-navier-stokes",
        }
    }
}

/// A model, and the grid of its contexts and queries.
pub struct Benchmark {
    /// Its name in tables and JSON.
    pub name: String,
    /// How it is trained.
    pub train: TrainConfig,
    /// Examples per batch.
    pub n_examples: usize,
    card: ModelCard,
    grid: Arc<Grid>,
}

impl Benchmark {
    /// A published model from its configuration file, for values of mean 0 and scale 1; nothing is solved. `batch` examples at
    /// once, else 16 for Burgers and 4 for others, and one for a prediction.
    ///
    /// # Errors
    /// None in a sound program.
    pub fn published(case: BenchCase, what: BenchTask, batch: Option<usize>) -> Result<Self> {
        let name = format!("paper/{}", case.name().replace('-', "_"));
        let experiment = Experiment::parse(config_file(&name)?, &[])?;
        let data = Data::open(&experiment.data, 1.0)?;
        let (layout, problem) = (data.layout(), data.problem());
        let usual = match (what, case) {
            (BenchTask::Predict, _) => 1,
            (_, BenchCase::Burgers | BenchCase::FnoBurgers | BenchCase::FFnoBurgers) => 16,
            _ => 4,
        };
        let card = ModelCard {
            native_interval: layout.native_interval(),
            ..ModelCard::untrained(problem, experiment.model)
        };
        let grid = layout.grid.clone();
        let n_examples = batch.unwrap_or(usual);
        Ok(Self { name: case.name().into(), train: experiment.train, n_examples, card, grid })
    }

    /// The model of a run, with some settings of its configuration overridden, on a grid of as many points as it was trained on.
    /// `batch` examples at once, else as many as it was trained with, and one for a prediction.
    ///
    /// # Errors
    /// A folder without a model and its configuration, settings that do not fit, or a model of departures from a mean course, whose
    /// values are in its file only.
    pub fn of_run(run: &Path, overrides: &[Setting], what: BenchTask, batch: Option<usize>) -> Result<Self> {
        let experiment = Experiment::read(&run.join(CONFIG_FILE), overrides)?;
        let trained = Model::load(run)?;
        let card = ModelCard { model: experiment.model, calibration: None, ..trained.card().clone() };
        if card.course.is_some() {
            let requirement = "cannot be timed: its states are departures from a mean course";
            return Err(Error::Config {
                key: "run".into(),
                value: run.display().to_string(),
                requirement: requirement.into(),
            });
        }
        let usual = if what == BenchTask::Predict { 1 } else { experiment.train.batch };
        Ok(Self {
            name: run
                .file_name()
                .map_or_else(|| run.display().to_string(), |name| name.to_string_lossy().into()),
            n_examples: batch.unwrap_or(usual),
            grid: Arc::new(card.problem.query_grid(&card.problem.native)?),
            train: experiment.train,
            card,
        })
    }

    /// The model with random weights.
    ///
    /// # Errors
    /// A configuration that does not fit the problem.
    pub fn model(&self) -> Result<Model> {
        Model::new(self.card.clone(), 0)
    }

    /// The batch to train on: whole grids, each example with its own context.
    pub fn batch(&self) -> Batch {
        let values = |phase, channels| self.values(phase, self.n_examples * channels);
        Batch {
            contexts: self.contexts(),
            times: self.times(),
            queries: vec![self.query()],
            source: values(0.0, self.card.problem.source_channels),
            target: values(1.0, self.card.problem.target_channels),
            // As in training: a steady problem reconstructs its targets too.
            target_contexts: if self.card.problem.times.is_none() { self.contexts() } else { Vec::new() },
        }
    }

    /// A context for each example.
    pub fn contexts(&self) -> Vec<Context> {
        let context = |example: usize| Context {
            points: Points::grid(self.grid.as_ref().clone()),
            n_channels: self.card.problem.source_channels,
            values: self.values(example as f64, self.card.problem.source_channels),
            deviations: None,
        };
        (0..self.n_examples).map(context).collect()
    }

    /// Times (s, t) of each example, one native step apart: some models take no other.
    pub fn times(&self) -> Vec<(f64, f64)> {
        let [first, _] = self.card.problem.times.unwrap_or([0.0, 1.0]);
        let step = self.card.native_interval.unwrap_or(1.0);
        (0..self.n_examples).map(|i| first + i as f64 * step).map(|s| (s, s + step)).collect()
    }

    /// The whole grid.
    pub fn query(&self) -> Arc<Points> {
        Arc::new(Points::grid(self.grid.as_ref().clone()))
    }

    fn values(&self, phase: f64, n_fields: usize) -> Vec<f64> {
        (0..n_fields * self.grid.len()).map(|i| (0.7 * i as f64 + phase).sin()).collect()
    }
}
