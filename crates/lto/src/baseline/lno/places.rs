//! The positions of a batch, each set of points once: examples mostly share theirs.

use crate::kernel::latent_attention::Sets;
use crate::nn::coordinates::unit_coordinates;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::points::PointStructure;
use std::collections::HashSet;
use std::sync::Arc;

/// The distinct sets of points among contexts and queries.
pub struct Places {
    /// Coordinates in [0, 1] of all sets, one after the other, `[S, D]`.
    pub positions: Vec<f32>,
    /// Where each example is observed.
    pub observed: Sets,
    /// Where each example is asked.
    pub queried: Sets,
}

impl Places {
    /// The sets of b contexts, and of one query for all or one for each.
    pub fn new(contexts: &[Context], queries: &[Arc<Points>]) -> Self {
        let mut distinct: Vec<&Points> = Vec::new();
        let mut find = |points| {
            distinct.iter().position(|known| *known == points).unwrap_or_else(|| {
                distinct.push(points);
                distinct.len() - 1
            })
        };
        let observed: Vec<usize> = contexts.iter().map(|context| find(&context.points)).collect();
        let mut queried: Vec<usize> = queries.iter().map(|query| find(query)).collect();
        if let [one] = queried[..] {
            queried = vec![one; contexts.len()];
        }
        let sizes: Vec<usize> = distinct.iter().map(|points| points.len()).collect();
        Self {
            positions: distinct.iter().flat_map(|points| unit_coordinates(points)).collect(),
            observed: Sets::new(&sizes, observed),
            queried: Sets::new(&sizes, queried),
        }
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
