//! PDE solvers that make data. Each PDE is one file and one variant of [`PdeConfig`].

use crate::error::Result;
use crate::grid::Grid;
use crate::sample::Sample;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A PDE with everything set: draws random problems and solves them.
pub trait Pde: Send + Sync {
    /// The grids every sample is saved on: the native one first, then any finer ones from the same solve.
    fn grids(&self) -> &[Arc<Grid>];

    /// Times of the saved frames; empty for a steady problem.
    fn times(&self) -> &[f64];

    /// Names and values written beside the data (PDEBench's `Nu`, …).
    fn attributes(&self) -> Vec<(&'static str, f64)>;

    /// Draws one problem and solves it: one [`Sample`] for each of [`Pde::grids`].
    ///
    /// # Errors
    /// The solution does not stay finite.
    fn sample(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Sample>>;
}

/// The random stream of sample `index` under `seed`: the same whatever else is drawn, in whatever order.
pub fn sample_rng(seed: u64, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    rng
}
