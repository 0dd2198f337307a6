//! Sums from a (masked) grid onto a (masked) grid as one small matrix product per axis. The kernel is a
//! product of factors per axis, κ(x, c) = Π_d κ_d(x_d, c_d), also on periodic axes and with powers of the
//! displacements; a masked grid is a grid whose missing values are zero. No point is left out; where a kernel is so
//! narrow that most weights are zero, only the others are multiplied.

use super::axis_weights::{PowerTables, Total};
use super::moments::{Moments, Term};
use crate::grid::Grid;
use crate::kernel::Real;
use crate::matrix::{Matrix, multiply_in_pieces};
use crate::points::{PointStructure, Points};
use pulp::Arch;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Rows of one matrix product; more rows are split among threads.
const ROWS: usize = 32;
/// Multiplications that make a product worth splitting.
const SHARED: usize = 1 << 22;
/// Longest sum in one product. Longer sums are added up in pieces, which rounds less.
const LONGEST: usize = super::separable::CHUNK;

/// A product is banded if at most one in this many of its weights differs from zero.
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
    axes: Vec<PowerTables<T>>,
    /// Per axis: where the weights of each row are not zero, if that is in few places.
    bands: Vec<Option<Vec<Band>>>,
    /// Per axis and power: the sums of the rows.
    totals: Vec<[Vec<f64>; 3]>,
}

/// The columns of a row whose weights are not zero: one range, or two around the ends of a periodic axis.
type Band = [Range<usize>; 2];

fn band<T: Real>(row: &[T]) -> Band {
    let counts = |w: &T| *w != T::default();
    let (Some(first), Some(last)) = (row.iter().position(counts), row.iter().rposition(counts)) else {
        return [0..0, 0..0];
    };
    if first == 0
        && last + 1 == row.len()
        && let Some(gap) = row.iter().position(|w| !counts(w))
    {
        let end = row.iter().rposition(|w| !counts(w)).map_or(gap, |i| i + 1);
        return [0..gap, end..row.len()];
    }
    [first..last + 1, 0..0]
}

impl<'a, T: Real> GridWeights<'a, T> {
    /// For the `wanted` powers of the displacement along each axis.
    pub fn new(from: &'a Grid, to: &'a Grid, length_scale: f64, wanted: impl Fn(usize) -> [bool; 3]) -> Self {
        let axis = |d: usize| {
            let mut tables = PowerTables::new();
            let axis = &from.domain().axes()[d];
            tables.fill(axis, to.coordinates(d), from.coordinates(d), length_scale, wanted(d));
            tables
        };
        let axes: Vec<PowerTables<T>> = (0..from.dim()).map(axis).collect();
        let rows = |d: usize, power: usize| axes[d].of(power).chunks_exact(from.coordinates(d).len());
        let bands: Vec<Option<Vec<Band>>> = (0..from.dim())
            .map(|d| {
                let most = LONGEST.min(from.coordinates(d).len() / NARROW);
                // The first row that is too wide ends the search.
                rows(d, 0).map(|row| Some(band(row)).filter(|[a, b]| a.len() + b.len() <= most)).collect()
            })
            .collect();
        let total = |row: &[T], band: Option<&Band>| -> f64 {
            let whole = [0..row.len(), 0..0];
            let sum = |range: &Range<usize>| Arch::new().dispatch(Total(&row[range.clone()]));
            band.unwrap_or(&whole).iter().map(sum).sum()
        };
        let totals = (0..from.dim()).map(|d| {
            [0, 1, 2].map(|power| {
                let band = |i: usize| bands[d].as_ref().map(|bands| &bands[i]);
                rows(d, power).enumerate().map(|(i, row)| total(row, band(i))).collect()
            })
        });
        Self { from, to, order: axis_order(from, to), totals: totals.collect(), bands, axes }
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
        let weights = self.axes[d].of(term.powers[d]);
        let (n, inner, rows) = (shape[d], shape[d + 1..].iter().product::<usize>(), self.to.shape()[d]);
        shape[d] = rows;
        let outer = tensor.len() / (n * inner);
        let mut out = vec![T::default(); outer * rows * inner];
        if let Some(bands) = &self.bands[d] {
            for (out, slab) in out.chunks_exact_mut(rows * inner).zip(tensor.chunks_exact(n * inner)) {
                banded(weights, bands, slab, out);
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

/// `out [rows, inner] = weights [rows, n] slab [n, inner]`, where each row has few weights.
fn banded<T: Real>(weights: &[T], bands: &[Band], slab: &[T], out: &mut [T]) {
    let (n, inner) = (weights.len() / bands.len(), out.len() / bands.len());
    let rows = weights.chunks_exact(n).zip(bands).zip(out.chunks_exact_mut(inner));
    for ((weights, band), out) in rows {
        for j in band.iter().cloned().flatten() {
            let (weight, values) = (weights[j], &slab[j * inner..][..inner]);
            out.iter_mut().zip(values).for_each(|(out, value)| *out += weight * *value);
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
