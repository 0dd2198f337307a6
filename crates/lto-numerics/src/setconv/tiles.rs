//! Sums over near points only, for scattered contexts or queries. Query points are grouped into tiles; the
//! points that can matter are looked up once per tile.
//!
//! A bound, not a fixed radius, decides what can be left out: if ρ₀ bounds the density on a tile from below,
//! the points beyond the distance where κ = ε ρ₀ / N together weigh at most ε ρ₀. Where the nearest point is
//! far away, ρ₀ is small and the radius grows accordingly, so that even a density of 1e-200 keeps its
//! relative accuracy.

use super::axis_weights::Ways;
use super::direct;
use super::moments::{Moments, pick};
use super::separable::{self, Cloud};
use crate::grid::Grid;
use crate::kernel::{Gaussian, Real};
use crate::point_tree::{Cuboid, PointTree};
use crate::points::PointStructure;
use rayon::prelude::*;
use std::ops::Range;

/// The context sorted for summing.
pub(super) struct Context<'a> {
    pub moments: &'a Moments<'a>,
    pub tree: PointTree,
    /// `[channel, place in the tree]`.
    pub values: Vec<f64>,
    /// Shortest displacements along each axis.
    pub ways: Vec<Ways>,
}

impl<'a> Context<'a> {
    fn new(moments: &'a Moments<'a>) -> Self {
        let tree = PointTree::new(moments.context);
        let values = moments
            .values
            .chunks_exact(tree.len())
            .flat_map(|channel| tree.order().iter().map(|&index| channel[index]))
            .collect();
        let ways = moments.context.domain().axes().iter().map(Ways::new).collect();
        Self { moments, tree, values, ways }
    }

    /// Values of a channel in the tree's order.
    pub fn channel(&self, channel: usize) -> &[f64] {
        let n = self.tree.len();
        &self.values[channel * n..(channel + 1) * n]
    }

    /// Tree positions of all points that matter for query points in `cuboid`.
    pub fn near(&self, cuboid: &Cuboid) -> Vec<Range<usize>> {
        let kernel = &self.moments.kernel;
        let density = density_bound(&self.tree, kernel, cuboid);
        let ratio = self.moments.truncation * density / self.tree.len() as f64;
        self.tree.near(cuboid, kernel.squared_cut_off(ratio))
    }
}

/// A lower bound on the density on `cuboid`: counts the points of small boxes nearby as if they were at the
/// far ends of those boxes.
fn density_bound(tree: &PointTree, kernel: &Gaussian, cuboid: &Cuboid) -> f64 {
    let squared_scale = kernel.length_scale().powi(2);
    let mut bound = 0.0;
    tree.descend(|node| {
        if tree.metric.squared_min(cuboid, &node.cuboid) > 4.0 * squared_scale {
            return false;
        }
        let small = node.cuboid.half.iter().map(|h| h * h).sum::<f64>() < 0.1 * squared_scale;
        if small || node.is_leaf() {
            bound += node.range.len() as f64 * kernel.value(tree.metric.squared_max(cuboid, &node.cuboid));
            return false;
        }
        true
    });
    let nearest = tree.nearest(&cuboid.center, None).map_or(0.0, |nearest| {
        let point = Cuboid::point(tree.position(nearest.place));
        kernel.value(tree.metric.squared_max(cuboid, &point))
    });
    bound.max(nearest)
}

/// The sums of one tile: its query points, and `[term, query point of the tile]`.
pub(super) type TileSums<T> = (Vec<usize>, Vec<T>);

/// The sums `[term, query point]`.
pub(super) fn sums(moments: &Moments) -> Vec<f64> {
    match moments.query.structure() {
        PointStructure::Grid(grid) => on_grid(moments, grid),
        // A whole grid costs less per point than scattered points.
        PointStructure::Masked { grid, indices } if 4 * indices.len() >= grid.len() => {
            pick(&on_grid(moments, grid), grid.len(), indices)
        }
        _ => {
            let (context, queries) = (Context::new(moments), PointTree::new(moments.query));
            let leaves: Vec<_> = queries.leaves().collect();
            let tiles = leaves.par_iter().map(|leaf| direct::sums(&context, &queries, leaf)).collect();
            gather(tiles, moments.terms.len(), moments.query.len())
        }
    }
}

/// The sums `[term, grid point]`, in either precision.
pub(super) fn on_grid<T: Real>(moments: &Moments, grid: &Grid) -> Vec<T> {
    let context = Context::new(moments);
    let coordinates = (0..grid.dim()).map(|d| context.tree.coordinates(d)).collect();
    let cloud = Cloud { coordinates, values: &context.values };
    let tiles = separable::tiles(grid, moments.kernel.length_scale());
    let of_tile = |tile: &separable::Tile| {
        let (mut lower, mut upper) = ([0.0; 3], [0.0; 3]);
        for (d, block) in tile.iter().enumerate() {
            lower[d] = grid.coordinates(d)[block.start];
            upper[d] = grid.coordinates(d)[block.end - 1];
        }
        let ranges = context.near(&Cuboid::between(lower, upper));
        let mut indices = vec![0];
        for (block, n) in tile.iter().zip(grid.shape()) {
            indices = indices.iter().flat_map(|index| block.clone().map(move |i| index * n + i)).collect();
        }
        (indices, separable::sums(moments, &cloud, grid, tile, &ranges))
    };
    let sums = tiles.par_iter().map(of_tile).collect();
    gather(sums, moments.terms.len(), grid.len())
}

/// The sums of all tiles, arranged as `[term, query point]`.
fn gather<T: Real>(tiles: Vec<TileSums<T>>, n_terms: usize, n_query: usize) -> Vec<T> {
    let mut all = vec![T::default(); n_terms * n_query];
    for (indices, sums) in tiles {
        for (term, sums) in sums.chunks_exact(indices.len()).enumerate() {
            for (index, sum) in indices.iter().zip(sums) {
                all[term * n_query + index] = *sum;
            }
        }
    }
    all
}
