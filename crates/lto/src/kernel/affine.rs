//! Affine maps of rows with their activation, `a(x W + b)`, also added to the rows, in one pass.

use super::activation::{Activation, chunk_of};
use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::scratch::Scratch;
use super::simd::{self, Isa, Kernel, Lanes, MAX_LANES};
use burn::tensor::Tensor;
use lto_numerics::matrix::{Matrix, multiply};
use rayon::prelude::*;

/// Rows done together: their numbers stay in the second-level cache between product and activation.
const ROWS: usize = 256;

/// At most this many partial sums, whatever the number of threads: results depend on shapes only, bit for bit.
const PARTS: usize = 8;

/// A part should do this many operations.
const OPERATIONS_PER_PART: usize = 4_000_000;

/// `activation(x W + b)`.
///
/// # Shapes
/// `x [n, in]`, `weight [in, out]`, `bias [out]` → `[n, out]`.
pub fn affine(x: Tensor<2>, weight: Tensor<2>, bias: Tensor<1>, activation: Activation) -> Tensor<2> {
    if !is_supported(&x) {
        return stock(x, weight, bias, activation);
    }
    let inputs = vec![x.into_dispatch(), weight.into_dispatch(), bias.into_dispatch()];
    apply(Affine { activation, residual: false }, inputs)
}

/// `x + activation(x W + b)`.
///
/// # Shapes
/// As [`affine`], with as many numbers out as in.
pub fn affine_residual(
    x: Tensor<2>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    activation: Activation,
) -> Tensor<2> {
    if !is_supported(&x) {
        return x.clone() + stock(x, weight, bias, activation);
    }
    let inputs = vec![x.into_dispatch(), weight.into_dispatch(), bias.into_dispatch()];
    apply(Affine { activation, residual: true }, inputs)
}

/// [`affine`] by stock operations.
pub fn stock(x: Tensor<2>, weight: Tensor<2>, bias: Tensor<1>, activation: Activation) -> Tensor<2> {
    activation.stock(x.matmul(weight) + bias.unsqueeze())
}

#[derive(Debug)]
struct Affine {
    activation: Activation,
    residual: bool,
}

/// Rows of a part.
fn rows_per_part(n: usize, operations_per_row: usize) -> usize {
    let parts = (n * operations_per_row / OPERATIONS_PER_PART).clamp(1, PARTS);
    n.div_ceil(parts)
}

impl Operation for Affine {
    /// Saves the slopes of the activation.
    fn forward(&self, inputs: &[Array], tracked: bool) -> Forward {
        let ([n, wide], [_, out]) = (inputs[0].dims(), inputs[1].dims());
        let (isa, rows) = (Isa::detect(), rows_per_part(n, 2 * wide * out).min(ROWS));
        let mut output = vec![0.0; n * out];
        let keeps = tracked && self.activation != Activation::None;
        let mut saved = vec![0.0; if keeps { n * out } else { 0 }];
        let mut slopes = saved.chunks_mut(rows * out);
        let blocks: Vec<_> = output.chunks_mut(rows * out).map(|y| (y, slopes.next())).collect();
        blocks.into_par_iter().enumerate().for_each(|(block, (y, slope))| {
            let n = y.len() / out;
            let x = &inputs[0].values[block * rows * wide..][..n * wide];
            y.chunks_exact_mut(out).for_each(|y| y.copy_from_slice(inputs[2].values));
            multiply(Matrix::new(x, n, wide), Matrix::new(inputs[1].values, wide, out), y, true);
            let residual = self.residual.then_some(x);
            simd::run(isa, Finish { activation: self.activation, residual, y, slope });
        });
        Forward { output, shape: vec![n, out], saved }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let ([n, wide], [_, out]) = (pass.inputs[0].dims(), pass.inputs[1].dims());
        let (isa, rows) = (Isa::detect(), rows_per_part(n, 4 * wide * out));
        let weight = Matrix::new(pass.inputs[1].values, wide, out).transposed();
        let mut dx = vec![0.0; if pass.wanted[0] { n * wide } else { 0 }];
        let mut parts = dx.chunks_mut(rows * wide);
        let parts: Vec<_> = (0..n).step_by(rows).map(|first| (first, parts.next())).collect();
        let part = |(first, mut dx): (usize, Option<&mut [f32]>)| {
            let (mut dw, mut db) = (vec![0.0; wide * out], vec![0.0; out]);
            let mut scratch = Scratch::new(ROWS * out);
            let last = (first + rows).min(n);
            for begin in (first..last).step_by(ROWS) {
                let end = (begin + ROWS).min(last);
                let m = end - begin;
                let gradient = &pass.gradient[begin * out..end * out];
                let slope = pass.saved.get(begin * out..end * out);
                let dh = &mut scratch.get()[..m * out];
                simd::run(isa, Back { gradient, slope, dh, db: &mut db });
                let (x, dh) = (&pass.inputs[0].values[begin * wide..end * wide], Matrix::new(dh, m, out));
                multiply(Matrix::new(x, m, wide).transposed(), dh, &mut dw, true);
                if let Some(dx) = &mut dx {
                    let dx = &mut dx[(begin - first) * wide..(end - first) * wide];
                    if self.residual {
                        dx.copy_from_slice(gradient);
                    }
                    multiply(dh, weight, dx, self.residual);
                }
            }
            (dw, db)
        };
        let sums: Vec<_> = parts.into_par_iter().map(part).collect();
        let (dw, db): (Vec<_>, Vec<_>) = sums.into_iter().unzip();
        vec![pass.wanted[0].then_some(dx), Some(total(dw)), Some(total(db))]
    }
}

