//! What an interpolation is: weights along both axes, and how they combine.

/// A matrix of weights `[rows, columns]` along one axis and its derivative with respect to log ℓ.
#[derive(Clone, Debug)]
pub struct AxisWeights {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// `W`, row-major.
    pub weights: Vec<f32>,
    /// `∂W/∂log ℓ`, row-major; empty where no gradient is wanted.
    pub derivative: Vec<f32>,
}

/// Weights of query points against the latent grid.
#[derive(Clone, Debug)]
pub struct Plan {
    /// `W⁰ [m0, n0]` and `W¹ [m1, n1]`; for points one row each.
    pub axes: [AxisWeights; 2],
    /// How the rows combine.
    pub layout: PlanLayout,
}

/// How the rows of both axes combine to query points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanLayout {
    /// All pairs: a grid.
    Grid,
    /// These points of the grid.
    Masked(Vec<usize>),
    /// Row m of one with row m of the other.
    Points,
}

impl Plan {
    /// Number of query points.
    pub fn points(&self) -> usize {
        match &self.layout {
            PlanLayout::Grid => self.axes[0].rows * self.axes[1].rows,
            PlanLayout::Masked(indices) => indices.len(),
            PlanLayout::Points => self.axes[1].rows,
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
