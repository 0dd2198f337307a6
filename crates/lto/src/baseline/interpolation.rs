//! Interpolation of the context, held in time: what the observations alone say about the state.

use super::still::Still;
use crate::interpolate::closely;

/// û(x, t) = the source state interpolated at x, for every t: see [`closely`].
pub const INTERPOLATION: Still = Still { name: "interpolation", carry: closely };
