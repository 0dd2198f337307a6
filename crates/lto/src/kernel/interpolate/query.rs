//! Weights of query points against a latent grid, and how they combine.

/// Weights along one axis, with their slope in log ℓ.
pub type AxisWeights = lto_numerics::setconv::AxisWeights<f32>;

/// Weights of query points against the latent grid.
#[derive(Clone, Debug)]
pub struct QueryWeights {
    /// `W⁰ [m0, n0]` and `W¹ [m1, n1]`; for points one row each.
    pub axes: [AxisWeights; 2],
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
