//! What losing a sensor costs.

use super::{PlaceGrid, SensorObjective};
use crate::error::{Error, Result};
use crate::point_tree::{Cuboid, PointTree};
use crate::points::Points;
use crate::theory::local_bound::Place;
use crate::theory::neighbors::{self, Near};
use rayon::prelude::*;
use serde::Serialize;

/// A sensor with less than this fraction of the weights at a place does not matter there.
const SHARE: f64 = 1e-6;

/// The effect of one sensor's failure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SensorLoss {
    /// The largest objective anywhere without the sensor.
    pub value: f64,
    /// The largest rise of the objective at any place: distinguishes failures that do not change the largest
    /// objective.
    pub rise: f64,
}

/// The effect of each sensor's failure, in their order. Only places that a sensor reaches are evaluated
/// again: at each place, every sensor with a millionth of the weights is left out in turn.
///
/// # Errors
/// Fewer than two sensors, or places in another domain.
pub fn losses(objective: &SensorObjective, sensors: &Points, places: &PlaceGrid) -> Result<Vec<SensorLoss>> {
    if sensors.len() < 2 {
        let what = "number of sensors if one may fail (at least)".into();
        return Err(Error::Mismatch { what, expected: 2, got: sensors.len() });
    }
    if !sensors.domain().same_place(places.points().domain()) {
        let text = |points: &Points| points.domain().to_string();
        return Err(Error::DomainMismatch { context: text(sensors), query: text(places.points()) });
    }
    let tree = PointTree::new(sensors);
    let visit = |x: &[f64; 3], scratch: &mut Scratch| match objective {
        SensorObjective::FillDistance => second_nearest(&tree, x, scratch),
        SensorObjective::Certificate { setconv, estimator, regularity } => {
            let place = Place { domain: sensors.domain(), regularity, setconv, n_points: sensors.len() };
            scratch.gather(&tree, x, &place);
            scratch.leave_out(&place, |near| place.bound(*estimator, near).0.bound);
        }
    };
    let n = sensors.len();
    let none = || SensorLoss { value: 0.0, rise: 0.0 };
    // At each place the objective, and its value without each of the sensors that matter there.
    let (before, found) = places
        .positions()
        .par_iter()
        .fold(
            || (Vec::new(), vec![none(); n], Scratch::default()),
            |(mut before, mut found, mut scratch), x| {
                visit(x, &mut scratch);
                before.push(scratch.before);
                for &(place, after) in &scratch.without {
                    let loss = &mut found[tree.order()[place]];
                    loss.value = loss.value.max(after);
                    loss.rise = loss.rise.max(after - scratch.before);
                }
                (before, found, scratch)
            },
        )
        .map(|(before, found, _)| (before, found))
        .reduce(|| (Vec::new(), vec![none(); n]), |a, b| ([a.0, b.0].concat(), merged(a.1, &b.1)));
    let elsewhere = untouched(&before, n, |place, reached| {
        let mut scratch = Scratch::default();
        visit(&places.positions()[place], &mut scratch);
        scratch.without.iter().for_each(|&(place, _)| reached[tree.order()[place]] = true);
    });
    let all = found.into_iter().zip(elsewhere);
    Ok(all.map(|(loss, rest)| SensorLoss { value: loss.value.max(rest), ..loss }).collect())
}

fn merged(mut losses: Vec<SensorLoss>, others: &[SensorLoss]) -> Vec<SensorLoss> {
    for (loss, other) in losses.iter_mut().zip(others) {
        *loss = SensorLoss { value: loss.value.max(other.value), rise: loss.rise.max(other.rise) };
    }
    losses
}

