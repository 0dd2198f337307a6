//! Random points, denser near random centers.

use super::State;
use crate::error::Result;
use lto_numerics::dataset::{Context, ContextDesign};
use rand::Rng;

/// Centers.
const CLUSTERS: usize = 3;
/// Width of a cluster as a share of the diameter of the domain.
const SPREAD: f64 = 0.15;

pub(super) fn observe(state: &State, rng: &mut impl Rng) -> Result<Context> {
    let context_fraction = state.fraction;
    Ok(state
        .sample(ContextDesign::Clustered { context_fraction, n_clusters: CLUSTERS, spread: SPREAD }, rng)?)
}
