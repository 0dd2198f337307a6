//! Gaussian weights along one axis. The kernel factorizes over the axes, so a set convolution or an
//! interpolation on a grid needs only these small matrices, never points × grid.

use crate::domain::Axis;
use crate::kernel::Real;
use crate::kernel::exp::{multiply_add, round};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Entries that justify a second thread.
const PARALLEL: usize = 1 << 15;
/// Partial sums of a row. Fixed, so that the result does not depend on the vector width.
const LANES: usize = 16;

/// ℓ, and whether slopes in log ℓ are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// ℓ.
    pub length: f64,
    /// Whether slopes are wanted: in training, not in prediction.
    pub slope: bool,
}

/// Weights `W` of rows against columns along one axis, and `∂W/∂log ℓ`.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisWeights<T> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// `W`, row-major.
    pub weights: Vec<T>,
    /// `∂W/∂log ℓ`, row-major; empty if not wanted.
    pub derivative: Vec<T>,
}

impl<T: Real> AxisWeights<T> {
    /// `W[i, j] = κ(x_i, y_j) / Σ_k κ(x_i, y_k)`: rows that sum to one. Weights are relative to the nearest
    /// column, so no row vanishes, however far away it is.
    pub fn normalized(axis: &Axis, x: &[f64], y: &[f64], scale: Scale) -> Self {
        let (size, columns) = (x.len() * y.len(), y.len());
        let mut weights = vec![T::default(); size];
        let mut derivative = vec![T::default(); if scale.slope { size } else { 0 }];
        let (ways, inverse_square) = (Ways::new(axis), scale.length.powi(-2));
        let row = |squares: &mut Vec<f64>, x: f64, weights: &mut [T], derivative: &mut [T]| {
            squares.resize(columns, 0.0);
            if scale.slope {
                // In double precision: the slope is a small difference of large sums.
                let mut exact = vec![0.0; columns];
                Arch::new().dispatch(Row { ways, inverse_square, x, y, squares, weights: &mut exact });
                Arch::new().dispatch(Slope { squares, exact: &exact, weights, derivative });
            } else {
                Arch::new().dispatch(Row { ways, inverse_square, x, y, squares, weights });
            }
        };
        if columns > 0 && size < PARALLEL {
            let mut squares = Vec::new();
            let mut slopes = derivative.chunks_mut(columns);
            for (weights, &x) in weights.chunks_mut(columns).zip(x) {
                row(&mut squares, x, weights, slopes.next().unwrap_or_default());
            }
        } else if columns > 0 {
            let mut slopes: Vec<&mut [T]> = derivative.chunks_mut(columns).collect();
            slopes.resize_with(x.len(), Default::default);
            let rows = weights.par_chunks_mut(columns).zip(slopes).zip(x);
            rows.for_each_init(Vec::new, |squares, ((weights, slope), &x)| row(squares, x, weights, slope));
        }
        Self { rows: x.len(), columns, weights, derivative }
    }

    /// All ones: the missing axis of a one-dimensional state.
    pub fn ones(rows: usize, columns: usize) -> Self {
        let n = rows * columns;
        Self { rows, columns, weights: vec![T::ONE; n], derivative: vec![T::default(); n] }
    }
}

/// Shortest displacements along an axis.
#[derive(Clone, Copy)]
pub(super) struct Ways {
    /// Length of a periodic axis, and its inverse; zero on other axes.
    period: (f64, f64),
    /// Distance of one unit of the coordinate.
    scale: f64,
}

impl Ways {
    pub fn new(axis: &Axis) -> Self {
        let period = if axis.periodic { (axis.length(), axis.length().recip()) } else { (0.0, 0.0) };
        Self { period, scale: axis.scale }
    }

    /// The displacement from x to y.
    #[inline(always)]
    pub fn between<S: Simd>(self, x: f64, y: f64) -> f64 {
        let (period, inverse) = self.period;
        self.scale * multiply_add::<S>(-period, round((y - x) * inverse), y - x)
    }
}

/// A row of normalized weights, and the squared distances over ℓ² in excess of the smallest.
struct Row<'a, T> {
    ways: Ways,
    /// 1/ℓ².
    inverse_square: f64,
    x: f64,
    y: &'a [f64],
    squares: &'a mut [f64],
    weights: &'a mut [T],
}

impl<T: Real> WithSimd for Row<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { ways, inverse_square, x, y, squares, weights } = self;
        for (square, &y) in squares.iter_mut().zip(y) {
            let way = ways.between::<S>(x, y);
            *square = way * way * inverse_square;
        }
        let smaller = |a, b| if b < a { b } else { a };
        let least = fold(squares, f64::INFINITY, smaller, smaller);
        squares.iter_mut().for_each(|square| *square -= least);
        weights.iter_mut().zip(&*squares).for_each(|(weight, square)| *weight = T::exp::<S>(-0.5 * square));
        let inverse = T::ONE / fold(weights, T::default(), |a, b| a + b, |a, b| a + b);
        weights.iter_mut().for_each(|weight| *weight *= inverse);
    }
}

