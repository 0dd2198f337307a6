//! The published figure: the error of the set convolution alone and the trained twin's forecasting error, against the number
//! of sensors.

use super::{EvaluatedRun, Scale};
use crate::error::Result;
use crate::evaluate::SensorRate;
use lto_numerics::Domain;
use lto_numerics::design::PointDesign;
use lto_numerics::pde::{HeatField, sample_rng};
use lto_numerics::theory::{Estimator, RateFit, RateSweep, ScaleRule, SweepRequest, dense_places, student};
use serde::Serialize;

/// Layouts of sensors for each N.
const LAYOUTS: usize = 5;
/// Bumps of a state, as published.
const BUMPS: usize = 4;

/// Both curves.
#[derive(Clone, Debug, Serialize)]
pub struct HeatFigure {
    /// Seed of states and layouts of the closed form.
    seed: u64,
    /// ε_disc(N): the supremum over states and places of the set convolution's error, at ℓ*, from random sensors.
    pub closed_form: RateSweep,
    /// The twin's forecasts, one curve per seed.
    pub twin: Vec<TwinCurve>,
    /// The slopes of the seeds; `None` if no seed has one.
    pub twin_slope: Option<SeedSlopes>,
}

/// Slopes of several seeds.
#[derive(Clone, Debug, Serialize)]
pub struct SeedSlopes {
    /// The slope of each seed.
    pub slopes: Vec<f64>,
    /// Their mean.
    pub mean: f64,
    /// Half the width of its 95 % interval, by Student's t; `None` for a single seed.
    pub half_width: Option<f64>,
}

impl SeedSlopes {
    fn of(slopes: Vec<f64>) -> Option<Self> {
        let n = slopes.len() as f64;
        let mean = slopes.iter().sum::<f64>() / n;
        let freedom = slopes.len().checked_sub(1)?;
        let squares: f64 = slopes.iter().map(|slope| (slope - mean).powi(2)).sum();
        let half_width = (freedom > 0).then(|| student(freedom) * (squares / freedom as f64 / n).sqrt());
        Some(Self { slopes, mean, half_width })
    }
}

/// One trained twin.
#[derive(Clone, Debug, Serialize)]
pub struct TwinCurve {
    /// Its seed.
    pub seed: Option<u64>,
    /// Numbers of sensors.
    pub n_points: Vec<f64>,
    /// Mean relative L2 of the forecasts.
    pub errors: Vec<f64>,
    /// The rate where too few sensors limit the error.
    pub fit: Option<RateFit>,
    /// How many sizes, from the smallest, are fitted.
    pub fitted: usize,
}

impl HeatFigure {
    /// Sweeps the closed form over the sizes of the twins.
    ///
    /// # Errors
    /// None for the sizes of a suite.
    pub fn of(runs: &[EvaluatedRun], scale: Scale) -> Result<Self> {
        let twins = runs.iter().filter(|run| run.evaluation.model.kind == "twin");
        let twin: Vec<TwinCurve> = twins.map(TwinCurve::of).collect();
        let sizes: Vec<usize> =
            twin.first().map_or(&[][..], |curve| &curve.n_points).iter().map(|&n| n as usize).collect();
        let (states, least) = if scale == Scale::Smoke { (4, 32 * 32) } else { (20, 64 * 64) };
        let seed = 0;
        let fields: Vec<HeatField> =
            (0..states).map(|i| HeatField::draw(2, BUMPS, &mut sample_rng(seed, i))).collect();
        let regularity = HeatField::common_regularity(&fields)?;
        let domain = Domain::unit(2, true)?;
        let any = dense_places(&domain, 1, least)?;
        let request = SweepRequest {
            design: PointDesign::Iid,
            estimator: Estimator::NadarayaWatson,
            rule: ScaleRule::Optimum,
            n_layouts: LAYOUTS,
            seed,
            regularity: &regularity,
            query: &any,
            tuning: &any,
        };
        let states: Vec<_> = fields.iter().map(|field| |point: &[f64]| field.value(point)).collect();
        let mut points = Vec::new();
        for n in sizes {
            let query = dense_places(&domain, n, least)?;
            points.push(SweepRequest { query: &query, ..request }.point(n, &states)?);
        }
        let closed_form = request.fit(points)?;
        let slopes: Vec<f64> = twin.iter().filter_map(|curve| Some(curve.fit?.slope)).collect();
        Ok(Self { seed, closed_form, twin_slope: SeedSlopes::of(slopes), twin })
    }
}

impl TwinCurve {
    fn of(run: &EvaluatedRun) -> Self {
        let measured: Vec<(f64, f64)> = run
            .evaluation
            .contexts
            .iter()
            .filter_map(|at| Some((at.n_points, at.outcome.measures()?.errors.relative_l2.mean)))
            .collect();
        let (n_points, errors): (Vec<f64>, Vec<f64>) = measured.into_iter().unzip();
        let SensorRate { fit, fitted } = SensorRate::of(&n_points, &errors);
        Self { seed: run.seed, n_points, errors, fit, fitted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: deviations −1, 0, 1 of three slopes have the variance 1, and Student's t of two degrees is 4.303.
    #[test]
    fn the_interval_of_few_seeds_is_as_wide_as_it_must_be() {
        let found = SeedSlopes::of(vec![-2.0, -1.0, 0.0]).unwrap();
        assert_eq!(found.mean, -1.0);
        assert!((found.half_width.unwrap() - 4.303 / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(SeedSlopes::of(vec![-0.5]).unwrap().half_width, None);
        assert!(SeedSlopes::of(Vec::new()).is_none());
    }
}
