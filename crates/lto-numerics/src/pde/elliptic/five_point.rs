//! The 5-point matrix of `−∇·(a∇u)` on a square vertex grid with `u = 0` on the boundary.

use super::rows::three_rows;

/// Symmetric 5-point matrix on `n × n` vertices, times h². Vectors hold all vertices, row-major; their boundary
/// entries are zero.
pub(super) struct FivePoint {
    n: usize,
    /// Coupling of `(i, j)` and `(i, j+1)`: the arithmetic mean of the coefficient at both ends of the face.
    pub(super) east: Vec<f64>,
    /// Coupling of `(i, j)` and `(i+1, j)`.
    pub(super) south: Vec<f64>,
    /// Diagonal: the sum of the four couplings.
    pub(super) center: Vec<f64>,
    inverse_center: Vec<f64>,
}

impl FivePoint {
    /// The matrix of a positive coefficient given on the `n²` vertices.
    pub(super) fn new(n: usize, coefficient: &[f64]) -> Self {
        let zeros = || vec![0.0; n * n];
        let (mut east, mut south, mut center, mut inverse_center) = (zeros(), zeros(), zeros(), zeros());
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let p = i * n + j;
                let face = |q: usize| 0.5 * (coefficient[p] + coefficient[q]);
                center[p] = face(p - 1) + face(p + 1) + (face(p - n) + face(p + n));
                inverse_center[p] = 1.0 / center[p];
                // Values on the boundary are zero, so those faces only affect the diagonal.
                if j < n - 2 {
                    east[p] = face(p + 1);
                }
                if i < n - 2 {
                    south[p] = face(p + n);
                }
            }
        }
        Self { n, east, south, center, inverse_center }
    }

    /// Vertices along one side.
    pub(super) fn n(&self) -> usize {
        self.n
    }

    /// `image = A z`; returns `z · A z`.
    pub(super) fn apply(&self, z: &[f64], image: &mut [f64]) -> f64 {
        let n = self.n;
        let mut energy = 0.0;
        for i in 1..n - 1 {
            let row = self.row(i);
            let (north, here, south) =
                (&z[(i - 1) * n..i * n], &z[i * n..(i + 1) * n], &z[(i + 1) * n..(i + 2) * n]);
            let out = &mut image[i * n..(i + 1) * n];
            for j in 1..n - 1 {
                out[j] = row.center[j] * here[j] - row.neighbors(j, north, here, south);
            }
            energy += crate::matrix::dot(here, out);
        }
        energy
    }

    /// `residual = r − A z`.
    pub(super) fn residual(&self, r: &[f64], z: &[f64], residual: &mut [f64]) {
        let n = self.n;
        for i in 1..n - 1 {
            let row = self.row(i);
            let (north, here, south) =
                (&z[(i - 1) * n..i * n], &z[i * n..(i + 1) * n], &z[(i + 1) * n..(i + 2) * n]);
            let (r, out) = (&r[i * n..(i + 1) * n], &mut residual[i * n..(i + 1) * n]);
            for j in 1..n - 1 {
                out[j] = r[j] - (row.center[j] * here[j] - row.neighbors(j, north, here, south));
            }
        }
    }

    /// One half sweep of Gauss–Seidel: the vertices with `i + j` of the parity `color`, which couple only to
    /// the others.
    pub(super) fn smooth_color(&self, color: usize, r: &[f64], z: &mut [f64], scratch: &mut [f64]) {
        let n = self.n;
        let scratch = &mut scratch[..n];
        for i in 1..n - 1 {
            let row = self.row(i);
            let r = &r[i * n..(i + 1) * n];
            let (north, here, south) = three_rows(z, n, i);
            // Every vertex is computed and half are kept: contiguous arithmetic beats a stride of two.
            for j in 1..n - 1 {
                scratch[j] = row.inverse_center[j] * (r[j] + row.neighbors(j, north, here, south));
            }
            for j in (1 + (i + 1 + color) % 2..n - 1).step_by(2) {
                here[j] = scratch[j];
            }
        }
    }

    /// A half sweep of `color` that starts from `z = 0`.
    pub(super) fn smooth_color_from_zero(&self, color: usize, r: &[f64], z: &mut [f64]) {
        let n = self.n;
        z.fill(0.0);
        for i in 1..n - 1 {
            for p in (i * n + 1 + (i + 1 + color) % 2..(i + 1) * n - 1).step_by(2) {
                z[p] = r[p] * self.inverse_center[p];
            }
        }
    }

    fn row(&self, i: usize) -> Row<'_> {
        let n = self.n;
        let at = i * n..(i + 1) * n;
        Row {
            east: &self.east[at.clone()],
            north: &self.south[(i - 1) * n..i * n],
            south: &self.south[at.clone()],
            center: &self.center[at.clone()],
            inverse_center: &self.inverse_center[at],
        }
    }
}

/// The couplings of one row of vertices.
struct Row<'a> {
    east: &'a [f64],
    north: &'a [f64],
    south: &'a [f64],
    center: &'a [f64],
    inverse_center: &'a [f64],
}

impl Row<'_> {
    /// The off-diagonal part at column `j`, as a sum of positive couplings times neighbors.
    #[inline(always)]
    fn neighbors(&self, j: usize, north: &[f64], here: &[f64], south: &[f64]) -> f64 {
        (self.east[j - 1] * here[j - 1] + self.east[j] * here[j + 1])
            + (self.north[j] * north[j] + self.south[j] * south[j])
    }
}
