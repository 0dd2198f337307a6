//! The symmetric 9-point matrices of the coarse multigrid levels, and how a level follows from the finer one.

use super::five_point::FivePoint;
use super::rows::three_rows;

/// Symmetric 9-point matrix on `rows × columns` vertices, boundary included. Couplings are minus the
/// off-diagonal entries, each stored once, at the end that comes first in row-major order.
pub(super) struct NinePoint {
    rows: usize,
    columns: usize,
    pub(super) center: Vec<f64>,
    inverse_center: Vec<f64>,
    pub(super) east: Vec<f64>,
    pub(super) south_west: Vec<f64>,
    pub(super) south: Vec<f64>,
    pub(super) south_east: Vec<f64>,
}

impl NinePoint {
    fn zeros(rows: usize, columns: usize) -> Self {
        let zeros = || vec![0.0; rows * columns];
        Self {
            rows,
            columns,
            center: zeros(),
            inverse_center: Vec::new(),
            east: zeros(),
            south_west: zeros(),
            south: zeros(),
            south_east: zeros(),
        }
    }

    /// The Galerkin matrix `Pᵀ A P` of the finest level, where `P` is bilinear interpolation from every 2nd
    /// vertex.
    pub(super) fn from_finest(fine: &FivePoint) -> Self {
        let n = fine.n();
        let zeros = || vec![0.0; n * n];
        let fine = Self {
            rows: n,
            columns: n,
            center: fine.center.clone(),
            inverse_center: Vec::new(),
            east: fine.east.clone(),
            south_west: zeros(),
            south: fine.south.clone(),
            south_east: zeros(),
        };
        fine.coarsened()
    }

    /// The Galerkin matrix `Pᵀ A P` of the next coarser level.
    pub(super) fn coarsened(&self) -> Self {
        // P = P₀ ⊗ P₁, one axis at a time; two transpositions cancel.
        let mut coarse = self.columns_coarsened_transposed().columns_coarsened_transposed();
        coarse.inverse_center = coarse.center.iter().map(|&c| if c > 0.0 { 1.0 / c } else { 0.0 }).collect();
        coarse
    }

    /// Vertices along one side.
    pub(super) fn n(&self) -> usize {
        self.columns
    }

    /// `P₁ᵀ A P₁` for linear interpolation along the columns, with rows and columns exchanged. Interior
    /// vertex `J` of the coarse axis is `2J` of the fine one; if the number of intervals is odd, the last one
    /// is not merged, which the Galerkin product accounts for.
    fn columns_coarsened_transposed(&self) -> Self {
        let n = self.columns;
        let coarse_columns = coarse_side(n);
        let mut out = Self::zeros(coarse_columns, self.rows);
        let rows = self.rows;
        for i in 1..rows - 1 {
            let at = i * n..(i + 1) * n;
            let (center, east) = (&self.center[at.clone()], &self.east[at.clone()]);
            let (south_west, south, south_east) =
                (&self.south_west[at.clone()], &self.south[at.clone()], &self.south_east[at]);
            for coarse in 1..coarse_columns - 1 {
                let (j, p) = (2 * coarse, coarse * rows + i);
                // Couplings are minus the entries, hence the different signs of center and couplings.
                out.center[p] = center[j] + 0.25 * (center[j - 1] + center[j + 1]) - (east[j - 1] + east[j]);
                out.east[p] = south[j]
                    + 0.25 * (south[j - 1] + south[j + 1])
                    + 0.5 * (south_west[j] + south_east[j] + south_east[j - 1] + south_west[j + 1]);
                if coarse + 2 < coarse_columns {
                    out.south[p] = 0.5 * (east[j] + east[j + 1]) - 0.25 * center[j + 1];
                    out.south_east[p] = 0.5 * (south_east[j] + south_east[j + 1]) + 0.25 * south[j + 1];
                }
                if coarse > 1 {
                    // From (i, J) to (i+1, J−1): after the exchange it starts at (J−1, i+1).
                    out.south_west[p - rows + 1] =
                        0.5 * (south_west[j] + south_west[j - 1]) + 0.25 * south[j - 1];
                }
            }
        }
        out
    }

