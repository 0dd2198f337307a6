//! The decoder: kernel interpolation of the latent state at the query points, then an MLP at each of them.

use crate::kernel::clock;
use crate::kernel::interpolate::{AxisWeights, QueryLayout, QueryWeights, interpolate};
use crate::kernel::log_scale::scale_of;
use crate::nn::mlp::Mlp;
use crate::twin::latent_grid::LatentGrid;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use lto_numerics::setconv::Scale;
use lto_numerics::{Grid, PointStructure, Points};
use std::sync::Arc;

/// Normalized kernel weights of the query against the latent grid (own ℓ), then MLP k → d → d → q.
#[derive(Module, Debug)]
pub struct Decoder {
    /// log ℓ `[1]`.
    pub log_length_scale: Param<Tensor<1>>,
    mlp: Mlp,
}

impl Decoder {
    /// `latent` channels to `target` channels through two hidden layers of width `hidden`.
    pub fn new(latent: usize, hidden: usize, target: usize, length_scale: f64, device: &Device) -> Self {
        Self {
            log_length_scale: Param::from_data([length_scale.ln() as f32], device),
            mlp: Mlp::new(&[latent, hidden, hidden, target], device),
        }
    }

    /// # Shapes
    /// `z [b, k, n0, n1]`, one or b sets of M points → `[b, q, M]`.
    pub fn forward(&self, z: Tensor<4>, grid: &LatentGrid, queries: &[Arc<Points>]) -> Tensor<3> {
        let scale = scale_of(&self.log_length_scale.val());
        let make = |query: &Points| clock::timed(|| Arc::new(query_weights(grid, query, scale)));
        // A batch usually shares its query points: compute their weights once.
        let mut weights: Vec<Arc<QueryWeights>> = Vec::with_capacity(queries.len());
        for (i, query) in queries.iter().enumerate() {
            let known = queries[..i].iter().position(|other| Arc::ptr_eq(other, query));
            weights.push(known.map_or_else(|| make(query), |j| weights[j].clone()));
        }
        if weights.iter().all(|other| Arc::ptr_eq(other, &weights[0])) {
            weights.truncate(1);
        }
        self.mlp.pointwise(interpolate(z, self.log_length_scale.val(), weights))
    }
}

/// Normalized kernel weights of the query against the latent grid.
fn query_weights(grid: &LatentGrid, query: &Points, scale: Scale) -> QueryWeights {
    let axis = |d: usize, x: &[f64]| {
        let axis = &grid.grid().domain().axes()[d];
        AxisWeights::normalized(axis, x, grid.grid().coordinates(d), scale)
    };
    let on_grid = |points: &Grid| match points.dim() {
        1 => [AxisWeights::ones(1, 1), axis(0, points.coordinates(0))],
        _ => [axis(0, points.coordinates(0)), axis(1, points.coordinates(1))],
    };
    match query.structure() {
        PointStructure::Grid(points) => QueryWeights { axes: on_grid(points), layout: QueryLayout::Grid },
        // A grid is interpolated by two small products: cheaper than point by point unless there are few
        // points.
        PointStructure::Masked { grid: points, indices } if indices.len() * 8 >= points.len() => {
            QueryWeights { axes: on_grid(points), layout: QueryLayout::Masked(indices.to_vec()) }
        }
        _ => {
            let (flat, dim) = (query.coordinates(), query.dim());
            let along = |d: usize| axis(d, &flat.iter().skip(d).step_by(dim).copied().collect::<Vec<f64>>());
            let first = if dim == 1 { AxisWeights::ones(query.len(), 1) } else { along(0) };
            QueryWeights { axes: [first, along(dim - 1)], layout: QueryLayout::Points }
        }
    }
}
