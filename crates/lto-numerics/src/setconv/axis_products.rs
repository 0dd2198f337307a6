//! Sums from a (masked) grid onto a (masked) grid as one small matrix product per axis. The kernel is a
//! product of factors per axis, κ(x, c) = Π_d κ_d(x_d, c_d), also on periodic axes and with powers of the
//! displacements; a masked grid is a grid whose missing values are zero. No point is left out; where a kernel is so
//! narrow that most weights are zero, only the others are multiplied.

use super::axis_weights::{PowerTables, Total};
use super::moments::{Moments, Term};
use crate::domain::Axis;
use crate::grid::Grid;
use crate::kernel::Real;
use crate::matrix::{Matrix, multiply_in_pieces};
use crate::points::{PointStructure, Points};
use pulp::Arch;
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows of one matrix product; more rows are split among threads.
const ROWS: usize = 32;
/// Multiplications that make a product worth splitting.
const SHARED: usize = 1 << 22;
/// Longest sum in one product. Longer sums are added up in pieces, which rounds less.
const LONGEST: usize = super::separable::CHUNK;

/// Weights are kept as bands if at most one in this many of a row differs from zero.
const NARROW: usize = 8;

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

/// The axis that shrinks most comes first, which makes the rest cheapest.
fn axis_order(from: &Grid, to: &Grid) -> Vec<usize> {
    let growth = |&d: &usize| to.shape()[d] as f64 / from.shape()[d] as f64;
    let mut order: Vec<usize> = (0..from.dim()).collect();
    order.sort_by(|a, b| growth(a).total_cmp(&growth(b)));
    order
}

/// The kernel weights between two grids, axis by axis; they do not depend on the values.
pub(super) struct GridWeights<'a, T> {
    from: &'a Grid,
    to: &'a Grid,
    order: Vec<usize>,
    axes: Vec<AxisTables<T>>,
    /// Per axis and power: the sums of the rows.
    totals: Vec<[Vec<f64>; 3]>,
}

/// The weights along one axis, for each power of the displacement.
struct AxisTables<T> {
    tables: PowerTables<T>,
    /// Columns of a table.
    columns: usize,
    /// Where each row of a band begins; it goes on past the last point with the first. Empty if the tables hold all columns.
    begins: Vec<usize>,
}

impl<T: Real> AxisTables<T> {
    fn new(axis: &Axis, x: &[f64], c: &[f64], length_scale: f64, wanted: [bool; 3]) -> Self {
        let mut tables = PowerTables::new();
        match band::<T>(axis, x, c, length_scale) {
            Some((begins, columns)) => {
                tables.fill_bands(axis, x, c, (&begins, columns), length_scale, wanted);
                Self { tables, columns, begins }
            }
            None => {
                tables.fill(axis, x, c, length_scale, wanted);
                Self { tables, columns: c.len(), begins: Vec::new() }
            }
        }
    }
}

/// Where the columns begin whose weights for each row are not zero, and the largest number of them; `None` if that is not small.
fn band<T: Real>(axis: &Axis, x: &[f64], c: &[f64], length_scale: f64) -> Option<(Vec<usize>, usize)> {
    let (n, most) = (c.len(), LONGEST.min(c.len() / NARROW));
    let reach = length_scale * (-2.0 * T::CUT_OFF).sqrt();
    let row = |x: &f64| {
        let near = |column: usize| axis.displacement(c[column % n], *x).abs() <= reach;
        let next = c.partition_point(|c| c < x);
        // Columns before and from `next` on; around a periodic axis as far as need be.
        let (before, after) = if axis.periodic { (n, n) } else { (next, n - next) };
        let before = (1..=before.min(most + 1)).take_while(|k| near(next + n - k)).count();
        let after = (0..after.min(most + 1)).take_while(|k| near(next + k)).count();
        (before + after <= most).then_some((next + n - before, before + after))
    };
    let rows: Vec<(usize, usize)> = x.iter().map(row).collect::<Option<_>>()?;
    let columns = rows.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    // An open axis has nothing past its last point.
    let begin = |begin: usize| if axis.periodic { begin % n } else { (begin - n).min(n - columns) };
    Some((rows.iter().map(|(first, _)| begin(*first)).collect(), columns)).filter(|_| columns <= most)
}

impl<'a, T: Real> GridWeights<'a, T> {
    /// For the `wanted` powers of the displacement along each axis.
    pub fn new(from: &'a Grid, to: &'a Grid, length_scale: f64, wanted: impl Fn(usize) -> [bool; 3]) -> Self {
        let axis = |d: usize| {
            let axis = &from.domain().axes()[d];
            AxisTables::new(axis, to.coordinates(d), from.coordinates(d), length_scale, wanted(d))
        };
        let axes: Vec<AxisTables<T>> = (0..from.dim()).map(axis).collect();
        let total = |row: &[T]| Arch::new().dispatch(Total(row));
        let of = |axis: &AxisTables<T>, power| {
            axis.tables.of(power).chunks_exact(axis.columns).map(total).collect()
        };
        let totals = axes.iter().map(|axis| [0, 1, 2].map(|power| of(axis, power))).collect();
        Self { from, to, order: axis_order(from, to), totals, axes }
    }

