//! Sums from a (masked) grid onto a (masked) grid as one small matrix product per axis. The kernel is a product of
//! factors per axis, κ(x, c) = Π_d κ_d(x_d, c_d), also on periodic axes and with powers of the displacements; a
//! masked grid is a grid whose missing values are zero. Nothing is truncated.

use super::moments::{Moments, Term};
use crate::domain::Axis;
use crate::grid::Grid;
use crate::kernel::Gaussian;
use crate::points::PointStructure;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows of one matrix product; more rows are shared out among threads.
const ROWS: usize = 32;

/// Number of multiplications for one term.
pub(super) fn cost(from: &Grid, to: &Grid) -> f64 {
    let mut shape = from.shape();
    let mut total = 0.0;
    for d in axis_order(from, to) {
        total += shape.iter().product::<usize>() as f64 * to.shape()[d] as f64;
        shape[d] = to.shape()[d];
    }
    total
}

/// The axis that shrinks most comes first: what follows is then cheapest.
fn axis_order(from: &Grid, to: &Grid) -> Vec<usize> {
    let growth = |&d: &usize| to.shape()[d] as f64 / from.shape()[d] as f64;
    let mut order: Vec<usize> = (0..from.dim()).collect();
    order.sort_by(|a, b| growth(a).total_cmp(&growth(b)));
    order
}

/// The sums `[term, query point]`.
pub(super) fn sums(moments: &Moments, from: &Grid, to: &Grid) -> Vec<f64> {
    let max_power = |d: usize| moments.terms.iter().map(|t| t.powers[d]).max().unwrap_or(0);
    let axes = from.domain().axes();
    let weights: Vec<Vec<Vec<f64>>> = (0..from.dim())
        .map(|d| {
            let (x, c) = (to.coordinates(d), from.coordinates(d));
            (0..=max_power(d)).map(|power| axis_weights(&moments.kernel, &axes[d], x, c, power)).collect()
        })
        .collect();
    let order = axis_order(from, to);
    let of_term = |term: &Term| {
        let mut shape = from.shape();
        let mut tensor = on_grid(moments, term, from.len());
        for &d in &order {
            let rows = to.shape()[d];
            tensor = contract(&tensor, &shape, d, &weights[d][term.powers[d]], rows);
            shape[d] = rows;
        }
        match moments.query.structure() {
            PointStructure::Masked { indices, .. } => indices.iter().map(|&i| tensor[i]).collect(),
            _ => tensor,
        }
    };
    moments.terms.par_iter().map(of_term).collect::<Vec<_>>().concat()
}

/// `κ_d(x_i, c_j) δ^power`, row-major `[x, c]`.
fn axis_weights(kernel: &Gaussian, axis: &Axis, x: &[f64], c: &[f64], power: usize) -> Vec<f64> {
    let weight = |x: f64, c: f64| {
        let delta = axis.displacement(x, c);
        kernel.value(delta * delta) * delta.powi(power as i32)
    };
    x.iter().flat_map(|&x| c.iter().map(move |&c| weight(x, c))).collect()
}

/// The values of a term on the whole grid, zero where there is no point.
fn on_grid(moments: &Moments, term: &Term, n: usize) -> Vec<f64> {
    let values = moments.values_of(term);
    match moments.context.structure() {
        PointStructure::Masked { indices, .. } => {
            let mut all = vec![0.0; n];
            for (place, &index) in indices.iter().enumerate() {
                all[index] = values.map_or(1.0, |v| v[place]);
            }
            all
        }
        _ => values.map_or_else(|| vec![1.0; n], <[f64]>::to_vec),
    }
}

/// Replaces axis `d` of a row-major tensor by its product with `weights` `[rows, shape[d]]`.
fn contract(tensor: &[f64], shape: &[usize], d: usize, weights: &[f64], rows: usize) -> Vec<f64> {
    let (n, inner) = (shape[d], shape[d + 1..].iter().product::<usize>());
    let outer = tensor.len() / (n * inner);
    let mut out = vec![0.0; outer * rows * inner];
    let multiply = |out: &mut [f64], shape: (usize, usize), a: MatRef<f64>, b: MatRef<f64>| {
        let out = MatMut::from_row_major_slice_mut(out, shape.0, shape.1);
        matmul(out, Accum::Replace, a, b, 1.0, Par::Seq);
    };
    if inner == 1 {
        let weights = MatRef::from_row_major_slice(weights, rows, n);
        out.par_chunks_mut(ROWS * rows).zip(tensor.par_chunks(ROWS * n)).for_each(|(out, block)| {
            let height = block.len() / n;
            multiply(
                out,
                (height, rows),
                MatRef::from_row_major_slice(block, height, n),
                weights.transpose(),
            );
        });
        return out;
    }
    out.par_chunks_mut(rows * inner).zip(tensor.par_chunks(n * inner)).for_each(|(out, slab)| {
        let slab = MatRef::from_row_major_slice(slab, n, inner);
        out.par_chunks_mut(ROWS * inner).zip(weights.par_chunks(ROWS * n)).for_each(|(out, weights)| {
            let height = weights.len() / n;
            multiply(out, (height, inner), MatRef::from_row_major_slice(weights, height, n), slab);
        });
    });
    out
}
