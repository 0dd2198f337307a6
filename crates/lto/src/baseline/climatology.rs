//! Climatology: the mean state of the training samples at that time, whatever is observed.

use crate::course::MeanCourse;
use crate::error::Result;
use crate::operator::{Operator, OperatorConfig};
use crate::problem::Problem;
use crate::size::Size;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// û(x, t) = m(x, t), the mean course; of a steady problem, the mean target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Climatology(pub MeanCourse);

impl OperatorConfig for Climatology {
    fn name(&self) -> &'static str {
        "climatology"
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
        self.0.init(self.name(), false, problem, device)
    }
}
