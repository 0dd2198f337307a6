//! Persistence of the anomaly: tomorrow differs from its mean as today does.

use crate::course::MeanCourse;
use crate::error::Result;
use crate::operator::{Operator, OperatorConfig};
use crate::problem::Problem;
use crate::size::Size;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// û(x, t) = m(x, t) + the anomalies u(c_j, s) − m(c_j, s) at the observed points, interpolated at x as by
/// [`closely`](crate::interpolate::closely); m is the mean course.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnomalyPersistence(pub MeanCourse);

impl OperatorConfig for AnomalyPersistence {
    fn name(&self) -> &'static str {
        "anomaly_persistence"
    }

    fn takes_calendar(&self) -> bool {
        true
    }

    fn takes_history(&self) -> bool {
        false
    }

    fn size(&self, problem: &Problem) -> Size {
        self.0.size(problem)
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        self.0.init(self.name(), true, problem, device)
    }
}