    /// The sums `[term, grid point]` on the whole query grid.
    pub fn sums(&self, moments: &Moments) -> Vec<T> {
        let whole = matches!(moments.context.structure(), PointStructure::Grid(_));
        // Terms with the same values share their first product.
        let mut groups: Vec<(Option<usize>, usize, Vec<usize>)> = Vec::new();
        let mut sums = vec![T::default(); moments.terms.len() * self.to.len()];
        for (index, (term, sums)) in
            moments.terms.iter().zip(sums.chunks_exact_mut(self.to.len())).enumerate()
        {
            let (channel, power) = (term.channel, term.powers[self.order[0]]);
            if channel.is_none() && whole {
                self.write_moment(term, sums);
            } else if let Some(group) = groups.iter_mut().find(|group| (group.0, group.1) == (channel, power))
            {
                group.2.push(index);
            } else {
                groups.push((channel, power, vec![index]));
            }
        }
        let of_group = |members: &[usize]| self.of_group(moments, members);
        let made: Vec<_> = groups.par_iter().map(|(_, _, members)| of_group(members)).collect();
        for ((_, _, members), made) in groups.iter().zip(made) {
            for (index, made) in members.iter().zip(made) {
                sums[index * made.len()..][..made.len()].copy_from_slice(&made);
            }
        }
        sums
    }

    /// The sums over a whole grid of ones: a product over the axes.
    fn write_moment(&self, term: &Term, out: &mut [T]) {
        let along = |d: usize| &self.totals[d][term.powers[d]];
        let (mut products, last) = (vec![1.0], self.axes.len() - 1);
        for d in 0..last {
            products = products.iter().flat_map(|a| along(d).iter().map(move |b| a * b)).collect();
        }
        let along = along(last);
        for (out, a) in out.chunks_exact_mut(along.len()).zip(products) {
            out.iter_mut().zip(along).for_each(|(out, b)| *out = T::from_f64(a * b));
        }
    }

    /// The sums of terms that share the first product.
    fn of_group(&self, moments: &Moments, members: &[usize]) -> Vec<Vec<T>> {
        let of = |index: usize| &moments.terms[index];
        let (first, mut shape) = (self.order[0], self.from.shape());
        let values = on_grid(moments.context, moments.values_of(of(members[0])), self.from.len());
        let shared = self.contract(&values, &mut shape, first, of(members[0]));
        let finish = |&index: &usize| {
            let (mut shape, mut tensor) = (shape.clone(), Cow::Borrowed(&shared));
            for &d in &self.order[1..] {
                tensor = Cow::Owned(self.contract(&tensor, &mut shape, d, of(index)));
            }
            tensor.into_owned()
        };
        members.iter().map(finish).collect()
    }

    /// Replaces axis `d` of a row-major tensor of the given shape by its product with the weights of a term.
    fn contract(&self, tensor: &[T], shape: &mut [usize], d: usize, term: &Term) -> Vec<T> {
        let axis = &self.axes[d];
        let weights = axis.tables.of(term.powers[d]);
        let (n, inner, rows) = (shape[d], shape[d + 1..].iter().product::<usize>(), self.to.shape()[d]);
        shape[d] = rows;
        let outer = tensor.len() / (n * inner);
        let mut out = vec![T::default(); outer * rows * inner];
        if !axis.begins.is_empty() {
            for (out, slab) in out.chunks_exact_mut(rows * inner).zip(tensor.chunks_exact(n * inner)) {
                banded(weights, axis, slab, out);
            }
            return out;
        }
        let shared = outer * rows * inner * n >= SHARED;
        if inner == 1 {
            let multiply = |(out, block): (&mut [T], &[T])| {
                let weights = Matrix::new(weights, rows, n).transposed();
                multiply_in_pieces(Matrix::new(block, block.len() / n, n), weights, out, LONGEST);
            };
            if shared {
                out.par_chunks_mut(ROWS * rows).zip(tensor.par_chunks(ROWS * n)).for_each(multiply);
            } else {
                multiply((&mut out, tensor));
            }
            return out;
        }
        let slab = |(out, slab): (&mut [T], &[T])| {
            let multiply = |(out, weights): (&mut [T], &[T])| {
                let weights = Matrix::new(weights, weights.len() / n, n);
                multiply_in_pieces(weights, Matrix::new(slab, n, inner), out, LONGEST);
            };
            if shared {
                out.par_chunks_mut(ROWS * inner).zip(weights.par_chunks(ROWS * n)).for_each(multiply);
            } else {
                multiply((out, weights));
            }
        };
        if shared {
            out.par_chunks_mut(rows * inner).zip(tensor.par_chunks(n * inner)).for_each(slab);
        } else {
            out.chunks_mut(rows * inner).zip(tensor.chunks(n * inner)).for_each(slab);
        }
        out
    }
}

/// `out [rows, inner] = weights [rows, n] slab [n, inner]`, with the few weights of each row.
fn banded<T: Real>(weights: &[T], axis: &AxisTables<T>, slab: &[T], out: &mut [T]) {
    let inner = out.len() / axis.begins.len();
    let n = slab.len() / inner;
    let rows = weights.chunks_exact(axis.columns).zip(&axis.begins).zip(out.chunks_exact_mut(inner));
    for ((weights, begin), out) in rows {
        let before_the_end = axis.columns.min(n - begin);
        let places = (*begin..begin + before_the_end).chain(0..axis.columns - before_the_end);
        for (weight, j) in weights.iter().zip(places) {
            let values = &slab[j * inner..][..inner];
            out.iter_mut().zip(values).for_each(|(out, value)| *out += *weight * *value);
        }
    }
}

/// Values (or ones) on the whole grid, zero where there is no point.
fn on_grid<T: Real>(points: &Points, values: Option<&[f64]>, n: usize) -> Vec<T> {
    let value = |place: usize| values.map_or(T::ONE, |values| T::from_f64(values[place]));
    match points.structure() {
        PointStructure::Masked { indices, .. } => {
            let mut all = vec![T::default(); n];
            indices.iter().enumerate().for_each(|(place, &index)| all[index] = value(place));
            all
        }
        _ => (0..n).map(value).collect(),
    }
}
