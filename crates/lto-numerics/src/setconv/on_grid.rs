//! Density and signals of many contexts on one grid, in either precision, with their slopes in log ℓ: what an
//! encoder computes.

use super::axis_products::{self, GridWeights};
use super::moments::{Moments, Term, grid_of};
use super::separable::{self, CHUNK, Cloud};
use super::{SetConv, TRUNCATION, tiles};
use crate::grid::Grid;
use crate::kernel::Real;
use crate::kernel::exp::SINGLE_WEIGHT;
use crate::points::{PointStructure, Points};
use rayon::prelude::*;

/// Channels of b contexts at the M points of a grid, `[b, 1 + p, M]`: the density ρ, then the signals û.
#[derive(Clone, Debug, PartialEq)]
pub struct GridChannels<T> {
    /// Densities and signals.
    pub values: Vec<T>,
    /// `∂ values / ∂log ℓ`; empty if not wanted.
    pub slopes: Vec<T>,
}

impl SetConv {
    /// Density and signals of every context (points with values `[p, N]`) on a grid, and their slopes in log
    /// ℓ if wanted. In double precision the result is that of [`SetConv::apply`], except that points are
    /// summed in the order given where that is faster; in single precision the signals are off by at most
    /// [`SetConv::single_precision_error`].
    ///
    /// # Panics
    /// Contexts with different numbers of channels, with values that do not fit their points, or in another
    /// domain.
    pub fn on_grid<T: Real>(
        &self,
        contexts: &[(&Points, &[f64])],
        grid: &Grid,
        slope: bool,
    ) -> GridChannels<T> {
        let Some(n_channels) = contexts.first().map(|(points, values)| values.len() / points.len()) else {
            return GridChannels { values: Vec::new(), slopes: Vec::new() };
        };
        let query = Points::grid(grid.clone());
        let terms = match slope {
            true => Term::channels_with_slopes(grid.dim(), n_channels),
            false => Term::channels(n_channels),
        };
        // Squared displacements give far points more weight than they have in the density.
        let truncation = if slope { 1e-3 * TRUNCATION } else { TRUNCATION };
        let moments: Vec<Moments> = contexts
            .iter()
            .map(|&(context, values)| {
                assert_eq!(values.len(), n_channels * context.len(), "values of a context");
                assert!(context.domain().same_place(grid.domain()), "a context in another domain");
                Moments { kernel: self.kernel, context, values, query: &query, terms: &terms, truncation }
            })
            .collect();
        // Most of a batch observes the same grid, whose weights are computed once.
        let mut weights: Vec<(&Grid, GridWeights<T>)> = Vec::new();
        for moments in &moments {
            if let Some(from) = products_from(moments, grid)
                && !weights.iter().any(|(known, _)| *known == from)
            {
                weights.push((from, moments.weights(from, grid)));
            }
        }
        let size = (1 + n_channels) * grid.len();
        let mut values = vec![T::default(); moments.len() * size];
        let mut slopes = vec![T::default(); if slope { values.len() } else { 0 }];
        let mut each: Vec<&mut [T]> = slopes.chunks_mut(size).collect();
        each.resize_with(moments.len(), Default::default);
        values.par_chunks_mut(size).zip(each).zip(&moments).for_each(|((values, slopes), moments)| {
            let known = products_from(moments, grid);
            let sums = match weights.iter().find(|(from, _)| Some(*from) == known) {
                Some((_, weights)) => weights.sums(moments),
                None => scattered(moments, grid),
            };
            self.channels(&sums, grid, values, slopes);
        });
        GridChannels { values, slopes }
    }

