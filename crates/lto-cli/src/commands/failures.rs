//! What the failure of a sensor costs.

use super::layout::place;
use crate::picture::ticks::short;
use anyhow::Result;
use lto_numerics::Points;
use lto_numerics::theory::plan::{Objective, Places, loss, losses};
use serde::Serialize;

/// Up to so many sensors the failure of each is looked at.
const ALL: usize = 128;
/// Of more, so many of those whose failure leaves the smallest and the largest holes.
const SOME: usize = 8;
/// How many are shown of each kind.
const SHOWN: usize = 3;

/// One sensor's failure.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Which, from 0, in the order of the layout.
    pub sensor: usize,
    /// Where it stands.
    pub at: Vec<f64>,
    /// The objective without it.
    pub value: f64,
}

/// What failures come to.
#[derive(Clone, Debug, Serialize)]
pub struct Failures {
    /// The objective with all sensors, at the same places.
    pub before: f64,
    /// Those that matter least, from the least.
    pub least: Vec<Failure>,
    /// Those that matter most, from the most.
    pub most: Vec<Failure>,
    /// How many failures were looked at; of larger layouts those that leave the smallest and largest holes.
    pub examined: usize,
}

impl Failures {
    /// Looks at the failures; none of a single sensor.
    ///
    /// # Errors
    /// Places in another domain.
    pub fn of(objective: &Objective, sensors: &Points, places: &Places) -> Result<Option<Self>> {
        let n = sensors.len();
        if n < 2 {
            return Ok(None);
        }
        let exact = n <= ALL || *objective == Objective::FillDistance;
        let mut found: Vec<(usize, f64)> = if exact {
            losses(objective, sensors, places)?.into_iter().enumerate().collect()
        } else {
            let holes = losses(&Objective::FillDistance, sensors, places)?;
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| holes[i].total_cmp(&holes[j]));
            let chosen = order[..SOME].iter().chain(&order[n - SOME..]);
            chosen.map(|&i| Ok((i, loss(objective, sensors, places, i)?))).collect::<Result<_>>()?
        };
        found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let failure = |&(sensor, value): &(usize, f64)| {
            let mut at = vec![0.0; sensors.dim()];
            sensors.write_point(sensor, &mut at);
            Failure { sensor, at, value }
        };
        let shown = SHOWN.min(n / 2);
        Ok(Some(Self {
            before: objective.evaluate(sensors, places)?.value,
            least: found.iter().take(shown).map(failure).collect(),
            most: found.iter().rev().take(shown).map(failure).collect(),
            examined: found.len(),
        }))
    }

    /// Rows of a table: what fails, where, the objective after, and by how much it grows.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |kind: &str, failure: &Failure| {
            // Adding zero turns −0 into 0.
            let growth = 100.0 * (failure.value / self.before - 1.0) + 0.0;
            vec![
                kind.to_string(),
                failure.sensor.to_string(),
                place(&failure.at),
                short(failure.value),
                format!("{growth:+.1} %"),
            ]
        };
        let least = self.least.iter().map(|failure| row("matters least", failure));
        least.chain(self.most.iter().map(|failure| row("matters most", failure))).collect()
    }
}

/// The columns of [`Failures::rows`].
pub const COLUMNS: [&str; 5] = ["failure", "sensor", "at", "then", "change"];
