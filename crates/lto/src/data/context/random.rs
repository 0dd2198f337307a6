//! Uniformly random grid points.

use super::State;
use crate::error::Result;
use lto_numerics::dataset::{Context, ContextDesign};
use rand::Rng;

pub(super) fn observe(state: &State, rng: &mut impl Rng) -> Result<Context> {
    Ok(state.sample(ContextDesign::Random { context_fraction: state.fraction }, rng)?)
}
