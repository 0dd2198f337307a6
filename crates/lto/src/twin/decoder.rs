//! The decoder: kernel interpolation of the latent state at the query points, then an MLP at each of them.

use crate::device::is_processor;
use crate::kernel::interpolate::{AxisWeights, QueryWeights, cubic, cubic_stock, interpolate, stock};
use crate::kernel::log_scale::scale_of;
use crate::kernel::{clock, gaussian, places};
use crate::nn::mlp::Mlp;
use crate::twin::latent_grid::LatentGrid;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use lto_numerics::Points;
use lto_numerics::setconv::Scale;
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
        let (log_scale, device) = (self.log_length_scale.as_ref().map(Param::val), z.device());
        if !is_processor(&device) {
            return stock(
                z,
                &each_once(queries, |query| on_device(grid, query, log_scale.as_ref(), &device)),
            );
        }
        let scale = log_scale.as_ref().map(scale_of);
        let weights = each_once(queries, |query| clock::timed(|| query_weights(grid, query, scale)));
        // Cubics have no scale; the interpolation then ignores what stands in its place.
        interpolate(z, log_scale.unwrap_or_else(|| Tensor::zeros([1], &device)), weights)
    }
}

/// What is made of each set of points; of one that others share, once. A single one stands for all.
fn each_once<T>(queries: &[Arc<Points>], make: impl Fn(&Points) -> T) -> Vec<Arc<T>> {
    let mut made: Vec<Arc<T>> = Vec::with_capacity(queries.len());
    for (i, query) in queries.iter().enumerate() {
        let known = queries[..i].iter().position(|other| Arc::ptr_eq(other, query));
        made.push(known.map_or_else(|| Arc::new(make(query)), |j| made[j].clone()));
    }
    if made.iter().all(|other| Arc::ptr_eq(other, &made[0])) {
        made.truncate(1);
    }
    made
}

/// Weights of the query against the latent grid: of a normalized kernel, or of cubics without a scale.
fn query_weights(grid: &LatentGrid, query: &Points, scale: Option<Scale>) -> QueryWeights {
    let axis = |d: usize, x: &[f64]| {
        let (axis, points) = (&grid.grid().domain().axes()[d], grid.grid().coordinates(d));
        scale.map_or_else(|| cubic(axis, x, points), |scale| AxisWeights::normalized(axis, x, points, scale))
    };
    QueryWeights::of(query, axis, |rows| AxisWeights::ones(rows, 1))
}

/// The same by stock operations.
fn on_device(
    grid: &LatentGrid,
    query: &Points,
    log_scale: Option<&Tensor<1>>,
    device: &Device,
) -> QueryWeights<Tensor<2>> {
    let axis = |d: usize, x: &[f64]| {
        let (axis, points) = (&grid.grid().domain().axes()[d], grid.grid().coordinates(d));
        let rows = places::along(axis, x, [x.len(), 1], device);
        let Some(log_scale) = log_scale else { return cubic_stock(axis, rows, points) };
        let columns = places::along(axis, points, [1, points.len()], device);
        gaussian::normalized(gaussian::squares(axis, rows, columns), log_scale.clone().unsqueeze())
    };
    QueryWeights::of(query, axis, |rows| Tensor::ones([rows, 1], device))
}
