//! Kernel interpolation of the context, held in time: what the observations alone say of the state.

use super::still::Still;
use crate::interpolate::closely;
use crate::problem::Problem;
use burn::tensor::Device;

/// Name as written in configuration files.
pub const NAME: &str = "interpolation";

/// û(x, t) = the source state interpolated at x, for every t: see [`closely`].
pub fn interpolation(problem: &Problem, device: &Device) -> Still {
    Still::new(NAME, closely, problem, device)
}
