//! Kernel interpolation of the context, held in time: what the observations alone say of the state.

use super::still::Still;
use crate::interpolate::{CLOSE, at_query};
use crate::problem::Problem;
use burn::tensor::Device;

/// Name as written in configuration files.
pub const NAME: &str = "interpolation";

/// û(x, t) = the source state interpolated at x, for every t: see [`crate::interpolate`].
pub fn interpolation(problem: &Problem, device: &Device) -> Still {
    Still::new(NAME, |context, query| at_query(context, query, CLOSE), problem, device)
}