/// The sum of partial sums, in their order.
pub(super) fn total(parts: Vec<Vec<f32>>) -> Vec<f32> {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_default();
    for part in parts {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    sum
}

/// Activates `y` in place, keeps the slopes if wanted, adds the residual.
struct Finish<'a> {
    activation: Activation,
    residual: Option<&'a [f32]>,
    y: &'a mut [f32],
    slope: Option<&'a mut [f32]>,
}

impl Kernel for Finish<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Finish { activation, residual, y, mut slope } = self;
        if activation == Activation::None && residual.is_none() {
            return;
        }
        for begin in (0..y.len()).step_by(MAX_LANES) {
            let range = begin..y.len().min(begin + MAX_LANES);
            let mut chunk = chunk_of(&y[range.clone()]);
            match &mut slope {
                Some(slope) => {
                    // SAFETY: this is the kernel of `V`.
                    let found = unsafe { activation.apply_with_slope::<V>(&mut chunk) };
                    slope[range.clone()].copy_from_slice(&found[..range.len()]);
                }
                // SAFETY: this is the kernel of `V`.
                None => unsafe { activation.apply::<V>(&mut chunk) },
            }
            if let Some(residual) = residual {
                let residual = chunk_of(&residual[range.clone()]);
                chunk.iter_mut().zip(residual).for_each(|(y, x)| *y += x);
            }
            y[range.clone()].copy_from_slice(&chunk[..range.len()]);
        }
    }
}

/// The gradient before the activation, and its sum over rows.
struct Back<'a> {
    gradient: &'a [f32],
    slope: Option<&'a [f32]>,
    dh: &'a mut [f32],
    db: &'a mut [f32],
}

impl Kernel for Back<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Back { gradient, slope, dh, db } = self;
        match slope {
            Some(slope) => {
                for ((dh, g), slope) in dh.iter_mut().zip(gradient).zip(slope) {
                    *dh = g * slope;
                }
            }
            None => dh.copy_from_slice(gradient),
        }
        for row in dh.chunks_exact(db.len()) {
            for (db, dh) in db.iter_mut().zip(row) {
                *db += dh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::agree;

    /// Sizes that fill blocks, parts and vectors, and sizes that do not.
    #[test]
    fn both_forms_equal_stock_operations() {
        for (n, wide, out) in [(1, 3, 5), (300, 7, 19), (700, 40, 40), (3, 64, 1), (1500, 96, 33)] {
            for activation in [Activation::None, Activation::Gelu, Activation::Relu] {
                let with = |residual: bool, ours: bool| {
                    move |leaves: &[Tensor<1>]| {
                        let x = leaves[0].clone().reshape([n, wide]);
                        let (w, b) = (leaves[1].clone().reshape([wide, out]), leaves[2].clone());
                        match (residual, ours) {
                            (false, true) => affine(x, w, b, activation),
                            (false, false) => stock(x, w, b, activation),
                            (true, true) => affine_residual(x, w, b, activation),
                            (true, false) => x.clone() + stock(x, w, b, activation),
                        }
                        .reshape([n * out])
                    }
                };
                let sizes = [n * wide, wide * out, out];
                let what = format!("{n} × {wide} → {out} {activation:?}");
                agree(&what, &sizes, &with(false, true), &with(false, false));
                if wide == out {
                    agree(&format!("{what} residual"), &sizes, &with(true, true), &with(true, false));
                }
            }
        }
    }
}
