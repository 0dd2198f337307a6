//! Maps between grids that act along each axis by few weights a point: `Y = W⁰ Z W¹ᵀ`, also added to another state.

use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::scratch::Scratch;
use super::simd::{self, Isa, Kernel, Lanes};
use crate::device::table;
use burn::tensor::{Device, Tensor};
use rayon::prelude::*;
use std::sync::Arc;

/// Below this many numbers, splitting the work costs more than it gains.
const SERIAL: usize = 16 * 1024;

/// A matrix by its nonzero entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    columns: usize,
    /// Where the entries of each row begin, and where those of the last one end.
    begins: Vec<usize>,
    /// Column and weight of every entry, row by row.
    entries: Vec<(usize, f32)>,
}

impl Sparse {
    /// A matrix of `columns` columns from the entries of its rows.
    pub fn new(columns: usize, rows: impl IntoIterator<Item = Vec<(usize, f32)>>) -> Self {
        let (mut begins, mut entries) = (vec![0], Vec::new());
        for row in rows {
            entries.extend(row);
            begins.push(entries.len());
        }
        Self { columns, begins, entries }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.begins.len() - 1
    }

    /// The entries of row `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[(usize, f32)] {
        &self.entries[self.begins[i]..self.begins[i + 1]]
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        let mut rows = vec![Vec::new(); self.columns];
        for i in 0..self.n_rows() {
            self.row(i).iter().for_each(|&(j, weight)| rows[j].push((i, weight)));
        }
        Self::new(self.n_rows(), rows)
    }

    /// With every row divided by its sum.
    pub fn normalized(&self) -> Self {
        let row = |i: usize| {
            let sum: f32 = self.row(i).iter().map(|(_, weight)| weight).sum();
            self.row(i).iter().map(|&(j, weight)| (j, weight / sum)).collect()
        };
        Self::new(self.columns, (0..self.n_rows()).map(row))
    }

    fn dense(&self, device: &Device) -> Tensor<2> {
        let mut values = vec![0.0; self.n_rows() * self.columns];
        for i in 0..self.n_rows() {
            self.row(i).iter().for_each(|&(j, weight)| values[i * self.columns + j] += weight);
        }
        table(values, [self.n_rows(), self.columns], device)
    }
}

/// The matrices of a map, `W⁰ [m0, n0]` and `W¹ [m1, n1]`, and of its adjoint.
#[derive(Clone, Debug)]
pub struct Transfer {
    forth: [Sparse; 2],
    back: [Sparse; 2],
}

impl Transfer {
    /// The map with these matrices along the axes.
    pub fn new(axes: [Sparse; 2]) -> Self {
        Self { back: axes.each_ref().map(Sparse::transposed), forth: axes }
    }
}

/// `W⁰ z W¹ᵀ` per channel.
///
/// # Shapes
/// `z [b, k, n0, n1]` → `[b, k, m0, m1]`.
pub fn transfer(z: Tensor<4>, map: &Arc<Transfer>) -> Tensor<4> {
    if !is_supported(&z) {
        return stock(z, map);
    }
    apply(Apply { map: map.clone() }, vec![z.into_dispatch()])
}

/// `addend + W⁰ z W¹ᵀ` per channel, in one pass.
///
/// # Shapes
/// As [`transfer`]; `addend` as the output.
pub fn transfer_added(z: Tensor<4>, map: &Arc<Transfer>, addend: Tensor<4>) -> Tensor<4> {
    if !is_supported(&z) {
        return addend + stock(z, map);
    }
    apply(Apply { map: map.clone() }, vec![z.into_dispatch(), addend.into_dispatch()])
}

/// [`transfer`] by stock operations.
pub fn stock(z: Tensor<4>, map: &Transfer) -> Tensor<4> {
    let [first, last] = map.forth.each_ref().map(|axis| axis.dense(&z.device()));
    first.unsqueeze::<4>().matmul(z).matmul(last.transpose().unsqueeze())
}

#[derive(Debug)]
struct Apply {
    map: Arc<Transfer>,
}

impl Operation for Apply {
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let ([b, k, _, _], [m0, m1]) = (inputs[0].dims(), self.map.forth.each_ref().map(Sparse::n_rows));
        let mut output = match inputs.get(1) {
            Some(addend) => addend.values.to_vec(),
            None => vec![0.0; b * k * m0 * m1],
        };
        add(&self.map.forth, inputs[0].values, &mut output);
        Forward { output, shape: vec![b, k, m0, m1], saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let mut dz = vec![0.0; if pass.wanted[0] { pass.inputs[0].values.len() } else { 0 }];
        if pass.wanted[0] {
            add(&self.map.back, pass.gradient, &mut dz);
        }
        let mut all = vec![pass.wanted[0].then_some(dz)];
        if pass.inputs.len() == 2 {
            all.push(pass.wanted[1].then(|| pass.gradient.to_vec()));
        }
        all
    }
}