/// `∂w/∂log ℓ = w (s − Σ w s)` for normalized weights w and squares s, rounded with the weights.
struct Slope<'a, T> {
    squares: &'a [f64],
    exact: &'a [f64],
    weights: &'a mut [T],
    derivative: &'a mut [T],
}

impl<T: Real> WithSimd for Slope<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { squares, exact, weights, derivative } = self;
        let mut partial = [0.0; LANES];
        for (exact, squares) in exact.chunks(LANES).zip(squares.chunks(LANES)) {
            for ((sum, w), s) in partial.iter_mut().zip(exact).zip(squares) {
                *sum = multiply_add::<S>(*w, *s, *sum);
            }
        }
        let mean: f64 = partial.into_iter().sum();
        for (((weight, derivative), w), s) in weights.iter_mut().zip(derivative).zip(exact).zip(squares) {
            *weight = T::from_f64(*w);
            *derivative = T::from_f64(w * (s - mean));
        }
    }
}

/// Folds a row in lanes, then joins these by halves: a fixed order, so that the result is always the same.
#[inline(always)]
fn fold<T: Copy, U: Copy>(of: &[T], start: U, fold: impl Fn(U, T) -> U, join: impl Fn(U, U) -> U) -> U {
    let mut partial = [start; LANES];
    let (whole, rest) = of.as_chunks::<LANES>();
    for chunk in whole {
        for lane in 0..LANES {
            partial[lane] = fold(partial[lane], chunk[lane]);
        }
    }
    partial.iter_mut().zip(rest).for_each(|(partial, v)| *partial = fold(*partial, *v));
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            partial[lane] = join(partial[lane], partial[lane + half]);
        }
    }
    partial[0]
}

/// Weights times powers of the displacement, `κ(x_i, c_j) δ_ij^k`, `[x, c]` for each wanted power k.
pub(super) struct PowerTables<T> {
    /// One table per power, empty if not wanted.
    tables: [Vec<T>; 3],
}

impl<T: Real> PowerTables<T> {
    /// No tables yet.
    pub fn new() -> Self {
        Self { tables: [Vec::new(), Vec::new(), Vec::new()] }
    }

    /// Fills the tables of the `wanted` powers; power 0 always is.
    pub fn fill(&mut self, axis: &Axis, x: &[f64], c: &[f64], length_scale: f64, wanted: [bool; 3]) {
        self.fill_rows(axis, x, c.len(), length_scale, wanted, |_| c);
    }

    /// As [`fill`](Self::fill), with few columns of each row: as many as given, from the given one on, around the end.
    pub fn fill_bands(
        &mut self,
        axis: &Axis,
        x: &[f64],
        c: &[f64],
        (begins, columns): (&[usize], usize),
        length_scale: f64,
        wanted: [bool; 3],
    ) {
        // Twice around, so that every band is one stretch.
        let around: Vec<f64> = c.iter().chain(c).copied().collect();
        let part = |row: usize| &around[begins[row]..][..columns];
        self.fill_rows(axis, x, columns, length_scale, wanted, part);
    }

    /// Fills tables of so many columns, whose places `c` gives for each row.
    fn fill_rows<'a>(
        &mut self,
        axis: &Axis,
        x: &[f64],
        columns: usize,
        length_scale: f64,
        wanted: [bool; 3],
        c: impl Fn(usize) -> &'a [f64] + Sync,
    ) {
        let ways = Ways::new(axis);
        let rate = 0.5 / (length_scale * length_scale);
        let [weights, first, second] = &mut self.tables;
        weights.resize(x.len() * columns, T::default());
        each_row(weights, x, columns, |out, row, x| {
            Arch::new().dispatch(WeightRow { ways, x, c: c(row), rate, out });
        });
        for (power, table) in [(1, first), (2, second)] {
            table.resize(if wanted[power] { weights.len() } else { 0 }, T::default());
            each_row(table, x, columns, |out, row, x| {
                let weights = &weights[row * columns..][..columns];
                Arch::new().dispatch(PowerRow { ways, x, c: c(row), weights, square: power == 2, out });
            });
        }
    }

    /// `κ δ^power`.
    pub fn of(&self, power: usize) -> &[T] {
        &self.tables[power]
    }
}

