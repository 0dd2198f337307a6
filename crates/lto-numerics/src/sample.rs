//! One sample of a dataset: an evolution in time, or a steady pair of fields.

use crate::field::{Field, Trajectory};
use crate::grid::Grid;
use std::sync::Arc;

/// What a solver computes, and what a file holds many of.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// Fields at increasing times.
    Evolution(Trajectory),
    /// A field determined by another, without time (Darcy: coefficient → pressure).
    Steady {
        /// The known field.
        source: Field,
        /// The field that is sought.
        target: Field,
    },
}

impl Sample {
    /// The grid of the sample (of the target, if steady).
    pub fn grid(&self) -> &Arc<Grid> {
        match self {
            Sample::Evolution(trajectory) => trajectory.grid(),
            Sample::Steady { target, .. } => target.grid(),
        }
    }
}

/// At most `at_most` indices below `available`, evenly spaced, including the first and the last.
pub fn evenly_spaced(available: usize, at_most: usize) -> Vec<usize> {
    let count = available.min(at_most);
    let last = count.max(2) - 1;
    (0..count).map(|i| (i * (available - 1) + last / 2) / last).collect()
}
