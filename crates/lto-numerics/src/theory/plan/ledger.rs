//! The objective at every place, kept up to date while sensors are added, removed and moved.

use super::{PlaceGrid, SensorObjective, WorstPlace};
use crate::error::Result;
use crate::points::Points;
use crate::theory::neighbors;
use rayon::prelude::*;

/// A layout with the objective at every place. A change is evaluated only where it has an effect.
pub(super) struct Ledger<'a> {
    objective: &'a SensorObjective,
    places: &'a PlaceGrid,
    pub sensors: Points,
    pub values: Vec<f64>,
    /// Beyond this squared distance from a sensor nothing depends on it.
    squared_reach: f64,
}

/// A trial of another layout.
pub(super) struct Trial {
    pub sensors: Points,
    /// The largest objective anywhere.
    pub value: f64,
    /// Places where the objective changes, increasing, and its new values.
    changed: Vec<(usize, f64)>,
}

impl<'a> Ledger<'a> {
    pub fn new(objective: &'a SensorObjective, sensors: Points, places: &'a PlaceGrid) -> Result<Self> {
        let values = objective.values(&sensors, places)?;
        let mut ledger = Self { objective, places, sensors, values, squared_reach: 0.0 };
        ledger.measure_reach()?;
        Ok(ledger)
    }

    pub fn worst(&self) -> WorstPlace {
        WorstPlace::of(&self.values, self.places, self.sensors.dim())
    }

    /// A layout that differs only by sensors removed from or added at the given places.
    pub fn attempt(&self, sensors: Points, differs: &[&[f64]]) -> Result<Trial> {
        let (domain, dim) = (sensors.domain(), sensors.dim());
        let reached = |index: &usize| {
            let x = &self.places.positions()[*index][..dim];
            differs.iter().any(|at| domain.distance_squared(x, at) <= self.squared_reach)
        };
        let indices: Vec<usize> = (0..self.values.len()).into_par_iter().filter(reached).collect();
        if indices.is_empty() {
            return Ok(Trial { value: self.worst().value, sensors, changed: Vec::new() });
        }
        let query = Points::masked(self.places.lattice().clone(), indices.clone())?;
        let values = self.objective.values_at(&sensors, &query)?;
        let mut next = indices.iter().zip(&values).peekable();
        let mut value = 0.0;
        for (index, &before) in self.values.iter().enumerate() {
            let now = next.next_if(|(changed, _)| **changed == index).map_or(before, |(_, now)| *now);
            value = f64::max(value, now);
        }
        Ok(Trial { sensors, value, changed: indices.into_iter().zip(values).collect() })
    }

    /// The largest objective of the trial over the chosen places.
    pub fn largest_among(&self, trial: &Trial, chosen: &[usize]) -> f64 {
        let after = |index: &usize| match trial.changed.binary_search_by_key(index, |(at, _)| *at) {
            Ok(found) => trial.changed[found].1,
            Err(_) => self.values[*index],
        };
        chosen.iter().map(after).fold(0.0, f64::max)
    }

    pub fn accept(&mut self, trial: Trial) -> Result<()> {
        self.sensors = trial.sensors;
        trial.changed.into_iter().for_each(|(index, value)| self.values[index] = value);
        self.measure_reach()
    }

    fn measure_reach(&mut self) -> Result<()> {
        let furthest = match self.objective {
            SensorObjective::FillDistance => self.values.iter().copied().fold(0.0, f64::max),
            SensorObjective::Certificate { .. } => {
                SensorObjective::FillDistance.evaluate(&self.sensors, self.places)?.value
            }
        };
        self.squared_reach = furthest * furthest
            + match self.objective {
                // Rounding must not leave out the furthest place itself.
                SensorObjective::FillDistance => 1e-9 * furthest * furthest,
                SensorObjective::Certificate { setconv, .. } => {
                    neighbors::margin(setconv.kernel(), self.sensors.len() + 1)
                }
            };
        Ok(())
    }
}
