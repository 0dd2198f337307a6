//! The discretization error against the number of points, for several dimensions, designs and estimators.

use crate::design::PointDesign;
use crate::domain::Domain;
use crate::error::Result;
use crate::pde::{HeatField, sample_rng};
use crate::points::Points;
use crate::ranks::{Ranks, dealt};
use crate::theory::{Estimator, RateSweep, Regularity, ScaleRule, SweepRequest, TrialField, dense_places};
use serde::Serialize;

/// Fewest places for the supremum over space in one, two and three dimensions; eight per point if that is
/// more.
const PLACES: [usize; 3] = [1201, 1225, 1331];
/// In three dimensions ℓ is compared at this many times fewer places; all would take too long.
const FEWER: usize = 4;
/// States of the heat experiment.
const HEAT_STATES: u64 = 4;
/// Bumps per state.
const BUMPS: usize = 4;
/// The estimators measured, each with its rules for ℓ.
const MEASURED: [(Estimator, ScaleRule); 3] = [
    (Estimator::NadarayaWatson, ScaleRule::Optimum),
    (Estimator::NadarayaWatson, ScaleRule::Best),
    (Estimator::LocalLinear, ScaleRule::Best),
];

/// The states whose error is measured, all on the periodic unit box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RateStates {
    /// One wave along the diagonal.
    Wave,
    /// Four states of the heat experiment: four Gaussian bumps each.
    Heat,
}

impl RateStates {
    /// All of them.
    pub const ALL: [RateStates; 2] = [RateStates::Wave, RateStates::Heat];

    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wave => "wave",
            Self::Heat => "heat",
        }
    }

    /// The states, and bounds that hold for all of them.
    fn draw(self, domain: &Domain, seed: u64) -> Result<(Vec<State>, Regularity)> {
        match self {
            Self::Wave => {
                let wave = TrialField::wave(domain, 1.0, 1);
                let regularity = wave.regularity(domain)?;
                Ok((vec![Box::new(move |x| wave.value(x))], regularity))
            }
            Self::Heat => {
                let draw = |index| HeatField::draw(domain.dim(), BUMPS, &mut sample_rng(seed, index));
                let fields: Vec<HeatField> = (0..HEAT_STATES).map(draw).collect();
                let regularity = HeatField::common_regularity(&fields)?;
                let states =
                    fields.into_iter().map(|field| Box::new(move |x: &[f64]| field.value(x)) as State);
                Ok((states.collect(), regularity))
            }
        }
    }
}

type State = Box<dyn Fn(&[f64]) -> f64>;

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct RatesRequest {
    /// Numbers of dimensions, each 1 to 3.
    pub dims: Vec<usize>,
    /// How points are placed.
    pub designs: Vec<PointDesign>,
    /// How values between the points are estimated.
    pub estimators: Vec<Estimator>,
    /// The states.
    pub states: RateStates,
    /// Random layouts for each number of points.
    pub layouts: usize,
    /// Seed of layouts and states.
    pub seed: u64,
}

/// All rates. The keys of their JSON are stable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rates {
    /// The states.
    pub states: RateStates,
    /// Random layouts for each number of points.
    pub layouts: usize,
    /// The seed.
    pub seed: u64,
    /// One per dimension, estimator, rule and design.
    pub rates: Vec<Rate>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// D.
    pub dim: usize,
    /// How the points are placed.
    pub design: PointDesign,
    /// How values between the points are estimated.
    pub estimator: Estimator,
    /// How ℓ is chosen.
    pub rule: ScaleRule,
    /// `points`, `fit` and `predicted_slope`.
    #[serde(flatten)]
    pub sweep: RateSweep,
}

impl RatesRequest {
    /// The number of errors that [`RatesRequest::measure`] measures, for showing progress.
    pub fn steps(&self) -> usize {
        let sizes: usize = self.dims.iter().map(|&dim| sizes(dim).len()).sum();
        sizes * self.measured().count() * self.designs.len()
    }

