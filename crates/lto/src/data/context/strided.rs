//! Every n-th point along each axis, as a grid of its own.

use super::{State, whole};
use crate::error::Result;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::resample::{Method, resample};
use rand::Rng;
use std::sync::Arc;

/// The stride whose number of points is nearest to the one asked for: `(N/n)^(1/D)`, rounded.
pub(super) fn observe(state: &State, _rng: &mut impl Rng) -> Result<Context> {
    let (field, grid) = (state.base, state.base.grid());
    let stride = (grid.len() as f64 / state.n as f64).powf(1.0 / grid.dim() as f64).round();
    if stride <= 1.0 {
        return Ok(whole(field));
    }
    let grid = Arc::new(grid.strided(stride as usize)?);
    let values = resample(field, &grid, Method::Stride)?.into_values();
    Ok(Context {
        points: Points::grid(grid.as_ref().clone()),
        n_channels: field.n_channels(),
        values,
        deviations: None,
    })
}
