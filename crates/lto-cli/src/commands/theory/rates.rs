//! The discretization error against the number of points.

use crate::args::{RatesArgs, StatesArg};
use crate::progress::Progress;
use anyhow::Result;
use lto_numerics::pde::{HeatField, sample_rng};
use lto_numerics::theory::{
    Estimator, RateSweep, Regularity, ScaleRule, SweepRequest, TrialField, dense_places,
};
use lto_numerics::{Domain, PointDesign};
use serde::Serialize;

/// Places at which the supremum over space is taken, at least, in one, two and three dimensions; eight for each point where
/// that is more.
const PLACES: [usize; 3] = [1201, 1225, 1331];
/// In three dimensions values of ℓ are compared at so many times fewer places, as it would take too long.
const FEWER: usize = 4;
/// States of the heat experiment.
const HEAT_STATES: u64 = 4;
/// Bumps of each.
const BUMPS: usize = 4;

/// The estimates shown, each with the rules for ℓ that belong to it.
const SHOWN: [(Estimator, ScaleRule); 3] = [
    (Estimator::NadarayaWatson, ScaleRule::Optimum),
    (Estimator::NadarayaWatson, ScaleRule::Best),
    (Estimator::LocalLinear, ScaleRule::Best),
];

/// All rates. The keys are stable.
#[derive(Serialize)]
pub struct Rates {
    /// Of what.
    pub states: &'static str,
    /// Random layouts for each number of points.
    pub layouts: usize,
    /// The seed.
    pub seed: u64,
    /// One for each dimension, estimate, rule and design.
    pub rates: Vec<Rate>,
}

/// One curve.
#[derive(Serialize)]
pub struct Rate {
    /// D.
    pub dim: usize,
    /// How the points are placed.
    pub design: PointDesign,
    /// How values between them are estimated.
    pub estimator: Estimator,
    /// How ℓ is chosen.
    pub rule: ScaleRule,
    /// `points`, `fit` and `predicted_slope`.
    #[serde(flatten)]
    pub sweep: RateSweep,
}

type State = Box<dyn Fn(&[f64]) -> f64>;

impl Rates {
    /// Measures them.
    ///
    /// # Errors
    /// None for sound arguments.
    pub fn measure(args: &RatesArgs, quiet: bool) -> Result<Self> {
        let shown: Vec<_> = SHOWN.into_iter().filter(|(e, _)| args.estimators.contains(e)).collect();
        let total: usize = args.dim.iter().map(|&dim| sizes(usize::from(dim)).len()).sum();
        let mut progress = Progress::new("errors", total * shown.len() * args.designs.len(), 0, quiet);
        let mut done = 0;
        let mut rates = Vec::new();
        for &dim in &args.dim {
            let dim = usize::from(dim);
            let (states, regularity) = states(args, dim)?;
            let (domain, least) = (Domain::unit(dim, true)?, PLACES[dim.clamp(1, 3) - 1]);
            let any = dense_places(&domain, 1, least)?;
            for &(estimator, rule) in &shown {
                for &design in &args.designs {
                    let request = SweepRequest {
                        design,
                        estimator,
                        rule,
                        n_layouts: if design == PointDesign::Grid { 1 } else { args.layouts },
                        seed: args.seed,
                        regularity: &regularity,
                        query: &any,
                        tuning: &any,
                    };
                    let mut points = Vec::new();
                    for n in sizes(dim) {
                        let query = dense_places(&domain, n, least)?;
                        let tuning =
                            if dim < 3 { query.clone() } else { dense_places(&domain, n / FEWER, least)? };
                        let at = SweepRequest { query: &query, tuning: &tuning, ..request };
                        points.push(at.point(n, &states)?);
                        done += 1;
                        progress.set(done);
                    }
                    rates.push(Rate { dim, design, estimator, rule, sweep: request.fit(points)? });
                }
            }
        }
        progress.finish();
        Ok(Self { states: args.states.name(), layouts: args.layouts, seed: args.seed, rates })
    }
}

/// Numbers of points, each a power of a whole number: a regular grid has them too.
fn sizes(dim: usize) -> Vec<usize> {
    let roots: &[usize] = match dim {
        1 => &[16, 32, 64, 128, 256, 512, 1024, 2048],
        2 => &[8, 12, 16, 24, 32, 48, 64],
        _ => &[4, 6, 8, 10, 12, 16],
    };
    roots.iter().map(|root| root.pow(dim as u32)).collect()
}

/// The states, and bounds that hold for all of them.
fn states(args: &RatesArgs, dim: usize) -> Result<(Vec<State>, Regularity)> {
    let domain = Domain::unit(dim, true)?;
    match args.states {
        StatesArg::Wave => {
            let wave = TrialField::wave(&domain, 1.0, 1);
            let regularity = wave.regularity(&domain)?;
            Ok((vec![Box::new(move |x| wave.value(x))], regularity))
        }
        StatesArg::Heat => {
            let fields: Vec<HeatField> = (0..HEAT_STATES)
                .map(|index| HeatField::draw(dim, BUMPS, &mut sample_rng(args.seed, index)))
                .collect();
            let regularity = HeatField::common_regularity(&fields)?;
            let states = fields.into_iter().map(|field| Box::new(move |x: &[f64]| field.value(x)) as State);
            Ok((states.collect(), regularity))
        }
    }
}