/// Calls `make` with the index and `x` of every row of a table.
fn each_row<T: Real>(table: &mut [T], x: &[f64], columns: usize, make: impl Fn(&mut [T], usize, f64) + Sync) {
    if table.len() < PARALLEL {
        let rows = table.chunks_exact_mut(columns.max(1)).zip(x).enumerate();
        rows.for_each(|(row, (out, &x))| make(out, row, x));
    } else {
        let rows = table.par_chunks_exact_mut(columns).zip(x).enumerate();
        rows.for_each(|(row, (out, &x))| make(out, row, x));
    }
}

struct WeightRow<'a, T> {
    ways: Ways,
    x: f64,
    c: &'a [f64],
    /// 1/(2ℓ²).
    rate: f64,
    out: &'a mut [T],
}

impl<T: Real> WithSimd for WeightRow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (weight, &c) in self.out.iter_mut().zip(self.c) {
            let way = self.ways.between::<S>(self.x, c);
            *weight = T::exp::<S>(-self.rate * (way * way));
        }
    }
}

struct PowerRow<'a, T> {
    ways: Ways,
    x: f64,
    c: &'a [f64],
    weights: &'a [T],
    /// The second power, else the first.
    square: bool,
    out: &'a mut [T],
}

impl<T: Real> WithSimd for PowerRow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((out, weight), &c) in self.out.iter_mut().zip(self.weights).zip(self.c) {
            let way = self.ways.between::<S>(self.x, c);
            *out = *weight * T::from_f64(if self.square { way * way } else { way });
        }
    }
}

/// The sum of a row, in double precision.
pub(super) struct Total<'a, T>(pub &'a [T]);

impl<T: Real> WithSimd for Total<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        fold(self.0, 0.0, |sum, w| sum + w.to_f64(), |a, b| a + b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(periodic: bool) -> Axis {
        Axis::new("x", -1.0, 1.0, periodic)
    }

    /// Against the formulas, periodic or not, narrow and wide, in both precisions, with and without slopes.
    #[test]
    fn normalized_rows_match_the_formulas() {
        for (periodic, length) in [(true, 0.13), (true, 0.004), (false, 0.13), (false, 2.0)] {
            let axis = axis(periodic);
            let y: Vec<f64> = (0..45).map(|i| -1.0 + 2.0 * f64::from(i) / 45.0).collect();
            let x = 0.93;
            let at = |slope| Scale { length, slope };
            let [double, single] = [true, false].map(|slope| {
                (
                    AxisWeights::<f64>::normalized(&axis, &[x], &y, at(slope)),
                    AxisWeights::<f32>::normalized(&axis, &[x], &y, at(slope)),
                )
            });
            let squares: Vec<f64> = y.iter().map(|y| (axis.displacement(*y, x) / length).powi(2)).collect();
            let least = squares.iter().copied().fold(f64::INFINITY, f64::min);
            let raw: Vec<f64> = squares.iter().map(|s| (0.5 * (least - s)).exp()).collect();
            let total: f64 = raw.iter().sum();
            let mean: f64 = raw.iter().zip(&squares).map(|(w, s)| w * s).sum::<f64>() / total;
            for j in 0..45 {
                let weight = raw[j] / total;
                let slope = weight * (squares[j] - mean);
                for found in [double.0.weights[j], single.0.weights[j]] {
                    assert!((found - weight).abs() <= 1e-13 * weight + 1e-300, "{j} {found} {weight}");
                }
                for found in [double.1.weights[j], single.1.weights[j]] {
                    assert!(
                        (f64::from(found) - weight).abs() <= 1e-6 * weight + 1e-18,
                        "{j} {found} {weight}"
                    );
                }
                assert!((double.0.derivative[j] - slope).abs() < 1e-12 * mean.max(1.0), "{j}");
                assert!((f64::from(double.1.derivative[j]) - slope).abs() < 2e-7 * mean.max(1.0), "{j}");
                assert!(single.0.derivative.is_empty() && single.1.derivative.is_empty());
            }
        }
    }

    #[test]
    fn slopes_match_differences_and_a_far_column_is_not_lost() {
        let (x, y): (Vec<f64>, Vec<f64>) =
            ((0..5).map(|i| 0.17 * f64::from(i)).collect(), (0..7).map(|i| f64::from(i) / 7.0).collect());
        let (ell, h) = (0.13f64, 1e-4f64);
        let at = |length| AxisWeights::<f64>::normalized(&axis(true), &x, &y, Scale { length, slope: true });
        let (up, down, at) = (at(ell * h.exp()), at(ell * (-h).exp()), at(ell));
        for i in 0..at.weights.len() {
            let difference = (up.weights[i] - down.weights[i]) / (2.0 * h);
            assert!((difference - at.derivative[i]).abs() < 1e-6, "{i}: {difference}");
        }
        let far = Scale { length: 1e-3, slope: false };
        assert_eq!(AxisWeights::<f32>::normalized(&axis(true), &[0.5], &[0.0], far).weights, [1.0]);
    }
}
