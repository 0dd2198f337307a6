//! The whole native grid.

use super::{State, whole};
use crate::error::Result;
use lto_numerics::dataset::Context;
use rand::Rng;

pub(super) fn observe(state: &State, _rng: &mut impl Rng) -> Result<Context> {
    Ok(whole(state.native))
}