    fn measured(&self) -> impl Iterator<Item = (Estimator, ScaleRule)> + use<'_> {
        MEASURED.into_iter().filter(|(estimator, _)| self.estimators.contains(estimator))
    }

    /// Measures the errors, dealt out to the processes, and fits their slopes. `progress` receives the number of errors
    /// measured, as far as this process knows.
    ///
    /// # Errors
    /// No layouts, or a number of dimensions other than 1 to 3.
    pub fn measure(&self, ranks: &dyn Ranks, progress: &mut dyn FnMut(usize)) -> Result<Rates> {
        let boxes = self.dims.iter().map(|&dim| self.periodic_box(dim)).collect::<Result<Vec<_>>>()?;
        let curves: Vec<(&PeriodicBox, SweepRequest)> = boxes
            .iter()
            .flat_map(|of| self.measured().map(move |measured| (of, measured)))
            .flat_map(|(of, measured)| self.designs.iter().map(move |&d| (of, self.curve(of, measured, d))))
            .collect();
        let cases: Vec<(&PeriodicBox, &SweepRequest, usize)> = curves
            .iter()
            .flat_map(|(of, curve)| sizes(of.dim()).into_iter().map(move |n| (*of, curve, n)))
            .collect();
        let mut done = 0;
        let mut points = dealt(ranks, cases.len(), |i| {
            let (PeriodicBox { domain, states, .. }, curve, n) = cases[i];
            let least = PLACES[domain.dim() - 1];
            let query = dense_places(domain, n, least)?;
            let tuning =
                if domain.dim() < 3 { query.clone() } else { dense_places(domain, n / FEWER, least)? };
            let point = SweepRequest { query: &query, tuning: &tuning, ..*curve }.point(n, states);
            done += ranks.size();
            progress(done.min(cases.len()));
            point
        })?
        .into_iter();
        let rates = curves
            .iter()
            .map(|(of, curve)| {
                let SweepRequest { design, estimator, rule, .. } = *curve;
                let points = points.by_ref().take(sizes(of.dim()).len()).collect();
                Ok(Rate { dim: of.dim(), design, estimator, rule, sweep: curve.fit(points)? })
            })
            .collect::<Result<_>>()?;
        Ok(Rates { states: self.states, layouts: self.layouts, seed: self.seed, rates })
    }

    fn periodic_box(&self, dim: usize) -> Result<PeriodicBox> {
        let domain = Domain::unit(dim, true)?;
        let (states, regularity) = self.states.draw(&domain, self.seed)?;
        let places = dense_places(&domain, 1, PLACES[dim - 1])?;
        Ok(PeriodicBox { domain, states, regularity, places })
    }

    fn curve<'a>(
        &self,
        of: &'a PeriodicBox,
        (estimator, rule): (Estimator, ScaleRule),
        design: PointDesign,
    ) -> SweepRequest<'a> {
        SweepRequest {
            design,
            estimator,
            rule,
            n_layouts: if design == PointDesign::Grid { 1 } else { self.layouts },
            seed: self.seed,
            regularity: &of.regularity,
            query: &of.places,
            tuning: &of.places,
        }
    }
}

/// The periodic unit box of a number of dimensions, with the states on it.
struct PeriodicBox {
    domain: Domain,
    states: Vec<State>,
    regularity: Regularity,
    /// Places in it, for what does not depend on the number of points.
    places: Points,
}

impl PeriodicBox {
    fn dim(&self) -> usize {
        self.domain.dim()
    }
}

/// Numbers of points, each the D-th power of a whole number, so that a regular grid can have them.
fn sizes(dim: usize) -> Vec<usize> {
    let roots: &[usize] = match dim {
        1 => &[16, 32, 64, 128, 256, 512, 1024, 2048],
        2 => &[8, 12, 16, 24, 32, 48, 64],
        _ => &[4, 6, 8, 10, 12, 16],
    };
    roots.iter().map(|root| root.pow(dim as u32)).collect()
}
