//! Kernel interpolation of the context, held in time: what the observations alone say of the state.

use super::still::Still;
use crate::error::Result;
use crate::interpolate::closely;
use crate::operator::{Operator, OperatorConfig};
use crate::problem::Problem;
use crate::size::{Size, points};
use burn::tensor::Device;
use std::sync::Arc;

/// û(x, t) = the source state interpolated at x, for every t: see [`closely`].
pub struct Interpolation;

impl OperatorConfig for Interpolation {
    fn name(&self) -> &'static str {
        "interpolation"
    }

    fn takes_history(&self) -> bool {
        false
    }

    fn size(&self, problem: &Problem) -> Size {
        Size { weights: 0.0, layers: 0.0, state: points(problem) }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Still::operator(self.name(), closely, problem, device))
    }
}