/// Adds `W⁰ z W¹ᵀ` to y, plane by plane.
fn add(axes: &[Sparse; 2], z: &[f32], y: &mut [f32]) {
    let [from, to] = [axes[0].columns * axes[1].columns, axes[0].n_rows() * axes[1].n_rows()];
    let isa = Isa::detect();
    let plane = |(z, y): (&[f32], &mut [f32])| simd::run(isa, Plane { axes, z, y });
    if y.len().max(z.len()) < SERIAL {
        z.chunks_exact(from).zip(y.chunks_exact_mut(to)).for_each(plane);
    } else {
        z.par_chunks_exact(from).zip(y.par_chunks_exact_mut(to)).for_each(plane);
    }
}

/// One plane: the first axis first if that makes it smaller.
struct Plane<'a> {
    axes: &'a [Sparse; 2],
    z: &'a [f32],
    y: &'a mut [f32],
}

impl Kernel for Plane<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Plane { axes: [first, last], z, y } = self;
        if first.n_rows() < first.columns {
            let mut scratch = Scratch::new(first.n_rows() * last.columns);
            let half = scratch.get();
            half.fill(0.0);
            combine_rows(first, z, last.columns, half);
            combine_columns(last, half, y);
        } else {
            let mut scratch = Scratch::new(first.columns * last.n_rows());
            let half = scratch.get();
            half.fill(0.0);
            combine_columns(last, z, half);
            combine_rows(first, half, last.n_rows(), y);
        }
    }
}

/// `y += W x` on rows of length `n`.
#[inline(always)]
fn combine_rows(of: &Sparse, x: &[f32], n: usize, y: &mut [f32]) {
    for (i, y) in y.chunks_exact_mut(n).enumerate() {
        for &(j, weight) in of.row(i) {
            for (y, x) in y.iter_mut().zip(&x[j * n..(j + 1) * n]) {
                *y += weight * x;
            }
        }
    }
}

/// `y += x Wᵀ`.
#[inline(always)]
fn combine_columns(of: &Sparse, x: &[f32], y: &mut [f32]) {
    for (x, y) in x.chunks_exact(of.columns).zip(y.chunks_exact_mut(of.n_rows())) {
        for (i, y) in y.iter_mut().enumerate() {
            for &(j, weight) in of.row(i) {
                *y += weight * x[j];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{agree, difference, numbers};

    /// Entries at places and of sizes without a pattern, one row without any.
    fn matrix(rows: usize, columns: usize, seed: u64) -> Sparse {
        let row = |i: usize| {
            let taps = numbers(i * 7 % 4, seed + i as u64).into_iter().zip(0..);
            taps.map(|(weight, tap)| ((i * 5 + 3 * tap) % columns, weight)).collect()
        };
        Sparse::new(columns, (0..rows).map(row))
    }

    fn maps() -> Vec<([usize; 4], Transfer)> {
        let shapes =
            [[1, 16, 1, 8], [1, 8, 1, 16], [9, 7, 5, 4], [5, 4, 9, 7], [70, 31, 35, 62], [1, 1, 1, 1]];
        let map = |[n0, n1, m0, m1]: [usize; 4]| Transfer::new([matrix(m0, n0, 1), matrix(m1, n1, 2)]);
        shapes.map(|shape| (shape, map(shape))).into()
    }

    #[test]
    fn both_forms_equal_stock_operations() {
        for ([n0, n1, m0, m1], map) in maps() {
            let (b, k, map) = (2, 3, Arc::new(map));
            let z = |t: &[Tensor<1>]| t[0].clone().reshape([b, k, n0, n1]);
            let addend = |t: &[Tensor<1>]| t[1].clone().reshape([b, k, m0, m1]);
            let (what, sizes) = (format!("{n0}×{n1} → {m0}×{m1}"), [b * k * n0 * n1, b * k * m0 * m1]);
            let ours = |t: &[Tensor<1>]| transfer(z(t), &map).reshape([-1]);
            agree(&what, &sizes[..1], &ours, &|t| stock(z(t), &map).reshape([-1]));
            agree(
                &format!("{what} added"),
                &sizes,
                &|t| transfer_added(z(t), &map, addend(t)).reshape([-1]),
                &|t| (addend(t) + stock(z(t), &map)).reshape([-1]),
            );
        }
    }

    #[test]
    fn every_instruction_set_agrees() {
        for ([n0, n1, m0, m1], map) in maps() {
            let z = numbers(n0 * n1, 5);
            let run = |isa| {
                let mut y = numbers(m0 * m1, 6);
                simd::run(isa, Plane { axes: &map.forth, z: &z, y: &mut y });
                y
            };
            let expected = run(Isa::Portable);
            for isa in Isa::available() {
                assert!(difference(&run(isa), &expected) < 2e-6, "{isa:?} {n0}×{n1} → {m0}×{m1}");
            }
        }
    }

    #[test]
    fn matrices_are_transposed_and_normalized() {
        let matrix = Sparse::new(3, [vec![(0, 1.0), (2, 3.0)], vec![(2, 0.5)]]);
        assert_eq!(matrix.transposed(), Sparse::new(2, [vec![(0, 1.0)], vec![], vec![(0, 3.0), (1, 0.5)]]));
        assert_eq!(matrix.normalized(), Sparse::new(3, [vec![(0, 0.25), (2, 0.75)], vec![(2, 1.0)]]));
    }
}
