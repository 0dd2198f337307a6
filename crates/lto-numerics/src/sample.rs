//! One sample of a dataset: an evolution in time, or a steady pair of fields.

use crate::field::{Field, Trajectory};
use crate::grid::Grid;
use std::sync::Arc;

/// What a solver makes and a file holds many of.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// Fields at increasing times.
    Evolution(Trajectory),
    /// A field determined by another one, without time (Darcy: coefficient → pressure).
    Steady {
        /// What is given.
        source: Field,
        /// What is sought.
        target: Field,
    },
}

impl Sample {
    /// The grid of the sample (of its target, where it is steady).
    pub fn grid(&self) -> &Arc<Grid> {
        match self {
            Sample::Evolution(trajectory) => trajectory.grid(),
            Sample::Steady { target, .. } => target.grid(),
        }
    }
}

/// The numbers of at most `at_most` things out of `available`, evenly spaced, the first and the last among them.
pub fn evenly_spaced(available: usize, at_most: usize) -> Vec<usize> {
    let count = available.min(at_most);
    let last = count.max(2) - 1;
    (0..count).map(|i| (i * (available - 1) + last / 2) / last).collect()
}