    /// Channels `[1 + p, M]` from the sums of [`Term::channels`] or [`Term::channels_with_slopes`].
    fn channels<T: Real>(&self, sums: &[T], grid: &Grid, values: &mut [T], slopes: &mut [T]) {
        let (n, stride) = (grid.len(), sums.len() / values.len());
        for (sums, values) in sums.chunks_exact(stride * n).zip(values.chunks_exact_mut(n)) {
            values.copy_from_slice(&sums[..n]);
        }
        let scale = T::from_f64(self.kernel.length_scale().powi(-2));
        for (sums, slopes) in sums.chunks_exact(stride * n).zip(slopes.chunks_exact_mut(n)) {
            for (i, slope) in slopes.iter_mut().enumerate() {
                *slope = scale * sums[n..].chunks_exact(n).map(|moment| moment[i]).sum::<T>();
            }
        }
        // û = ν/(ρ + ε) in place of ν, with ∂û = (∂ν − û ∂ρ)/(ρ + ε).
        let floor = T::from_f64(self.density_floor);
        let floor = if floor > T::TINY { floor } else { T::TINY };
        let (density, signals) = values.split_at_mut(n);
        for signal in signals.chunks_exact_mut(n) {
            signal.iter_mut().zip(&*density).for_each(|(nu, rho)| *nu = *nu / (*rho + floor));
        }
        let (density_slope, signal_slopes) = slopes.split_at_mut(n.min(slopes.len()));
        for (slopes, signal) in signal_slopes.chunks_exact_mut(n).zip(signals.chunks_exact(n)) {
            for (i, slope) in slopes.iter_mut().enumerate() {
                *slope = (*slope - signal[i] * density_slope[i]) / (density[i] + floor);
            }
        }
    }

    /// A bound on |û in single precision − û| / max|u| where the density is at least ρ, for N points in D
    /// dimensions (`docs/theory.md` derives it). Values must be far from 1e±38, where `f32` underflows or
    /// overflows.
    pub fn single_precision_error(&self, density: f64, n_points: usize, dim: usize) -> f64 {
        let unit = 0.5 * f64::from(f32::EPSILON);
        let (n, dim) = (n_points as f64, dim as f64);
        let additions = n.min(CHUNK as f64) + n / CHUNK as f64;
        let rounding = dim * SINGLE_WEIGHT + unit * (3.0 + dim * (2.0 + additions));
        let cut_off = n * f32::CUT_OFF.exp() / (density + self.density_floor);
        let relative = rounding + cut_off;
        if relative < 0.5 { 2.0 * relative / (1.0 - relative) } else { 2.0 + 4.0 * rounding }
    }
}

/// The grid from which a context is carried over by products along the axes; `None` if so few of its points
/// are observed that they are better taken one by one.
fn products_from<'a>(moments: &Moments<'a>, to: &Grid) -> Option<&'a Grid> {
    let from = grid_of(moments.context)?;
    // An exponential per point and grid line costs about as much as ten products.
    let lines: usize = to.shape().iter().sum();
    let one_by_one = moments.context.len() as f64 * (to.len() + 10 * lines) as f64;
    (axis_products::cost(from, to) <= one_by_one).then_some(from)
}

/// The sums over scattered points: all of them, or those near each tile of the grid if that is cheaper.
fn scattered<T: Real>(moments: &Moments, grid: &Grid) -> Vec<T> {
    let (points, dim) = (moments.context, grid.dim());
    if points.len() as f64 * grid.len() as f64 > moments.tiled_cost() {
        return tiles::on_grid(moments, grid);
    }
    let flat = match points.structure() {
        PointStructure::Scattered(flat) => std::borrow::Cow::Borrowed(&flat[..]),
        _ => points.coordinates().into(),
    };
    let along: Vec<Vec<f64>> =
        (0..dim).map(|d| flat.iter().skip(d).step_by(dim).copied().collect()).collect();
    let cloud = Cloud { coordinates: along.iter().map(|axis| &axis[..]).collect(), values: moments.values };
    let tile: Vec<_> = grid.shape().into_iter().map(|n| 0..n).collect();
    separable::sums(moments, &cloud, grid, &tile, std::slice::from_ref(&(0..points.len())))
}
