//! Row-major `f32` matrix products on slices.

use gemm::Parallelism;

/// A row-major matrix view, possibly transposed.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    strides: [isize; 2],
}

impl<'a> Matrix<'a> {
    /// The first `rows × columns` entries of `data`.
    pub fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        assert!(data.len() >= rows * columns, "{rows}×{columns} matrix in {} numbers", data.len());
        Self { data, rows, columns, strides: [columns as isize, 1] }
    }

    /// The transpose, without copying.
    pub fn transposed(self) -> Self {
        Self { rows: self.columns, columns: self.rows, strides: [self.strides[1], self.strides[0]], ..self }
    }
}

/// `out = a b` (`out = out + a b` if `accumulate`), on the calling thread; `out` is row-major `[a.rows, b.columns]`.
pub fn multiply(a: Matrix, b: Matrix, out: &mut [f32], accumulate: bool) {
    assert_eq!(a.columns, b.rows, "inner dimensions");
    assert!(out.len() >= a.rows * b.columns, "room for the product");
    // SAFETY: both views cover rows × columns entries of their slices (checked in `Matrix::new`; transposing permutes
    // the strides with the extents), and `out` has room for the product (checked above) and aliases neither.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            out.as_mut_ptr(),
            1,
            b.columns as isize,
            accumulate,
            a.data.as_ptr(),
            a.strides[1],
            a.strides[0],
            b.data.as_ptr(),
            b.strides[1],
            b.strides[0],
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_match_the_definition() {
        let a: Vec<f32> = (0..6).map(|i| i as f32).collect();
        let b: Vec<f32> = (0..12).map(|i| (i * i) as f32).collect();
        let mut out = vec![1.0; 8];
        multiply(Matrix::new(&a, 2, 3), Matrix::new(&b, 3, 4), &mut out, true);
        for i in 0..2 {
            for j in 0..4 {
                let exact: f32 = 1.0 + (0..3).map(|k| a[i * 3 + k] * b[k * 4 + j]).sum::<f32>();
                assert_eq!(out[i * 4 + j], exact);
            }
        }
        multiply(Matrix::new(&a, 3, 2).transposed(), Matrix::new(&b, 4, 3).transposed(), &mut out, false);
        for i in 0..2 {
            for j in 0..4 {
                let exact: f32 = (0..3).map(|k| a[k * 2 + i] * b[j * 3 + k]).sum();
                assert_eq!(out[i * 4 + j], exact);
            }
        }
    }
}
