//! The positions of a batch, each set of points once: examples usually share theirs.

use crate::kernel::latent_attention::Sets;
use crate::nn::coordinates::unit_coordinates;
use lto_numerics::Points;
use lto_numerics::points::PointStructure;
use std::collections::HashSet;

/// Distinct sets of points, each once.
#[derive(Clone, Debug, Default)]
pub struct Places(Vec<Points>);

impl Places {
    /// The number of a set, which is added if new.
    pub fn add(&mut self, points: &Points) -> usize {
        self.0.iter().position(|known| known == points).unwrap_or_else(|| {
            self.0.push(points.clone());
            self.0.len() - 1
        })
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Coordinates in [0, 1] of the sets from number `first` on, one after the other, `[S, D]`.
    pub fn positions(&self, first: usize) -> Vec<f32> {
        self.0[first..].iter().flat_map(unit_coordinates).collect()
    }

    /// The sets, and the set of each example.
    pub fn of_examples(&self, of_example: Vec<usize>) -> Sets {
        Sets::new(&self.0.iter().map(Points::len).collect::<Vec<_>>(), of_example)
    }
}

/// Whether all points of `some` are points of `all`.
pub fn is_among(some: &Points, all: &Points) -> bool {
    let grid = |points: &Points| match points.structure() {
        PointStructure::Grid(grid) | PointStructure::Masked { grid, .. } => Some(grid.clone()),
        PointStructure::Scattered(_) => None,
    };
    if some == all || (matches!(all.structure(), PointStructure::Grid(_)) && grid(some) == grid(all)) {
        return true;
    }
    let bits = |points: &Points| -> Vec<Vec<u64>> {
        let coordinates = points.coordinates();
        // Adding zero joins −0.0 and 0.0.
        coordinates
            .chunks_exact(points.dim())
            .map(|x| x.iter().map(|x| (x + 0.0).to_bits()).collect())
            .collect()
    };
    let known: HashSet<Vec<u64>> = bits(all).into_iter().collect();
    some.len() <= all.len() && bits(some).iter().all(|point| known.contains(point))
}
