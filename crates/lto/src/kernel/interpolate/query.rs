//! Weights of query points against a latent grid, and how they combine.

use crate::kernel::places::grid_of;
use lto_numerics::{PointStructure, Points};

/// Weights along one axis, with their slope in log ℓ.
pub type AxisWeights = lto_numerics::setconv::AxisWeights<f32>;

/// Weights of query points against the latent grid; on other devices than the processor those of an axis are a tensor.
#[derive(Clone, Debug)]
pub struct QueryWeights<A = AxisWeights> {
    /// `W⁰ [m0, n0]` and `W¹ [m1, n1]`; for points one row each.
    pub axes: [A; 2],
    /// How the rows combine.
    pub layout: QueryLayout,
}

/// How the rows of both axes combine to query points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryLayout {
    /// All pairs: a grid.
    Grid,
    /// These points of the grid.
    Masked(Vec<usize>),
    /// Row m of one with row m of the other.
    Points,
}

impl<A> QueryWeights<A> {
    /// The weights of a query, by those of `axis` (its number, coordinates along it) and, for the missing axis of
    /// one-dimensional states, `ones` (rows).
    pub fn of(query: &Points, axis: impl Fn(usize, &[f64]) -> A, ones: impl Fn(usize) -> A) -> Self {
        let dim = query.dim();
        let Some(grid) = grid_of(query) else {
            let flat = query.coordinates();
            let along = |d: usize| axis(d, &flat.iter().skip(d).step_by(dim).copied().collect::<Vec<f64>>());
            let first = if dim == 1 { ones(query.len()) } else { along(0) };
            return Self { axes: [first, along(dim - 1)], layout: QueryLayout::Points };
        };
        // A grid is interpolated by two small products.
        let first = if dim == 1 { ones(1) } else { axis(0, grid.coordinates(0)) };
        let layout = match query.structure() {
            PointStructure::Masked { indices, .. } => QueryLayout::Masked(indices.to_vec()),
            _ => QueryLayout::Grid,
        };
        Self { axes: [first, axis(dim - 1, grid.coordinates(dim - 1))], layout }
    }
}

impl QueryWeights {
    /// Number of query points.
    pub fn points(&self) -> usize {
        match &self.layout {
            QueryLayout::Grid => self.axes[0].rows * self.axes[1].rows,
            QueryLayout::Masked(indices) => indices.len(),
            QueryLayout::Points => self.axes[1].rows,
        }
    }

    /// Whether the first axis is trivial: one-dimensional states.
    pub(super) fn is_line(&self) -> bool {
        let first = &self.axes[0];
        first.rows == 1
            && first.columns == 1
            && first.weights == [1.0]
            && matches!(first.derivative[..], [] | [0.0])
    }
}
