//! What a layout is worth, ours and others alike.

use crate::args::{DesignArgs, ObjectiveArg};
use anyhow::Result;
use lto_numerics::geometry::fill_distance;
use lto_numerics::theory::plan::{PlaceGrid, SensorObjective, spread};
use lto_numerics::theory::{Certificate, Estimator, Regularity};
use lto_numerics::{Domain, Points, SetConv};
use serde::Serialize;

/// Relative accuracy of fill distances.
pub const TOLERANCE: f64 = 1e-3;
/// Places at which ℓ is tuned, at most.
const TUNED: usize = 20_000;

/// Judges layouts by the exact fill distance, or by the largest bound at places that no layout was made for, each layout
/// with the ℓ that is best for it.
pub struct Judge<'a> {
    estimator: Estimator,
    /// For the certificate.
    regularity: Option<&'a Regularity>,
    /// Asked for.
    length_scale: Option<f64>,
    tuning: PlaceGrid,
    places: PlaceGrid,
}

/// What a layout is worth.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Verdict {
    /// The largest distance to a sensor anywhere, or the largest bound at the places of the judge.
    pub value: f64,
    /// ℓ, for the certificate.
    pub length_scale: Option<f64>,
}

impl<'a> Judge<'a> {
    /// A judge of layouts of `n` sensors.
    ///
    /// # Errors
    /// None for a sound domain.
    pub fn new(
        args: &DesignArgs,
        domain: &Domain,
        n: usize,
        regularity: Option<&'a Regularity>,
    ) -> Result<Self> {
        let designed = spread(n);
        Ok(Self {
            estimator: args.estimator.unwrap_or(Estimator::LocalLinear),
            regularity: regularity.filter(|_| args.objective == ObjectiveArg::Certificate),
            length_scale: args.length_scale,
            tuning: PlaceGrid::new(domain, designed.min(TUNED))?,
            // A quarter more of them: few are places the layouts were made for.
            places: PlaceGrid::new(domain, designed + designed / 4)?,
        })
    }

    /// At how many places bounds are compared; `None` where fill distances are, which are exact.
    pub fn n_places(&self) -> Option<usize> {
        self.regularity.map(|_| self.places.points().len())
    }

    /// The objective with the ℓ asked for, or that which is best for a layout.
    ///
    /// # Errors
    /// Sensors in another domain.
    pub fn objective(&self, sensors: &Points) -> Result<SensorObjective> {
        let Some(regularity) = self.regularity else { return Ok(SensorObjective::FillDistance) };
        let (estimator, regularity) = (self.estimator, regularity.clone());
        let length_scale = match self.length_scale {
            Some(length_scale) => length_scale,
            None => {
                let certificate = Certificate::new(sensors, regularity.clone())?;
                certificate.tuned(sensors, estimator, self.tuning.points())?.length_scale
            }
        };
        Ok(SensorObjective::Certificate { setconv: SetConv::new(length_scale)?, estimator, regularity })
    }

    /// What a layout is worth.
    ///
    /// # Errors
    /// Sensors in another domain.
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
