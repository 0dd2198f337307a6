//! Queries on a grid: `Y = W⁰ Z W¹ᵀ` by two products.

use super::query::{AxisWeights, QueryLayout, QueryWeights};
use lto_numerics::matrix::{Matrix, multiply};
use rayon::prelude::*;

/// Latent planes `[planes, n0, n1]` that share a query.
#[derive(Clone, Copy)]
pub struct Planes<'a> {
    /// The query.
    pub query: &'a QueryWeights,
    /// `Z`.
    pub z: &'a [f32],
    /// Whether these planes are all the work: then the products themselves run in parallel.
    pub alone: bool,
}

fn values(of: &AxisWeights) -> Matrix<'_, f32> {
    Matrix::new(&of.weights, of.rows, of.columns)
}

fn slopes(of: &AxisWeights) -> Matrix<'_, f32> {
    Matrix::new(&of.derivative, of.rows, of.columns)
}

impl Planes<'_> {
    /// `out [rows, b.columns] = a [rows, columns] b`.
    fn rows(&self, a: &[f32], columns: usize, b: Matrix<f32>, out: &mut [f32]) {
        let rows = a.len() / columns;
        let step = if self.alone { rows.div_ceil(rayon::current_num_threads()) } else { rows };
        let width = out.len() / rows;
        let part = |(a, out): (&[f32], &mut [f32])| {
            multiply(Matrix::new(a, a.len() / columns, columns), b, out, false);
        };
        if step == rows {
            part((a, out));
        } else {
            a.par_chunks(step * columns).zip(out.par_chunks_mut(step * width)).for_each(part);
        }
    }

    fn each(&self, out: &mut [f32], size: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
        if self.alone {
            out.par_chunks_mut(size).enumerate().for_each(|(i, out)| work(i, out));
        } else {
            out.chunks_mut(size).enumerate().for_each(|(i, out)| work(i, out));
        }
    }

    /// `Y [planes, points]`.
    pub fn forward(&self, y: &mut [f32]) {
        let [first, last] = &self.query.axes;
        let (n0, m0, m1) = (first.columns, first.rows, last.rows);
        let rows = self.z.len() / last.columns;
        if self.query.is_line() && self.query.layout == QueryLayout::Grid {
            return self.rows(self.z, last.columns, values(last).transposed(), y);
        }
        let mut r = vec![0.0; rows * m1];
        self.rows(self.z, last.columns, values(last).transposed(), &mut r);
        let plane = |i: usize| Matrix::new(&r[i * n0 * m1..(i + 1) * n0 * m1], n0, m1);
        match &self.query.layout {
            QueryLayout::Masked(indices) => self.each(y, indices.len(), |i, y| {
                let mut whole = vec![0.0; m0 * m1];
                multiply(values(first), plane(i), &mut whole, false);
                y.iter_mut().zip(indices).for_each(|(y, index)| *y = whole[*index]);
            }),
            _ => self.each(y, m0 * m1, |i, y| multiply(values(first), plane(i), y, false)),
        }
    }

    /// Writes `∂Z = W⁰ᵀ ∂Y W¹` and returns `⟨∂Y, ∂(W⁰ Z W¹ᵀ)/∂log ℓ⟩`.
    pub fn backward(&self, dy: &[f32], dz: &mut [f32]) -> f64 {
        let [first, last] = &self.query.axes;
        let (n0, n1, m0, m1) = (first.columns, last.columns, first.rows, last.rows);
        let rows = self.z.len() / n1;
        let sloped = !last.derivative.is_empty();
        // ∂log ℓ = ⟨T W¹′ + T′ W¹, Z⟩ with T = W⁰ᵀ ∂Y and T′ = W⁰′ᵀ ∂Y.
        let mut slope = vec![0.0; if sloped { self.z.len() } else { 0 }];
        if self.query.is_line() && self.query.layout == QueryLayout::Grid {
            self.rows(dy, m1, values(last), dz);
            if sloped {
                self.rows(dy, m1, slopes(last), &mut slope);
            }
        } else {
            let size = n0 * m1;
            let mut both = vec![0.0; 2 * rows * m1];
            self.each(&mut both, 2 * size, |i, both| {
                let (t, derivative) = both.split_at_mut(size);
                let mut whole = Vec::new();
                let dy = &dy[i * self.query.points()..(i + 1) * self.query.points()];
                let dy = match &self.query.layout {
                    QueryLayout::Masked(indices) => {
                        whole.resize(m0 * m1, 0.0);
                        indices.iter().zip(dy).for_each(|(index, dy)| whole[*index] = *dy);
                        &whole[..]
                    }
                    _ => dy,
                };
                let dy = Matrix::new(dy, m0, m1);
                multiply(values(first).transposed(), dy, t, false);
                if sloped {
                    multiply(slopes(first).transposed(), dy, derivative, false);
                }
            });
            let mut slopes_of = slope.chunks_mut(n0 * n1);
            let planes: Vec<(&mut [f32], &mut [f32])> =
                dz.chunks_mut(n0 * n1).map(|dz| (dz, slopes_of.next().unwrap_or_default())).collect();
            let plane = |(i, (dz, slope)): (usize, (&mut [f32], &mut [f32]))| {
                let (t, derivative) = both[2 * i * size..2 * (i + 1) * size].split_at(size);
                multiply(Matrix::new(t, n0, m1), values(last), dz, false);
                if sloped {
                    multiply(Matrix::new(t, n0, m1), slopes(last), slope, false);
                    multiply(Matrix::new(derivative, n0, m1), values(last), slope, true);
                }
            };
            if self.alone {
                planes.into_par_iter().enumerate().for_each(plane);
            } else {
                planes.into_iter().enumerate().for_each(plane);
            }
        }
        slope.iter().zip(self.z).map(|(a, b)| f64::from(a * b)).sum()
    }
}
