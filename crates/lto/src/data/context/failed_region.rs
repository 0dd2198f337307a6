//! Random points, all lost in a ball.

use super::State;
use crate::error::Result;
use lto_numerics::dataset::{Context, ContextDesign};
use rand::Rng;

/// Share of the domain that fails.
const FAILED: f64 = 0.2;

pub(super) fn observe(state: &State, rng: &mut impl Rng) -> Result<Context> {
    let context_fraction = state.fraction;
    match state.sample(ContextDesign::FailedRegion { context_fraction, failed_fraction: FAILED }, rng) {
        // So few points that all of them failed: then none does.
        Err(lto_numerics::Error::NoPoints) => super::random::observe(state, rng),
        sampled => Ok(sampled?),
    }
}
