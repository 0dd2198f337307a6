//! Which sensors may fail, and which must not.

use super::{PlaceGrid, SensorLoss, SensorObjective, losses};
use crate::error::Result;
use crate::points::Points;
use serde::Serialize;

/// How many of each kind are named.
const NAMED: usize = 3;

/// The failure of one sensor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// Its index in the layout, from 0.
    pub sensor: usize,
    /// Where it stands.
    pub at: Vec<f64>,
    /// What its failure costs.
    #[serde(flatten)]
    pub loss: SensorLoss,
}

/// The failures that matter least and most, ranked by the largest objective afterwards, then by the largest
/// rise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failures {
    /// The largest objective with all sensors, at the same places.
    pub before: f64,
    /// Those that matter least, in ascending order.
    pub least: Vec<Failure>,
    /// Those that matter most, in descending order.
    pub most: Vec<Failure>,
}

impl Failures {
    /// Examines the failure of each sensor in turn; `None` if there is only one.
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
