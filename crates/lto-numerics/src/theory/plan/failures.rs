//! Which sensors may fail, and which must not.

use super::{PlaceGrid, SensorLoss, SensorObjective, losses};
use crate::error::Result;
use crate::points::Points;
use serde::Serialize;

/// How many are named of each kind.
const NAMED: usize = 3;

/// The failure of one sensor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// Its number, from 0, in the order of the layout.
    pub sensor: usize,
    /// Where it stands.
    pub at: Vec<f64>,
    /// What its failure costs.
    #[serde(flatten)]
    pub loss: SensorLoss,
}

/// The failures that matter least and most, judged by the largest objective afterwards, then by the largest rise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failures {
    /// The largest objective with all sensors, at the same places.
    pub before: f64,
    /// Those that matter least, the least first.
    pub least: Vec<Failure>,
    /// Those that matter most, the most first.
    pub most: Vec<Failure>,
}

impl Failures {
    /// Looks at the failure of each sensor in turn; `None` for a single one.
    ///
    /// # Errors
    /// Places in another domain.
    pub fn find(objective: &SensorObjective, sensors: &Points, places: &PlaceGrid) -> Result<Option<Self>> {
        let n = sensors.len();
        if n < 2 {
            return Ok(None);
        }
        let mut found: Vec<(usize, SensorLoss)> =
            losses(objective, sensors, places)?.into_iter().enumerate().collect();
        found.sort_by(|(i, a), (j, b)| {
            a.value.total_cmp(&b.value).then(a.rise.total_cmp(&b.rise)).then(i.cmp(j))
        });
        let failure = |&(sensor, loss): &(usize, SensorLoss)| {
            let mut at = vec![0.0; sensors.dim()];
            sensors.write_point(sensor, &mut at);
            Failure { sensor, at, loss }
        };
        let named = NAMED.min(n / 2);
        Ok(Some(Self {
            before: objective.evaluate(sensors, places)?.value,
            least: found.iter().take(named).map(failure).collect(),
            most: found.iter().rev().take(named).map(failure).collect(),
        }))
    }
}
