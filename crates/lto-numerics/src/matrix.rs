//! Row-major matrix products on slices, in single or double precision, and the solution of positive definite systems.

mod cholesky;

use crate::kernel::Real;
use gemm::Parallelism;
use std::ops::Range;

pub use cholesky::{factorize, substitute};

/// A row-major matrix view, possibly transposed.
#[derive(Clone, Copy)]
pub struct Matrix<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    strides: [isize; 2],
}

impl<'a, T: Real> Matrix<'a, T> {
    /// The first `rows × columns` entries of `data`.
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Self {
        Self::strided(data, rows, columns, columns)
    }

    /// Rows of `columns` entries that begin `stride` entries apart.
    pub fn strided(data: &'a [T], rows: usize, columns: usize, stride: usize) -> Self {
        let needed = extent(rows, columns, stride);
        assert!(data.len() >= needed, "{rows}×{columns} matrix in {} numbers", data.len());
        Self { data, rows, columns, strides: [stride as isize, 1] }
    }

    /// The transpose, without copying.
    pub fn transposed(self) -> Self {
        Self { rows: self.columns, columns: self.rows, strides: [self.strides[1], self.strides[0]], ..self }
    }

    fn columns_at(self, columns: Range<usize>) -> Self {
        let begin = (columns.start * self.strides[1] as usize).min(self.data.len());
        Self { data: &self.data[begin..], columns: columns.len(), ..self }
    }
}

/// Entries from the first to the last of a matrix whose rows begin `stride` entries apart.
fn extent(rows: usize, columns: usize, stride: usize) -> usize {
    if rows * columns == 0 { 0 } else { (rows - 1) * stride + columns }
}

/// `out = a b`, in partial sums of at most `longest` terms: each entry carries the rounding of `longest`
/// additions plus one per partial sum.
pub fn multiply_in_pieces<T: Real>(a: Matrix<T>, b: Matrix<T>, out: &mut [T], longest: usize) {
    for start in (0..a.columns.max(1)).step_by(longest) {
        let end = a.columns.min(start + longest);
        multiply(
            a.columns_at(start..end),
            b.transposed().columns_at(start..end).transposed(),
            out,
            start > 0,
        );
    }
}

/// `out = a b` (`out = out + a b` if `accumulate`), on the calling thread; `out` is row-major `[a.rows, b.columns]`.
pub fn multiply<T: Real>(a: Matrix<T>, b: Matrix<T>, out: &mut [T], accumulate: bool) {
    multiply_strided(a, b, out, b.columns, accumulate);
}

/// [`multiply`] with rows of `out` that begin `stride` entries apart; what lies between them stays.
pub fn multiply_strided<T: Real>(a: Matrix<T>, b: Matrix<T>, out: &mut [T], stride: usize, accumulate: bool) {
    assert_eq!(a.columns, b.rows, "inner dimensions");
    let needed = extent(a.rows, b.columns, stride);
    assert!(stride >= b.columns && out.len() >= needed, "room for the product");
    // SAFETY: both views cover rows × columns entries of their slices (checked in `Matrix::strided`; transposing permutes
    // the strides with the extents), and `out` has room for the product (checked above) and aliases neither.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            out.as_mut_ptr(),
            1,
            stride as isize,
            accumulate,
            a.data.as_ptr(),
            a.strides[1],
            a.strides[0],
            b.data.as_ptr(),
            b.strides[1],
            b.strides[0],
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// `a · b` in eight independent partial sums, so that it runs in vector registers.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn products_match_the_definition_in<T: Real>() {
        let number = |i: usize| T::from_f64(i as f64);
        let a: Vec<T> = (0..6).map(number).collect();
        let b: Vec<T> = (0..12).map(|i| number(i * i)).collect();
        let mut out = vec![T::ONE; 8];
        multiply(Matrix::new(&a, 2, 3), Matrix::new(&b, 3, 4), &mut out, true);
        for (i, j) in (0..2usize).flat_map(|i| (0..4usize).map(move |j| (i, j))) {
            let exact: usize = 1 + (0..3).map(|k| (i * 3 + k) * (k * 4 + j).pow(2)).sum::<usize>();
            assert_eq!(out[i * 4 + j], number(exact));
        }
        multiply(Matrix::new(&a, 3, 2).transposed(), Matrix::new(&b, 4, 3).transposed(), &mut out, false);
        for (i, j) in (0..2usize).flat_map(|i| (0..4usize).map(move |j| (i, j))) {
            let exact: usize = (0..3).map(|k| (k * 2 + i) * (j * 3 + k).pow(2)).sum();
            assert_eq!(out[i * 4 + j], number(exact));
        }
        let whole = out.clone();
        // The middle columns of larger matrices: what lies around them stays.
        let spread = |narrow: &[T], columns: usize| -> Vec<T> {
            let rows = narrow.chunks_exact(columns);
            rows.flat_map(|row| [&[T::ONE], row, &[T::ONE]].concat()).collect()
        };
        let wide = [spread(&a, 2), spread(&b, 3)];
        let (a_wide, b_wide) =
            (Matrix::strided(&wide[0][1..], 3, 2, 4), Matrix::strided(&wide[1][1..], 4, 3, 5));
        let mut out_wide = vec![T::ONE; 12];
        multiply_strided(a_wide.transposed(), b_wide.transposed(), &mut out_wide[1..], 6, false);
        assert_eq!(out_wide, spread(&whole, 4));
        for longest in 1..5 {
            let (a, b) = (Matrix::new(&a, 3, 2).transposed(), Matrix::new(&b, 4, 3).transposed());
            multiply_in_pieces(a, b, &mut out, longest);
            assert_eq!(out, whole);
        }
    }

    #[test]
    fn products_match_the_definition() {
        products_match_the_definition_in::<f32>();
        products_match_the_definition_in::<f64>();
    }
}
