//! The set convolution by stock operations: other devices than the processor compute it there, from observations and ℓ.

use super::gaussian::{squares, weights};
use super::places::{along as places, grid_of};
use crate::device::{send, send_indices};
use burn::tensor::{Device, IndexingUpdateOp, Tensor};
use lto_numerics::{Grid, PointStructure, Points};

/// Observations of one state.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Where it was observed.
    pub points: &'a Points,
    /// The values there, `[p, N]`.
    pub values: &'a [f64],
    /// How much each point counts, `[N]`; `None` if all count the same.
    pub trust: Option<&'a [f64]>,
}

impl Observed<'_> {
    /// Whether [`sums`] takes both together: points of the same grid, or as many.
    pub fn is_like(&self, other: &Self) -> bool {
        let alike = match (grid_of(self.points), grid_of(other.points)) {
            (Some(own), Some(other)) => own == other,
            (None, None) => self.points.len() == other.points.len(),
            _ => false,
        };
        alike && self.trust.is_some() == other.trust.is_some()
    }
}

/// Σ_j v_j κ(x, c_j) and Σ_j v_j u_j κ(x, c_j) at the points x of a grid, for [like](Observed::is_like) observations.
///
/// # Shapes
/// b observed states of p channels, `log_scale [b]` → `[b, 1 + p, n0, n1]`.
pub fn sums(observed: &[Observed], grid: &Grid, log_scale: Tensor<1>) -> Tensor<4> {
    let (b, dim, device) = (observed.len(), grid.dim(), log_scale.device());
    let from = grid_of(observed[0].points);
    let log_scale = log_scale.reshape([b, 1, 1]);
    // κ along an axis, [b, 1, n, points].
    let along = |d: usize| -> Tensor<4> {
        let (axis, to) = (&grid.domain().axes()[d], grid.coordinates(d));
        let (sets, at) = match from {
            Some(from) => (1, from.coordinates(d).to_vec()),
            None => {
                let flat = observed.iter().flat_map(|observed| observed.points.coordinates());
                (b, flat.skip(d).step_by(dim).collect())
            }
        };
        let columns = places(axis, &at, [sets, 1, at.len() / sets], &device);
        let rows = places(axis, to, [1, to.len(), 1], &device);
        weights(squares(axis, rows, columns), log_scale.clone()).unsqueeze_dim(1)
    };
    let (terms, back) = (terms(observed, from, &device), along(dim - 1).swap_dims(2, 3));
    match (from, dim) {
        (_, 1) => terms.matmul(back),
        (Some(_), _) => along(0).matmul(terms.matmul(back)),
        (None, _) => (along(0) * terms).matmul(back),
    }
}

/// What is summed, v_j and v_j u_j: where it is on a grid, zero where nothing is observed, or of points one after the other.
///
/// # Shapes
/// `[b, 1 + p, m0, m1]` of a grid, `[b, 1 + p, 1, N]` of points; the first axis of a line has one point.
fn terms(observed: &[Observed], from: Option<&Grid>, device: &Device) -> Tensor<4> {
    let b = observed.len();
    let total: usize = observed.iter().map(|one| one.points.len()).sum();
    let p = observed[0].values.len() / observed[0].points.len();
    let mut flat = Vec::new();
    for &Observed { points, values, trust } in observed {
        for j in 0..points.len() {
            let counts = trust.map(|trust| trust[j]);
            flat.extend(counts.map(|v| v as f32));
            let channels = values.iter().skip(j).step_by(points.len());
            flat.extend(channels.map(|u| (u * counts.unwrap_or(1.0)) as f32));
        }
    }
    // Point by point, [points, 1 + p].
    let mut rows: Tensor<2> = send(flat, [total, p + usize::from(observed[0].trust.is_some())], device);
    if observed[0].trust.is_none() {
        rows = Tensor::cat(vec![Tensor::ones([total, 1], device), rows], 1);
    }
    let Some(grid) = from else {
        return rows.reshape([b, 1, total / b, 1 + p]).permute([0, 3, 1, 2]);
    };
    let n = grid.len();
    if total < b * n {
        let index = |(i, one): (usize, &Observed)| -> Vec<usize> {
            match one.points.structure() {
                PointStructure::Masked { indices, .. } => indices.iter().map(|j| i * n + j).collect(),
                _ => (i * n..(i + 1) * n).collect(),
            }
        };
        let indices = observed.iter().enumerate().flat_map(index).collect();
        let nothing = Tensor::zeros([b * n, 1 + p], device);
        rows = nothing.select_assign(0, send_indices(indices, device), rows, IndexingUpdateOp::Add);
    }
    let last = grid.shape()[grid.dim() - 1];
    rows.reshape([b, n / last, last, 1 + p]).permute([0, 3, 1, 2])
}
