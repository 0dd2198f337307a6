//! The decoder: kernel interpolation of the latent state at the query points, then an MLP at each of them.

use crate::kernel::clock;
use crate::kernel::interpolate::{AxisWeights, QueryLayout, QueryWeights, cubic, interpolate};
use crate::kernel::log_scale::scale_of;
use crate::nn::mlp::Mlp;
use crate::twin::latent_grid::LatentGrid;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use lto_numerics::setconv::Scale;
use lto_numerics::{Grid, PointStructure, Points};
use std::sync::Arc;

/// Weights of the query against the latent grid, by a normalized kernel (own ℓ) or by cubics; then MLP k → d → d → q.
#[derive(Module, Debug)]
pub struct Decoder {
    /// log ℓ `[1]`; `None` for cubics.
    pub log_length_scale: Option<Param<Tensor<1>>>,
    mlp: Mlp,
}

impl Decoder {
    /// An MLP of the given widths, whose last layer may be zero at first, after a kernel of initial length scale ℓ or, without
    /// one, cubics.
    pub fn new(widths: &[usize], length_scale: Option<f64>, zero: bool, device: &Device) -> Self {
        let mlp = Mlp::new(widths, device);
        Self {
            log_length_scale: length_scale.map(|ell| Param::from_data([ell.ln() as f32], device)),
            mlp: if zero { mlp.ending_in_zero() } else { mlp },
        }
    }

    /// # Shapes
    /// `z [b, k, n0, n1]`, one or b sets of M points, static fields `[b, c, M]` there if there are any → `[b, q, M]`.
    pub fn forward(
        &self,
        z: Tensor<4>,
        grid: &LatentGrid,
        queries: &[Arc<Points>],
        statics: Option<Tensor<3>>,
    ) -> Tensor<3> {
        let seen = self.latent(z, grid, queries);
        self.mlp.pointwise(match statics {
            Some(statics) => Tensor::cat(vec![seen, statics], 1),
            None => seen,
        })
    }

    /// The latent state at the query points, which the MLP decodes.
    ///
    /// # Shapes
    /// `z [b, k, n0, n1]`, one or b sets of M points → `[b, k, M]`.
    pub fn latent(&self, z: Tensor<4>, grid: &LatentGrid, queries: &[Arc<Points>]) -> Tensor<3> {
        let [b, k, n0, n1] = z.dims();
        if self.log_length_scale.is_none() && queries.iter().all(|query| grid.has_points(query)) {
            // Cubics are exact at the points of the grid: nothing to interpolate.
            return z.reshape([b, k, n0 * n1]);
        }
        // Cubics have no scale; the interpolation then ignores what stands in its place.
        let log_scale =
            self.log_length_scale.as_ref().map_or_else(|| Tensor::zeros([1], &z.device()), Param::val);
        let scale = self.log_length_scale.as_ref().map(|log| scale_of(&log.val()));
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
        interpolate(z, log_scale, weights)
    }
}

/// Weights of the query against the latent grid: of a normalized kernel, or of cubics without a scale.
fn query_weights(grid: &LatentGrid, query: &Points, scale: Option<Scale>) -> QueryWeights {
    let axis = |d: usize, x: &[f64]| {
        let (axis, points) = (&grid.grid().domain().axes()[d], grid.grid().coordinates(d));
        scale.map_or_else(|| cubic(axis, x, points), |scale| AxisWeights::normalized(axis, x, points, scale))
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
