//! Where to put sensors, which failures cost least, and which gap matters most.

mod cover;
mod failures;
mod gaps;
mod ledger;
mod losses;
mod places;
mod refine;
mod region;
mod sites;

use super::discretization::Estimator;
use super::local_bound::LocalBounds;
use super::regularity::Regularity;
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use crate::setconv::SetConv;
use ledger::Ledger;
use rayon::prelude::*;
use serde::Serialize;
use sites::Sites;

pub use failures::{Failure, Failures};
pub use gaps::{Gap, gaps};
pub use losses::{SensorLoss, losses};
pub use places::{PlaceGrid, spread};
pub use region::Region;

/// The criterion for a layout; smaller is better.
#[derive(Clone, Debug, PartialEq)]
pub enum SensorObjective {
    /// The largest distance from a place to its nearest sensor.
    FillDistance,
    /// The largest local bound, see [`LocalBounds`].
    Certificate {
        /// The set convolution, with its ℓ.
        setconv: SetConv,
        /// The estimator.
        estimator: Estimator,
        /// What is known about the states.
        regularity: Regularity,
    },
}

/// The worst place of a layout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstPlace {
    /// The objective there.
    pub value: f64,
    /// The place.
    pub at: Vec<f64>,
}

impl SensorObjective {
    /// The objective at every place, for a layout of sensors.
    ///
    /// # Errors
    /// Places in another domain than the sensors.
    pub fn values(&self, sensors: &Points, places: &PlaceGrid) -> Result<Vec<f64>> {
        self.values_at(sensors, places.points())
    }

    fn values_at(&self, sensors: &Points, query: &Points) -> Result<Vec<f64>> {
        match self {
            SensorObjective::FillDistance => {
                let (tree, dim) = (PointTree::new(sensors), sensors.dim());
                let distance = |x: &[f64]| {
                    let mut position = [0.0; 3];
                    position[..dim].copy_from_slice(x);
                    tree.nearest(&position, None).map_or(0.0, |nearest| nearest.squared_distance.sqrt())
                };
                Ok(query.coordinates().par_chunks_exact(dim).map(distance).collect())
            }
            SensorObjective::Certificate { setconv, estimator, regularity } => {
                let bounds = LocalBounds::new(setconv, *estimator, sensors, regularity, query)?;
                Ok(bounds.bounds.iter().map(|at| at.bound).collect())
            }
        }
    }

    /// The worst of the places for a layout of sensors.
    ///
    /// # Errors
    /// As [`SensorObjective::values`].
    pub fn evaluate(&self, sensors: &Points, places: &PlaceGrid) -> Result<WorstPlace> {
        Ok(WorstPlace::of(&self.values(sensors, places)?, places, sensors.dim()))
    }
}

impl WorstPlace {
    /// The largest of the values at the places, the first if tied.
    pub fn of(values: &[f64], places: &PlaceGrid, dim: usize) -> Self {
        let index = (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best });
        Self { value: values[index], at: places.positions()[index][..dim].to_vec() }
    }
}

/// The request: n more sensors in a domain.
#[derive(Clone, Debug)]
pub struct SensorRequest<'a, Objective = SensorObjective> {
    /// The domain.
    pub domain: &'a Domain,
    /// How many sensors to add.
    pub n_new: usize,
    /// Existing sensors, which stay.
    pub existing: Option<&'a Points>,
    /// Where no sensor may stand. The state is still wanted there.
    pub avoid: &'a [Region],
    /// What to minimize.
    pub objective: Objective,
}

/// A layout of sensors.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorPlan {
    /// All sensors: the existing ones, then the new ones.
    pub sensors: Points,
    /// How many of them are new; these come last.
    pub n_new: usize,
    /// The objective of the starting layout.
    pub start: f64,
    /// The final objective and worst place.
    pub worst: WorstPlace,
}

/// Places sensors: [`complete`] from nothing, then [`refine`].
///
/// # Errors
/// As those two.
pub fn place_sensors(request: &SensorRequest, places: &PlaceGrid) -> Result<SensorPlan> {
    refine(request, places, complete(request, places, &[])?)
}

/// The existing sensors, the `first` new ones (coordinates `[k, D]`, possibly none), then each further one at
/// the place furthest from all so far. Without regions to avoid and without initial sensors, the fill
/// distance over the places is at most twice the optimum (Gonzalez). If that place lies in a region to avoid,
/// the sensor goes to the nearest allowed place, unless no layout can serve the region better; no factor is
/// claimed then.
///
/// # Errors
/// No sensor requested, more first ones than requested, sensors outside the domain or twice at the same
/// place, a region of another dimension, or no place left outside the regions to avoid.
pub fn complete(request: &SensorRequest, places: &PlaceGrid, first: &[f64]) -> Result<Points> {
    let dim = request.domain.dim();
    let asked = |requirement| {
        let value = request.n_new.to_string();
        Error::Parameter { name: "n_new", value, requirement }
    };
    if request.n_new == 0 {
        return Err(asked("must be at least 1"));
    }
    if first.len() > request.n_new * dim || !first.len().is_multiple_of(dim) {
        return Err(asked("must be at least the number of new sensors already chosen"));
    }
    if let Some(existing) = request.existing.filter(|e| !e.domain().same_place(request.domain)) {
        let (context, query) = (existing.domain().to_string(), request.domain.to_string());
        return Err(Error::DomainMismatch { context, query });
    }
    request.avoid.iter().try_for_each(|region| region.check(dim))?;
    let Some(sites) = Sites::new(request.domain, places, request.avoid)? else {
        return Err(asked("needs a place outside the regions to avoid, but they fill the domain"));
    };
    cover::place(request, places, &sites, first)
}

/// Moves the new sensors of a layout (the last `n_new`) as long as that helps: to the centers of the smallest
/// balls around the places they are nearest to, and for the certificate towards the worst place. Over the
/// places, a grid from [`PlaceGrid::new`], the result is never worse than the start.
///
/// # Errors
/// A layout with fewer sensors than that, or places in another domain.
pub fn refine(request: &SensorRequest, places: &PlaceGrid, start: Points) -> Result<SensorPlan> {
    if start.len() < request.n_new {
        let what = "number of sensors to move (at most)".into();
        return Err(Error::Mismatch { what, expected: start.len(), got: request.n_new });
    }
    let before = request.objective.evaluate(&start, places)?;
    let centered = refine::center(request, places, &start)?;
    let after = request.objective.evaluate(&centered, places)?;
    // A layout that covers better may be worse by the certificate.
    let better = if after.value < before.value { centered } else { start };
    let mut ledger = Ledger::new(&request.objective, better, places)?;
    if request.objective != SensorObjective::FillDistance {
        refine::towards_worst(request, &mut ledger)?;
    }
    let worst = ledger.worst();
    Ok(SensorPlan { sensors: ledger.sensors, n_new: request.n_new, start: before.value, worst })
}
