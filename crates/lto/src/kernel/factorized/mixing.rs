//! One complex matrix for each wavenumber, applied to the images of lines.

use crate::kernel::operation::Array;
use lto_numerics::matrix::{Matrix, multiply};
use rayon::prelude::*;

/// The complex weights `R [in, out, K]` of one axis, times the factors of the inverse transform, as real matrices: for each
/// wavenumber `[[re, −im], [im, re]]`, from `(real | imaginary, in)` to `(real | imaginary, out)`.
pub struct Mixing {
    modes: usize,
    /// Twice the output channels.
    rows: usize,
    /// Twice the input channels.
    columns: usize,
    /// `[K, rows, columns]`.
    matrices: Vec<f32>,
}

impl Mixing {
    /// From the tensors of the real and the imaginary parts.
    pub fn new([real, imaginary]: [Array; 2], factors: &[f32]) -> Self {
        let [inputs, outputs, modes] = real.dims();
        let (rows, columns) = (2 * outputs, 2 * inputs);
        let mut matrices = vec![0.0; modes * rows * columns];
        for (k, matrix) in matrices.chunks_exact_mut(rows * columns).enumerate() {
            let (upper, lower) = matrix.split_at_mut(outputs * columns);
            let halves = upper.chunks_exact_mut(columns).zip(lower.chunks_exact_mut(columns));
            for (o, (upper, lower)) in halves.enumerate() {
                for i in 0..inputs {
                    let at = (i * outputs + o) * modes + k;
                    let (re, im) = (factors[k] * real.values[at], factors[k] * imaginary.values[at]);
                    (upper[i], upper[inputs + i]) = (re, -im);
                    (lower[i], lower[inputs + i]) = (im, re);
                }
            }
        }
        Self { modes, rows, columns, matrices }
    }

    /// `[K, 2 in, lines]` → `[K, 2 out, lines]`.
    pub fn forth(&self, x: &[f32], lines: usize, y: &mut [f32]) {
        self.each(x, (self.columns, y, self.rows), lines, |matrix| matrix);
    }

    /// Gradients back: `[K, 2 out, lines]` → `[K, 2 in, lines]`.
    pub fn back(&self, g: &[f32], lines: usize, dx: &mut [f32]) {
        self.each(g, (self.rows, dx, self.columns), lines, Matrix::transposed);
    }

    fn each<'a>(
        &'a self,
        x: &[f32],
        (from, y, to): (usize, &mut [f32], usize),
        lines: usize,
        way: impl Fn(Matrix<'a, f32>) -> Matrix<'a, f32> + Sync,
    ) {
        let images = x.par_chunks_exact(from * lines).zip(y.par_chunks_exact_mut(to * lines));
        let matrices = self.matrices.par_chunks_exact(self.rows * self.columns);
        images.zip(matrices).for_each(|((x, y), matrix)| {
            let matrix = way(Matrix::new(matrix, self.rows, self.columns));
            multiply(matrix, Matrix::new(x, from, lines), y, false);
        });
    }

    /// Zero sums for [`Mixing::add_products`].
    pub fn zeros(&self) -> Vec<f32> {
        vec![0.0; self.matrices.len()]
    }

    /// Adds the gradients of the matrices, `g xᵀ` for each wavenumber, to `sums [K, 2 out, 2 in]`.
    pub fn add_products(&self, x: &[f32], g: &[f32], lines: usize, sums: &mut [f32]) {
        let images = x.chunks_exact(self.columns * lines).zip(g.chunks_exact(self.rows * lines));
        for ((x, g), sum) in images.zip(sums.chunks_exact_mut(self.rows * self.columns)) {
            let (x, g) = (Matrix::new(x, self.columns, lines), Matrix::new(g, self.rows, lines));
            multiply(g, x.transposed(), sum, true);
        }
    }

    /// The gradients of the real and imaginary parts, `[in, out, K]`, from those of the matrices.
    pub fn gradients(&self, sums: &[f32], factors: &[f32]) -> [Vec<f32>; 2] {
        let (inputs, outputs, modes) = (self.columns / 2, self.rows / 2, self.modes);
        let mut found = [(); 2].map(|()| vec![0.0; inputs * outputs * modes]);
        for (k, sum) in sums.chunks_exact(self.rows * self.columns).enumerate() {
            let (upper, lower) = sum.split_at(outputs * self.columns);
            let halves = upper.chunks_exact(self.columns).zip(lower.chunks_exact(self.columns));
            for (o, (upper, lower)) in halves.enumerate() {
                for i in 0..inputs {
                    let at = (i * outputs + o) * modes + k;
                    found[0][at] = factors[k] * (upper[i] + lower[inputs + i]);
                    found[1][at] = factors[k] * (lower[i] - upper[inputs + i]);
                }
            }
        }
        found
    }
}
