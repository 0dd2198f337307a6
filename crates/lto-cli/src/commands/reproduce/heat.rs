//! The published figure: the error of the set convolution alone and the trained twin's forecasting error, against the number
//! of sensors.

use super::Run;
use crate::args::Scale;
use crate::picture::chart::{Axis, COLORS, Chart, Series, Style};
use crate::picture::drawing::Drawing;
use anyhow::Result;
use lto::evaluate::statistics::ErrorStatistics;
use lto_numerics::design::Design;
use lto_numerics::pde::{HeatField, sample_rng};
use lto_numerics::theory::{Estimator, RateFit, Regularity, ScaleRule, Sweep, SweepRequest};
use lto_numerics::{Domain, Grid, Placement, Points};
use serde::Serialize;

/// Layouts of sensors for each N.
const LAYOUTS: usize = 5;
/// Bumps of a state, as published.
const BUMPS: usize = 4;
/// Errors within this factor of the smallest are the model's own, not those of too few sensors.
const FLOOR: f64 = 1.5;

/// Both curves.
#[derive(Serialize)]
pub struct HeatFigure {
    /// −2/(3D).
    pub predicted_slope: f64,
    /// Seed of states and layouts of the closed form.
    seed: u64,
    /// ε_disc(N): the supremum over states and places of the set convolution's error, at ℓ*, from random sensors.
    pub closed_form: Sweep,
    /// The twin's forecasts, one curve a seed.
    pub twin: Vec<TwinCurve>,
    /// Slopes of the seeds, their mean and its 95 % interval (bootstrap over seeds); none where no seed has one.
    pub twin_slope: Option<ErrorStatistics>,
}

/// One trained twin.
#[derive(Serialize)]
pub struct TwinCurve {
    /// Its seed.
    pub seed: Option<u64>,
    /// Numbers of sensors.
    pub n_points: Vec<f64>,
    /// Mean relative L2 of the forecasts.
    pub errors: Vec<f64>,
    /// The rate over the sizes whose error is that of too few sensors.
    pub fit: Option<RateFit>,
    /// These sizes.
    pub fitted: usize,
}

impl HeatFigure {
    /// Sweeps the closed form over the sizes of the twins.
    ///
    /// # Errors
    /// None for the sizes of a suite.
    pub fn of(runs: &[Run], scale: Scale) -> Result<Self> {
        let twins = runs.iter().filter(|run| run.evaluation.model.kind == "twin");
        let twin: Vec<TwinCurve> = twins.map(TwinCurve::of).collect();
        let sizes: Vec<usize> =
            twin.first().map_or(&[][..], |curve| &curve.n_points).iter().map(|&n| n as usize).collect();
        let (states, resolution) = if scale == Scale::Smoke { (4, 32) } else { (20, 64) };
        let seed = 0;
        let fields: Vec<HeatField> =
            (0..states).map(|i| HeatField::draw(2, BUMPS, &mut sample_rng(seed, i))).collect();
        let bounds = fields.iter().map(HeatField::regularity).collect::<Result<Vec<_>, _>>()?;
        let largest = |of: fn(&Regularity) -> f64| bounds.iter().map(of).fold(0.0, f64::max);
        let domain = Domain::unit(2, true)?;
        let regularity = Regularity::new(
            &domain,
            largest(|r| r.curvature_bound),
            Some(largest(|r| r.sup_bound.unwrap_or(0.0))),
            Some(largest(|r| r.gradient_bound)),
        )?;
        let request = SweepRequest {
            design: Design::Iid,
            estimator: Estimator::NadarayaWatson,
            rule: ScaleRule::Optimum,
            n_layouts: LAYOUTS,
            seed,
            regularity: &regularity,
            query: &Points::grid(Grid::cubic(domain, resolution, Placement::Left)?),
        };
        let states: Vec<_> = fields.iter().map(|field| |point: &[f64]| field.value(point)).collect();
        let closed_form = request.run(&sizes, &states)?;
        let slopes: Vec<f64> = twin.iter().filter_map(|curve| Some(curve.fit?.slope)).collect();
        Ok(Self {
            predicted_slope: -1.0 / 3.0,
            seed,
            closed_form,
            twin_slope: ErrorStatistics::of(slopes),
            twin,
        })
    }

    /// The figure: both curves with their fits, and the predicted rate.
    pub fn chart(&self) -> Drawing {
        let closed: Vec<(f64, f64)> =
            self.closed_form.points.iter().map(|at| (at.n_points as f64, at.error)).collect();
        let series =
            |name: String, points, color, style| Series { name, points, intervals: Vec::new(), color, style };
        let fit = &self.closed_form.fit;
        let mut curves = vec![series(
            format!("SetConv alone: {:.2} ± {:.2}", fit.slope, fit.half_width),
            closed.clone(),
            COLORS[1],
            Style::Marked,
        )];
        let slope = self.twin_slope.as_ref().map_or(String::new(), |slope| {
            let interval = slope.interval.map(|[low, high]| format!(" ({low:.2}, {high:.2})"));
            format!(": {:.2}{}", slope.mean, interval.unwrap_or_default())
        });
        for (number, twin) in self.twin.iter().enumerate() {
            let name = match number {
                0 => format!("twin{slope}"),
                _ => format!("  seed {}", twin.seed.unwrap_or_default()),
            };
            let points = twin.n_points.iter().copied().zip(twin.errors.iter().copied()).collect();
            curves.push(series(name, points, COLORS[0], Style::Marked));
        }
        if let (Some(&(first, error)), Some(&(last, _))) = (closed.first(), closed.last()) {
            let at = |n: f64| (n, 1.3 * error * (n / first).powf(self.predicted_slope));
            let name = format!("predicted: {:.2}", self.predicted_slope);
            curves.push(series(name, vec![at(first), at(last)], COLORS[4], Style::Dashed));
        }
        let axis = |label: &str| Axis { label: label.into(), log: true };
        let title = "Error against the number of random sensors".into();
        Chart { title, x: axis("sensors N"), y: axis("error"), series: curves }.draw()
    }
}

impl TwinCurve {
    fn of(run: &Run) -> Self {
        let measured: Vec<(f64, f64)> = run
            .evaluation
            .contexts
            .iter()
            .filter_map(|at| Some((at.n_points, at.outcome.measures()?.relative_l2.mean)))
            .collect();
        let (n_points, errors): (Vec<f64>, Vec<f64>) = measured.into_iter().unzip();
        let floor = errors.iter().copied().fold(f64::INFINITY, f64::min);
        let fitted = errors.iter().take_while(|error| **error > FLOOR * floor).count();
        let fit = RateFit::fit(&n_points[..fitted], &errors[..fitted]).ok();
        Self { seed: run.seed, n_points, errors, fit, fitted }
    }
}