    /// One forward Gauss–Seidel sweep from `z = 0`.
    pub(super) fn smooth_forward_from_zero(&self, r: &[f64], z: &mut [f64], scratch: &mut [f64]) {
        let n = self.columns;
        let scratch = &mut scratch[..n];
        for i in 1..self.rows - 1 {
            let row = self.row(i);
            let r = &r[i * n..(i + 1) * n];
            let (north, here, _) = three_rows(z, n, i);
            for j in 1..n - 1 {
                scratch[j] = r[j] + row.north(j, north);
            }
            for j in 1..n - 1 {
                here[j] = row.inverse_center[j] * (scratch[j] + row.east[j - 1] * here[j - 1]);
            }
        }
    }

    /// One backward Gauss–Seidel sweep: the adjoint of the forward one, which keeps the V-cycle symmetric.
    pub(super) fn smooth_backward(&self, r: &[f64], z: &mut [f64], scratch: &mut [f64]) {
        let n = self.columns;
        let scratch = &mut scratch[..n];
        for i in (1..self.rows - 1).rev() {
            let row = self.row(i);
            let r = &r[i * n..(i + 1) * n];
            let (north, here, south) = three_rows(z, n, i);
            for j in 1..n - 1 {
                scratch[j] = r[j] + row.north(j, north) + row.south(j, south) + row.east[j - 1] * here[j - 1];
            }
            for j in (1..n - 1).rev() {
                here[j] = row.inverse_center[j] * (scratch[j] + row.east[j] * here[j + 1]);
            }
        }
    }

    /// `residual = r − A z`.
    pub(super) fn residual(&self, r: &[f64], z: &[f64], residual: &mut [f64]) {
        let n = self.columns;
        for i in 1..self.rows - 1 {
            let row = self.row(i);
            let (north, here, south) =
                (&z[(i - 1) * n..i * n], &z[i * n..(i + 1) * n], &z[(i + 1) * n..(i + 2) * n]);
            let (r, out) = (&r[i * n..(i + 1) * n], &mut residual[i * n..(i + 1) * n]);
            for j in 1..n - 1 {
                let beside = row.east[j - 1] * here[j - 1] + row.east[j] * here[j + 1];
                out[j] =
                    r[j] - row.center[j] * here[j] + (beside + row.north(j, north) + row.south(j, south));
            }
        }
    }

    fn row(&self, i: usize) -> Row<'_> {
        let n = self.columns;
        let (above, at) = ((i - 1) * n..i * n, i * n..(i + 1) * n);
        Row {
            center: &self.center[at.clone()],
            inverse_center: &self.inverse_center[at.clone()],
            east: &self.east[at.clone()],
            south: [&self.south_west[at.clone()], &self.south[at.clone()], &self.south_east[at]],
            north: [&self.south_west[above.clone()], &self.south[above.clone()], &self.south_east[above]],
        }
    }
}

/// Vertices along one side of the next coarser level than one with `n`: the even interior ones and two
/// boundary ones.
pub(super) fn coarse_side(n: usize) -> usize {
    (n - 2) / 2 + 2
}

/// The couplings of one row of vertices; `north` and `south` hold south-west, south, south-east of the row
/// above and of the row itself.
struct Row<'a> {
    center: &'a [f64],
    inverse_center: &'a [f64],
    east: &'a [f64],
    north: [&'a [f64]; 3],
    south: [&'a [f64]; 3],
}

impl Row<'_> {
    /// The contribution of the row above at column `j`.
    #[inline(always)]
    fn north(&self, j: usize, z: &[f64]) -> f64 {
        let [south_west, south, south_east] = self.north;
        south_west[j + 1] * z[j + 1] + south[j] * z[j] + south_east[j - 1] * z[j - 1]
    }

    /// The contribution of the row below at column `j`.
    #[inline(always)]
    fn south(&self, j: usize, z: &[f64]) -> f64 {
        let [south_west, south, south_east] = self.south;
        south_west[j] * z[j - 1] + south[j] * z[j] + south_east[j] * z[j + 1]
    }
}
