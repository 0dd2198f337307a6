//! What the failure of a sensor costs.

use super::layout::place;
use anyhow::Result;
use lto_numerics::Points;
use lto_numerics::theory::plan::{PlaceGrid, SensorLoss, SensorObjective, losses};
use lto_report::picture::ticks::short;
use serde::Serialize;

/// How many are shown of each kind.
const SHOWN: usize = 3;

/// One sensor's failure.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Which, from 0, in the order of the layout.
    pub sensor: usize,
    /// Where it stands.
    pub at: Vec<f64>,
    /// The largest objective without it, and by how much it grows anywhere.
    #[serde(flatten)]
    pub loss: SensorLoss,
}

/// What failures come to.
#[derive(Clone, Debug, Serialize)]
pub struct Failures {
    /// The largest objective with all sensors, at the same places.
    pub before: f64,
    /// Those that matter least, from the least: by what becomes of the largest, then by how much it grows anywhere.
    pub least: Vec<Failure>,
    /// Those that matter most, from the most.
    pub most: Vec<Failure>,
}

impl Failures {
    /// Looks at the failure of each sensor; none of a single one.
    ///
    /// # Errors
    /// Places in another domain.
    pub fn of(objective: &SensorObjective, sensors: &Points, places: &PlaceGrid) -> Result<Option<Self>> {
        let n = sensors.len();
        if n < 2 {
            return Ok(None);
        }
        let mut found: Vec<(usize, SensorLoss)> =
            losses(objective, sensors, places)?.into_iter().enumerate().collect();
        let order = |(i, a): &(usize, SensorLoss), (j, b): &(usize, SensorLoss)| {
            a.value.total_cmp(&b.value).then(a.rise.total_cmp(&b.rise)).then(i.cmp(j))
        };
        found.sort_by(order);
        let failure = |&(sensor, loss): &(usize, SensorLoss)| {
            let mut at = vec![0.0; sensors.dim()];
            sensors.write_point(sensor, &mut at);
            Failure { sensor, at, loss }
        };
        let shown = SHOWN.min(n / 2);
        Ok(Some(Self {
            before: objective.evaluate(sensors, places)?.value,
            least: found.iter().take(shown).map(failure).collect(),
            most: found.iter().rev().take(shown).map(failure).collect(),
        }))
    }

    /// Rows of a table: what fails, where, the largest objective after, by how much it grows, and by how much at most at
    /// any place.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |kind: &str, failure: &Failure| {
            // Adding zero turns −0 into 0.
            let growth = 100.0 * (failure.loss.value / self.before - 1.0) + 0.0;
            vec![
                kind.to_string(),
                failure.sensor.to_string(),
                place(&failure.at),
                short(failure.loss.value),
                format!("{growth:+.1} %"),
                format!("+{}", short(failure.loss.rise)),
            ]
        };
        let least = self.least.iter().map(|failure| row("matters least", failure));
        least.chain(self.most.iter().map(|failure| row("matters most", failure))).collect()
    }
}

/// The columns of [`Failures::rows`].
pub const COLUMNS: [&str; 6] = ["failure", "sensor", "at", "largest then", "change", "nearby at most"];