/// For each sensor, the largest of the values at places it does not reach. `reach` marks the sensors that
/// reach a place: few, so few places need to be checked.
fn untouched(values: &[f64], n_sensors: usize, reach: impl Fn(usize, &mut Vec<bool>)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[j].total_cmp(&values[i]));
    let mut found = vec![0.0; n_sensors];
    let mut open: Vec<usize> = (0..n_sensors).collect();
    for place in order {
        if open.is_empty() {
            break;
        }
        let mut reached = vec![false; n_sensors];
        reach(place, &mut reached);
        open.iter().filter(|&&sensor| !reached[sensor]).for_each(|&sensor| found[sensor] = values[place]);
        open.retain(|&sensor| reached[sensor]);
    }
    found
}

/// Only the places nearest to a lost sensor change, to the distance of their second nearest.
fn second_nearest(tree: &PointTree, x: &[f64; 3], scratch: &mut Scratch) {
    scratch.without.clear();
    let Some(first) = tree.nearest(x, None) else { return };
    scratch.before = first.squared_distance.sqrt();
    if let Some(second) = tree.nearest(x, Some(first.place)) {
        scratch.without.push((first.place, second.squared_distance.sqrt()));
    }
}

/// The objective at one place, with all sensors and without each one that matters there.
#[derive(Default)]
struct Scratch {
    before: f64,
    /// Positions in the tree, and the objective without the sensor there.
    without: Vec<(usize, f64)>,
    near: Near,
    /// Squared distances and tree positions of the points of `near`.
    points: Vec<(f64, usize)>,
}

impl Scratch {
    /// All sensors that matter at x, even once the nearest one is lost.
    fn gather(&mut self, tree: &PointTree, x: &[f64; 3], place: &Place) {
        self.points.clear();
        self.near.displacements.clear();
        self.near.turning.clear();
        let Some(first) = tree.nearest(x, None) else { return };
        let second = tree.nearest(x, Some(first.place)).map_or(first, |second| second);
        let margin = neighbors::margin(place.setconv.kernel(), tree.len());
        let reach = second.squared_distance + margin;
        for index in tree.near(&Cuboid::point(*x), reach).into_iter().flatten() {
            let at = tree.position(index);
            let mut displacement = [0.0; 3];
            for (d, axis) in place.domain.axes().iter().enumerate() {
                displacement[d] = axis.displacement(x[d], at[d]);
            }
            self.points.push((neighbors::dot(&displacement, &displacement), index));
            self.near.turning.push(neighbors::turns(place.domain, &displacement, &[0.0; 3]));
            self.near.displacements.push(displacement);
        }
        self.near.reach = reach.sqrt();
    }

    /// Leaves out one sensor after the other.
    fn leave_out(&mut self, place: &Place, bound: impl Fn(&Near) -> f64) {
        self.without.clear();
        self.weigh(place, None);
        self.before = bound(&self.near);
        let total: f64 = self.near.weights.iter().sum();
        for index in 0..self.points.len() {
            let weight = self.near.weights[index];
            if weight < SHARE * total {
                continue;
            }
            let after = if weight == 1.0 {
                // The nearest: weights are relative to it.
                self.weigh(place, Some(index));
                let after = bound(&self.near);
                self.weigh(place, None);
                after
            } else {
                self.near.weights[index] = 0.0;
                let after = bound(&self.near);
                self.near.weights[index] = weight;
                after
            };
            self.without.push((self.points[index].1, after));
        }
    }

    /// Weights relative to that of the second nearest sensor.
    fn weigh(&mut self, place: &Place, lost: Option<usize>) {
        let kernel = place.setconv.kernel();
        let others = self.points.iter().enumerate().filter(|(index, _)| Some(*index) != lost);
        let least = others.map(|(_, point)| point.0).fold(f64::INFINITY, f64::min);
        let rate = 0.5 / kernel.length_scale().powi(2);
        let weight = |(index, point): (usize, &(f64, usize))| match Some(index) == lost {
            true => 0.0,
            false => (-rate * (point.0 - least).max(0.0)).exp(),
        };
        self.near.weights.clear();
        self.near.weights.extend(self.points.iter().enumerate().map(weight));
        (self.near.largest, self.near.exponent, self.near.least) = (kernel.value(least), rate * least, least);
    }
}
