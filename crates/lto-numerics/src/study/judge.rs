//! Judges layouts, ours and its rivals' alike.

use super::sensors::StudyGoal;
use crate::domain::Domain;
use crate::error::Result;
use crate::geometry::fill_distance;
use crate::points::Points;
use crate::setconv::SetConv;
use crate::theory::Certificate;
use crate::theory::plan::{PlaceGrid, SensorObjective, spread};
use serde::Serialize;

/// Relative accuracy of fill distances.
pub(super) const TOLERANCE: f64 = 1e-3;
/// Most places at which ℓ is tuned.
const TUNED: usize = 20_000;

/// Judges layouts by the exact fill distance, or by the largest bound at places that no layout was made for,
/// each layout at its own best ℓ.
pub(super) struct Judge<'a> {
    goal: &'a StudyGoal,
    tuning: PlaceGrid,
    places: PlaceGrid,
}

/// The verdict on a layout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The fill distance, or the largest bound at the judge's places.
    pub value: f64,
    /// ℓ, for the certificate.
    pub length_scale: Option<f64>,
}

impl<'a> Judge<'a> {
    /// A judge of layouts of `n` sensors.
    pub fn new(goal: &'a StudyGoal, domain: &Domain, n: usize) -> Result<Self> {
        let designed = spread(n);
        let tuning = PlaceGrid::new(domain, designed.min(TUNED))?;
        // A quarter more places, so that few coincide with those the layouts were made for.
        Ok(Self { goal, tuning, places: PlaceGrid::new(domain, designed + designed / 4)? })
    }

    /// Number of places at which bounds are compared; `None` for fill distances, which are exact.
    pub fn n_places(&self) -> Option<usize> {
        matches!(self.goal, StudyGoal::Certificate { .. }).then(|| self.places.points().len())
    }

    /// The objective at the given ℓ, else at the best one for this layout.
    pub fn objective(&self, sensors: &Points) -> Result<SensorObjective> {
        let StudyGoal::Certificate { estimator, regularity, length_scale } = self.goal else {
            return Ok(SensorObjective::FillDistance);
        };
        let length_scale = match length_scale {
            Some(length_scale) => *length_scale,
            None => {
                let certificate = Certificate::new(sensors, regularity.clone())?;
                certificate.tuned(sensors, *estimator, self.tuning.points())?.length_scale
            }
        };
        let (setconv, estimator) = (SetConv::new(length_scale)?, *estimator);
        Ok(SensorObjective::Certificate { setconv, estimator, regularity: regularity.clone() })
    }

    /// The verdict on a layout.
    pub fn verdict(&self, sensors: &Points) -> Result<Verdict> {
        let objective = self.objective(sensors)?;
        Ok(match &objective {
            SensorObjective::FillDistance => {
                Verdict { value: fill_distance(sensors, TOLERANCE)?.upper, length_scale: None }
            }
            SensorObjective::Certificate { setconv, .. } => Verdict {
                value: objective.evaluate(sensors, &self.places)?.value,
                length_scale: Some(setconv.kernel().length_scale()),
            },
        })
    }
}
