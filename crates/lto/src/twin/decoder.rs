//! The decoder: kernel interpolation of the latent state at the query points, then an MLP at each of them.

use crate::nn::mlp::Mlp;
use crate::twin::axis_weights::AxisWeights;
use crate::twin::latent_grid::LatentGrid;
use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};
use lto_numerics::{Grid, Layout, Points};
use std::sync::Arc;

/// Scattered queries are interpolated this many at a time: the intermediate holds `b k G` numbers for each.
const CHUNK: usize = 1024;

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

    /// ℓ.
    pub fn length_scale(&self) -> f64 {
        f64::from(self.log_length_scale.val().into_scalar::<f32>()).exp()
    }

    /// # Shapes
    /// `z [b, k, n0, n1]`, one or b sets of M points → `[b, q, M]`.
    pub fn forward(&self, z: Tensor<4>, grid: &LatentGrid, queries: &[Arc<Points>]) -> Tensor<3> {
        let x = match queries {
            [query] => self.interpolate(z, grid, query),
            _ => {
                let each = queries.iter().enumerate();
                Tensor::cat(
                    each.map(|(i, query)| self.interpolate(z.clone().narrow(0, i, 1), grid, query)).collect(),
                    0,
                )
            }
        };
        self.mlp.pointwise(x)
    }

    /// The latent channels at the query points.
    ///
    /// # Shapes
    /// `z [b, k, n0, n1]`, M query points → `[b, k, M]`.
    fn interpolate(&self, z: Tensor<4>, grid: &LatentGrid, query: &Points) -> Tensor<3> {
        match query.layout() {
            Layout::Grid(points) => self.on_grid(z, grid, points),
            // A grid is interpolated by two small products: cheaper than point by point unless few are wanted.
            Layout::Masked { grid: points, indices } if indices.len() * 8 >= points.len() => {
                let indices: Vec<i64> = indices.iter().map(|&i| i as i64).collect();
                let n = indices.len();
                let indices = Tensor::<1, Int>::from_data(TensorData::new(indices, [n]), &z.device());
                self.on_grid(z, grid, points).select(2, indices)
            }
            _ => self.at_points(z, grid, &query.coordinates()),
        }
    }

    fn on_grid(&self, z: Tensor<4>, grid: &LatentGrid, query: &Grid) -> Tensor<3> {
        let [b, k, n0, n1] = z.dims();
        let weights = |d: usize| self.weights(grid, d, query.coordinates(d), &z.device());
        if query.dim() == 1 {
            return z.clone().reshape([b * k, n1]).matmul(weights(0).transpose()).reshape([
                b,
                k,
                query.len(),
            ]);
        }
        let (first, last) = (weights(0), weights(1));
        let m1 = query.coordinates(1).len();
        let rows = z.reshape([b * k * n0, n1]).matmul(last.transpose()).reshape([b * k, n0, m1]);
        first.unsqueeze::<3>().matmul(rows).reshape([b, k, query.len()])
    }

    fn at_points(&self, z: Tensor<4>, grid: &LatentGrid, coordinates: &[f64]) -> Tensor<3> {
        let [b, k, n0, n1] = z.dims();
        let dim = grid.grid().dim();
        let rows = z.clone().reshape([b * k * n0, n1]);
        let parts = coordinates.chunks(CHUNK * dim).map(|chunk| {
            let m = chunk.len() / dim;
            let axis = |d: usize| {
                let x: Vec<f64> = chunk.iter().skip(d).step_by(dim).copied().collect();
                self.weights(grid, d, &x, &z.device()).transpose()
            };
            let last = rows.clone().matmul(axis(dim - 1)).reshape([b * k, n0, m]);
            let both = if dim == 1 { last } else { (last * axis(0).unsqueeze()).sum_dim(1) };
            both.reshape([b, k, m])
        });
        Tensor::cat(parts.collect(), 2)
    }

    /// Normalized weights of coordinates `x` against axis `d` of the latent grid, `[x, G]`.
    fn weights(&self, grid: &LatentGrid, d: usize, x: &[f64], device: &Device) -> Tensor<2> {
        let axis = &grid.grid().domain().axes()[d];
        AxisWeights::normalized(axis, x, grid.grid().coordinates(d), self.length_scale())
            .tensor(self.log_length_scale.val(), device)
    }
}
