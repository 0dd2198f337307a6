//! The published models with data of the published shapes. Values are made up, since they do not affect the
//! time.

use crate::data::Data;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::model::{Model, ModelCard};
use crate::operator::Batch;
use crate::problem::Problem;
use crate::reproduce::config_file;
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Grid, Points};
use std::collections::BTreeMap;
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
pub struct Case {
    /// Its configuration.
    pub experiment: Experiment,
    /// Examples per batch.
    pub n_examples: usize,
    problem: Problem,
    grid: Arc<Grid>,
    native_interval: Option<f64>,
}

impl Case {
    /// The case from its configuration file; nothing is solved.
    ///
    /// # Errors
    /// None in a sound program.
    pub fn new(case: BenchCase, n_examples: usize) -> Result<Self> {
        let name = format!("paper/{}", case.name().replace('-', "_"));
        let experiment = Experiment::parse(config_file(&name)?, &[])?;
        let data = Data::open(&experiment.data, 1.0)?;
        let layout = data.layout();
        let (grid, native_interval) = (layout.grid.clone(), layout.native_interval());
        Ok(Self { experiment, n_examples, problem: data.problem(), grid, native_interval })
    }

    /// The model with random weights, for values of mean 0 and scale 1.
    ///
    /// # Errors
    /// None in a sound program.
    pub fn model(&self) -> Result<Model> {
        let card = ModelCard {
            problem: self.problem.clone(),
            model: self.experiment.model.clone(),
            source_normalizer: Normalizer::identity(self.problem.source_channels),
            target_normalizer: Normalizer::identity(self.problem.target_channels),
            course: None,
            channel_names: vec!["u".into()],
            native_interval: self.native_interval,
            data: String::new(),
            steps: 0,
            cpu_minutes: None,
            ways: Vec::new(),
            errors: BTreeMap::new(),
            calibration: None,
        };
        Model::new(card, 0)
    }

    /// The batch to train on: whole grids, each example with its own context.
    pub fn batch(&self) -> Batch {
        let values = |phase, channels| self.values(phase, self.n_examples * channels);
        Batch {
            contexts: self.contexts(),
            times: self.times(),
            queries: vec![self.query()],
            source: values(0.0, self.problem.source_channels),
            target: values(1.0, self.problem.target_channels),
            // As in training: a steady problem reconstructs its targets too.
            target_contexts: if self.problem.times.is_none() { self.contexts() } else { Vec::new() },
        }
    }

    /// A context for each example.
    pub fn contexts(&self) -> Vec<Context> {
        let context = |example: usize| Context {
            points: Points::grid(self.grid.as_ref().clone()),
            n_channels: self.problem.source_channels,
            values: self.values(example as f64, self.problem.source_channels),
            deviations: None,
        };
        (0..self.n_examples).map(context).collect()
    }

    /// Times (s, t) of each example, one native step apart: some models take no other.
    pub fn times(&self) -> Vec<(f64, f64)> {
        let [first, _] = self.problem.times.unwrap_or([0.0, 1.0]);
        let step = self.native_interval.unwrap_or(1.0);
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
