//! Where to put sensors, which may fail with least loss, and which gap matters most.

mod balls;
mod cover;
mod greedy;
mod importance;
mod places;
mod refine;
mod region;

use super::discretization::Estimator;
use super::local_bound::LocalBounds;
use super::regularity::Regularity;
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use crate::setconv::SetConv;
use rayon::prelude::*;
use serde::Serialize;

pub use importance::{Gap, gaps, loss, losses};
pub use places::{Places, spread};
pub use region::Region;

/// What a layout is judged by; smaller is better.
#[derive(Clone, Debug, PartialEq)]
pub enum Objective {
    /// The largest distance of a place from its nearest sensor.
    FillDistance,
    /// The largest local bound, see [`LocalBounds`].
    Certificate {
        /// With which ℓ.
        setconv: SetConv,
        /// For which estimate.
        estimator: Estimator,
        /// What the states satisfy.
        regularity: Regularity,
    },
}

/// The worst place of a layout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// The objective there.
    pub value: f64,
    /// Where.
    pub at: Vec<f64>,
}

impl Objective {
    /// The objective at every place, for a layout of sensors.
    ///
    /// # Errors
    /// Places in another domain than the sensors.
    pub fn values(&self, sensors: &Points, places: &Places) -> Result<Vec<f64>> {
        self.values_at(sensors, places.points())
    }

    fn values_at(&self, sensors: &Points, query: &Points) -> Result<Vec<f64>> {
        match self {
            Objective::FillDistance => {
                let (tree, dim) = (PointTree::new(sensors), sensors.dim());
                let distance = |x: &[f64]| {
                    let mut position = [0.0; 3];
                    position[..dim].copy_from_slice(x);
                    tree.nearest(&position, None).map_or(0.0, |nearest| nearest.squared_distance.sqrt())
                };
                Ok(query.coordinates().par_chunks_exact(dim).map(distance).collect())
            }
            Objective::Certificate { setconv, estimator, regularity } => {
                let bounds = LocalBounds::new(setconv, *estimator, sensors, regularity, query)?;
                Ok(bounds.bounds.iter().map(|at| at.bound).collect())
            }
        }
    }

    /// The worst of the places for a layout of sensors.
    ///
    /// # Errors
    /// As [`Objective::values`].
    pub fn evaluate(&self, sensors: &Points, places: &Places) -> Result<Worst> {
        Ok(Worst::of(&self.values(sensors, places)?, places, sensors.dim()))
    }
}

impl Worst {
    /// The largest of the values at the places, the first of several.
    pub fn of(values: &[f64], places: &Places, dim: usize) -> Self {
        let index = (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best });
        Self { value: values[index], at: places.positions()[index][..dim].to_vec() }
    }
}

/// What is asked: n more sensors in a domain.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Where.
    pub domain: &'a Domain,
    /// How many to add.
    pub n_new: usize,
    /// Sensors that stand already; they stay.
    pub existing: Option<&'a Points>,
    /// Where no sensor may stand. The state there is wanted all the same.
    pub avoid: &'a [Region],
    /// What to make small.
    pub objective: Objective,
}

/// A layout of sensors.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// All sensors: the existing ones, then the new ones.
    pub sensors: Points,
    /// How many of them are new: the last.
    pub n_new: usize,
    /// The objective after the greedy placement.
    pub greedy: f64,
    /// The objective and worst place in the end.
    pub worst: Worst,
}

/// Places sensors: each new one at the place furthest from all so far, which is at most twice the least possible fill
/// distance; then all new ones are moved, to the centers of the smallest balls around the places they are nearest to,
/// and for the certificate towards the worst place, as long as the objective falls. The supremum over places is taken
/// over a grid of `places`, see [`Places::grid`].
///
/// # Errors
/// No sensor asked for, existing sensors in another domain, a region of another dimension, or no place that is not to
/// be avoided.
pub fn place_sensors(request: &Request, places: &Places) -> Result<Plan> {
    let dim = request.domain.dim();
    if request.n_new == 0 {
        let requirement = "must be at least 1";
        return Err(Error::Parameter { name: "number of sensors to add", value: "0".into(), requirement });
    }
    if let Some(existing) = request.existing.filter(|e| !e.domain().same_place(request.domain)) {
        let (context, query) = (existing.domain().to_string(), request.domain.to_string());
        return Err(Error::DomainMismatch { context, query });
    }
    request.avoid.iter().try_for_each(|region| region.check(dim))?;
    let mut sensors = greedy::place(request, places)?;
    let mut worst = request.objective.evaluate(&sensors, places)?;
    let greedy = worst.value;
    refine::center(request, places, &mut sensors, &mut worst)?;
    if request.objective != Objective::FillDistance {
        refine::towards_worst(request, places, &mut sensors, &mut worst)?;
    }
    Ok(Plan { sensors, n_new: request.n_new, greedy, worst })
}
