//! What losing a sensor costs, and what filling a gap gains.

use super::{Objective, Places, Worst};
use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use crate::theory::neighbors;
use rayon::prelude::*;
use serde::Serialize;

/// The objective after the loss of each sensor, in their order: the least names the sensor that may fail with least
/// loss.
///
/// # Errors
/// Fewer than two sensors, or places in another domain.
pub fn losses(objective: &Objective, sensors: &Points, places: &Places) -> Result<Vec<f64>> {
    if sensors.len() < 2 {
        let what = "number of sensors of which one may fail (at least)".into();
        return Err(Error::Mismatch { what, expected: 2, got: sensors.len() });
    }
    match objective {
        Objective::FillDistance => Ok(fill_distances(sensors, places)),
        Objective::Certificate { .. } => {
            (0..sensors.len()).map(|index| loss(objective, sensors, places, index)).collect()
        }
    }
}

/// The objective after the loss of one sensor.
///
/// # Errors
/// As [`losses`], or no such sensor.
pub fn loss(objective: &Objective, sensors: &Points, places: &Places, index: usize) -> Result<f64> {
    let (mut coordinates, dim) = (sensors.coordinates(), sensors.dim());
    if index >= sensors.len() {
        let what = "number of the sensor that fails (less than)".into();
        return Err(Error::Mismatch { what, expected: sensors.len(), got: index });
    }
    coordinates.drain(index * dim..(index + 1) * dim);
    let left = Points::scattered(sensors.domain().clone(), coordinates)?;
    Ok(objective.evaluate(&left, places)?.value)
}

/// Only the places nearest to a lost sensor change, to the distance of their second nearest.
fn fill_distances(sensors: &Points, places: &Places) -> Vec<f64> {
    let tree = PointTree::new(sensors);
    let two_nearest = |x: &[f64; 3]| {
        let first = tree.nearest(x, None)?;
        let second = tree.nearest(x, Some(first.place))?;
        Some((tree.order()[first.place], first.squared_distance, second.squared_distance))
    };
    let nearest: Vec<_> = places.positions().par_iter().filter_map(two_nearest).collect();
    let before = nearest.iter().map(|found| found.1).fold(0.0, f64::max);
    let mut after = vec![before; sensors.len()];
    for (index, _, second) in nearest {
        after[index] = f64::max(after[index], second);
    }
    after.into_iter().map(f64::sqrt).collect()
}

/// A place where a sensor is missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Where.
    pub at: Vec<f64>,
    /// The objective there, before a sensor is put there.
    pub value: f64,
    /// The largest objective anywhere once this gap and those before it have a sensor.
    pub after: f64,
}

/// The gaps that matter most: the worst place, then the worst once that has a sensor, and so on.
///
/// # Errors
/// Places in another domain.
pub fn gaps(objective: &Objective, sensors: &Points, places: &Places, n_gaps: usize) -> Result<Vec<Gap>> {
    let (domain, dim) = (sensors.domain(), sensors.dim());
    let reach = squared_reach(objective, sensors, places)?;
    let mut values = objective.values(sensors, places)?;
    let mut sensors = sensors.clone();
    let mut worst = Worst::of(&values, places, dim);
    let mut found = Vec::with_capacity(n_gaps);
    for _ in 0..n_gaps {
        let mut coordinates = sensors.coordinates();
        coordinates.extend_from_slice(&worst.at);
        // The worst place may hold a sensor already, where all places do.
        let Ok(filled) = Points::scattered(domain.clone(), coordinates) else { break };
        // Only places that the new sensor reaches change.
        let near =
            |index: &usize| domain.distance_squared(&places.positions()[*index][..dim], &worst.at) <= reach;
        let near: Vec<usize> = (0..values.len()).into_par_iter().filter(near).collect();
        let changed =
            objective.values_at(&filled, &Points::masked(places.lattice().clone(), near.clone())?)?;
        near.into_iter().zip(changed).for_each(|(index, value)| values[index] = value);
        let next = Worst::of(&values, places, dim);
        found.push(Gap { at: worst.at, value: worst.value, after: next.value });
        (sensors, worst) = (filled, next);
    }
    Ok(found)
}

/// Beyond this squared distance from a sensor nothing depends on it.
fn squared_reach(objective: &Objective, sensors: &Points, places: &Places) -> Result<f64> {
    let furthest = Objective::FillDistance.evaluate(sensors, places)?.value.powi(2);
    Ok(match objective {
        Objective::FillDistance => furthest,
        Objective::Certificate { setconv, .. } => {
            furthest + neighbors::margin(setconv.kernel(), sensors.len() + 1)
        }
    })
}
