//! The trained twin on states it has never seen, through more and more sensors.

use anyhow::{Context, Result, bail};
use lto::evaluate::context_sweep::{ContextErrors, context_sweep};
use lto::experiment::Experiment;
use lto::model::Model;
use lto_numerics::dataset::{Context as Observations, ContextDesign, ContextSampler};
use lto_numerics::pde::{HeatConfig, PdeConfig, sample_rng};
use lto_numerics::theory::RateFit;
use lto_numerics::{Points, Sample, Trajectory};
use serde::Serialize;
use std::sync::Arc;

/// Points along each axis of the grid the test states are solved on; finer than that of the training data.
const RESOLUTION: usize = 128;
/// Numbers of random sensors.
const SIZES: [usize; 9] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/// Strides of regular grids of sensors: 4 × 4 to 64 × 64.
const STRIDES: [usize; 5] = [32, 16, 8, 4, 2];
/// What is forecast: from the first frame to the middle and to the last.
const PAIRS: [(usize, usize); 2] = [(0, 8), (0, 16)];
/// An error within this factor of the smallest is the model's own, not that of too few sensors.
const FLOOR: f64 = 1.5;

/// States that were held out, and how they are observed.
pub struct Tests {
    samples: Vec<Sample>,
    seed: u64,
}

/// Errors over context sizes.
#[derive(Serialize)]
pub struct Evaluation {
    /// Number of held-out states.
    pub samples: usize,
    /// Times of the forecasts, from the first state.
    pub times: Vec<f64>,
    /// Exponent that theory predicts, −2/(3D).
    pub predicted_slope: f64,
    /// Sensors at random places.
    pub random: Sweep,
    /// Sensors on regular grids.
    pub regular: Sweep,
}

/// Errors over sizes, and their rate.
#[derive(Serialize)]
pub struct Sweep {
    /// One entry a size.
    pub errors: Vec<ContextErrors>,
    /// The rate at which the error falls, fitted over `fitted_sizes`.
    pub fit: Option<RateFit>,
    /// Sizes whose error is that of too few sensors, not the model's own.
    pub fitted_sizes: Vec<usize>,
}

impl Evaluation {
    /// The sweeps by name.
    pub fn designs(&self) -> impl Iterator<Item = (&'static str, &Sweep)> {
        [("random", &self.random), ("regular grid", &self.regular)].into_iter()
    }
}

impl Sweep {
    fn of(errors: Vec<ContextErrors>) -> Self {
        let floor = errors.iter().map(|at| at.relative_l2.mean).fold(f64::INFINITY, f64::min);
        let falling: Vec<&ContextErrors> =
            errors.iter().take_while(|at| at.relative_l2.mean > FLOOR * floor).collect();
        let fitted_sizes: Vec<usize> = falling.iter().map(|at| at.n_points).collect();
        let sizes: Vec<f64> = fitted_sizes.iter().map(|&n| n as f64).collect();
        let means: Vec<f64> = falling.iter().map(|at| at.relative_l2.mean).collect();
        Self { fit: RateFit::fit(&sizes, &means).ok(), fitted_sizes, errors }
    }

    /// The mean error at a size.
    pub fn at(&self, n: usize) -> Option<f64> {
        self.errors.iter().find(|at| at.n_points == n).map(|at| at.relative_l2.mean)
    }
}

impl Tests {
    /// The test samples of an experiment on heat, solved on a finer grid.
    ///
    /// # Errors
    /// An experiment on something else.
    pub fn of(experiment: &Experiment, seed: u64) -> Result<Self> {
        let data = &experiment.data;
        let (Some(PdeConfig::Heat(heat)), Some(n)) = (&data.generate, data.samples) else {
            bail!("the demonstration is about generated samples of heat");
        };
        let finer = PdeConfig::Heat(HeatConfig { resolution: RESOLUTION, ..heat.clone() }).build()?;
        let held_out = data.split.split(n, data.seed)?.test;
        let solve = |&index: &usize| {
            let mut solved = finer.sample(&mut sample_rng(data.seed, index as u64))?;
            solved.pop().context("no sample was solved")
        };
        Ok(Self { samples: held_out.iter().map(solve).collect::<Result<_>>()?, seed })
    }

    /// The errors of a model.
    ///
    /// # Errors
    /// A model that does not fit the samples.
    pub fn evaluate(&self, model: &Model) -> Result<Evaluation> {
        let sweep = |designs: Vec<ContextDesign>| -> Result<Sweep> {
            Ok(Sweep::of(context_sweep(model, &self.samples, &PAIRS, &designs, self.seed)?))
        };
        let times = self.example()?.times();
        let dim = model.card().problem.domain.dim();
        Ok(Evaluation {
            samples: self.samples.len(),
            times: PAIRS.iter().filter_map(|&(_, to)| times.get(to)).copied().collect(),
            predicted_slope: -2.0 / (3.0 * dim as f64),
            random: sweep(SIZES.iter().map(|&n| random(n)).collect())?,
            regular: sweep(STRIDES.iter().map(|&stride| ContextDesign::Strided { stride }).collect())?,
        })
    }

    /// The held-out state that is shown.
    ///
    /// # Errors
    /// None was held out.
    pub fn example(&self) -> Result<&Trajectory> {
        match self.samples.first() {
            Some(Sample::Evolution(trajectory)) => Ok(trajectory),
            _ => bail!("no evolution was held out"),
        }
    }

    /// The first frame of that state through `n` random sensors, and the forecast at some times on the whole grid.
    ///
    /// # Errors
    /// A model that does not fit.
    pub fn forecast(&self, model: &Model, n: usize, times: &[f64]) -> Result<Forecast> {
        let example = self.example()?;
        let mut rng = sample_rng(self.seed, n as u64);
        let observed = ContextSampler { design: random(n) }.sample(&example.field(0), None, &mut rng)?;
        let query = Arc::new(Points::grid(example.grid().as_ref().clone()));
        let s = example.times().first().copied().unwrap_or_default();
        let values = model.predict(&observed, s, times, &query)?.values;
        let fields = values.chunks_exact(query.len()).map(<[f64]>::to_vec).collect();
        Ok(Forecast { observed, query, fields })
    }
}

/// A forecast of one state.
pub struct Forecast {
    /// What the sensors see.
    pub observed: Observations,
    /// Where it is forecast.
    pub query: Arc<Points>,
    /// One field a time.
    pub fields: Vec<Vec<f64>>,
}

/// So many random points of the test grid.
fn random(n: usize) -> ContextDesign {
    ContextDesign::Random { context_fraction: n as f64 / RESOLUTION.pow(2) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto::evaluate::statistics::ErrorStatistics;

    #[test]
    fn the_rate_is_fitted_where_sensors_are_what_is_missing() {
        let at = |n: usize, mean: f64| ContextErrors {
            design: random(n),
            n_points: n,
            relative_l2: ErrorStatistics::of(vec![mean]).unwrap(),
        };
        let sweep = Sweep::of(vec![at(16, 0.4), at(64, 0.2), at(256, 0.1), at(1024, 0.06), at(4096, 0.05)]);
        assert_eq!(sweep.fitted_sizes, [16, 64, 256]);
        assert!((sweep.fit.unwrap().slope + 0.5).abs() < 1e-12);
        assert_eq!(sweep.at(256), Some(0.1));
        assert!(Sweep::of(vec![at(16, 0.4), at(64, 0.39)]).fit.is_none());
    }
}
