//! The set convolution of a batch of contexts onto the latent grid, with its derivative in log ℓ.
//!
//! The observations are data and ℓ is the only parameter, so the channels need no gradient graph: they and
//! `∂/∂log ℓ` are computed here in plain numbers, by per-axis products (Eq. density-signal-channel).

use super::Density;
use crate::kernel::gemm::{Matrix, multiply};
use crate::twin::axis_weights::AxisWeights;
use crate::twin::latent_grid::LatentGrid;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Layout};
use rayon::prelude::*;

/// Channels `[batch, 1 + p, n0, n1]` (density, then signals) and their derivative in log ℓ.
pub struct Channels {
    /// Density and signals.
    pub values: Vec<f32>,
    /// `∂ values / ∂log ℓ`.
    pub derivative: Vec<f32>,
}

/// Weights of all observed coordinates along both axes, shared by contexts on the same grid.
struct ContextWeights {
    axes: [AxisWeights; 2],
    /// Whether the columns are the points of a tensor grid (else point by point).
    is_grid: bool,
}

/// The channels of every context.
pub fn channels(
    contexts: &[Context],
    grid: &LatentGrid,
    length_scale: f64,
    floor: f32,
    density: Density,
) -> Channels {
    let [n0, n1] = grid.shape();
    let size = (1 + contexts[0].n_channels) * n0 * n1;
    let (shared, which) = weights_of(contexts, grid, length_scale);
    let mut values = vec![0.0; contexts.len() * size];
    let mut derivative = vec![0.0; contexts.len() * size];
    values.par_chunks_mut(size).zip(derivative.par_chunks_mut(size)).enumerate().for_each(
        |(i, (values, slope))| {
            let context = &contexts[i];
            sums(context, &shared[which[i]], values, slope);
            normalize(values, slope, n0 * n1, floor);
            let scale = density.scale(context.points.domain(), context.points.len(), length_scale);
            for (value, slope) in values[..n0 * n1].iter_mut().zip(&mut slope[..n0 * n1]) {
                (*value, *slope) = scale.apply(*value, *slope);
            }
        },
    );
    Channels { values, derivative }
}

/// Kernel weights for every distinct grid in the batch, and which of them each context uses.
fn weights_of(
    contexts: &[Context],
    grid: &LatentGrid,
    length_scale: f64,
) -> (Vec<ContextWeights>, Vec<usize>) {
    let mut grids: Vec<(&Grid, usize)> = Vec::new();
    let mut columns: Vec<(Vec<Vec<f64>>, bool)> = Vec::new();
    let which = contexts
        .iter()
        .map(|context| match context.points.layout() {
            Layout::Grid(g) | Layout::Masked { grid: g, .. } => {
                if let Some(&(_, known)) = grids.iter().find(|(known, _)| *known == g) {
                    return known;
                }
                grids.push((g, columns.len()));
                columns.push(((0..g.dim()).map(|d| g.coordinates(d).to_vec()).collect(), true));
                columns.len() - 1
            }
            Layout::Scattered(flat) => {
                let dim = context.points.dim();
                let axis = |d: usize| flat.iter().skip(d).step_by(dim).copied().collect();
                columns.push(((0..dim).map(axis).collect(), false));
                columns.len() - 1
            }
        })
        .collect();
    let shared = columns.par_iter().map(|(columns, is_grid)| {
        let axis = |d: usize| {
            let axis = &grid.grid().domain().axes()[d];
            AxisWeights::kernel(axis, grid.grid().coordinates(d), &columns[d], length_scale)
        };
        // In one dimension the only axis is the last; the first is trivial: one point, weight one to everything.
        let axes = match columns.len() {
            1 if *is_grid => [AxisWeights::identity(), axis(0)],
            1 => [AxisWeights::ones(columns[0].len()), axis(0)],
            _ => [axis(0), axis(1)],
        };
        ContextWeights { axes, is_grid: *is_grid }
    });
    (shared.collect(), which)
}

/// ρ and ν of one context and their derivatives: `K0 M K1ᵀ` for the mask and for each channel of values.
fn sums(context: &Context, weights: &ContextWeights, values: &mut [f32], slope: &mut [f32]) {
    let [k0, k1] = &weights.axes;
    let (n, size) = (context.points.len(), k0.rows * k1.rows);
    for channel in 0..=context.n_channels {
        let observed = channel.checked_sub(1).map(|c| &context.values[c * n..(c + 1) * n]);
        let out = channel * size..(channel + 1) * size;
        let (value, slope) = (&mut values[out.clone()], &mut slope[out]);
        if weights.is_grid {
            let table = on_grid(context, observed, k0.columns * k1.columns);
            let table = Matrix::new(&table, k0.columns, k1.columns);
            let mut rows = vec![0.0; k0.columns * k1.rows];
            multiply(table, Matrix::new(&k1.weights, k1.rows, k1.columns).transposed(), &mut rows, false);
            axis_zero(k0, &rows, k1.rows, value, slope);
            multiply(table, Matrix::new(&k1.derivative, k1.rows, k1.columns).transposed(), &mut rows, false);
            let first = Matrix::new(&k0.weights, k0.rows, k0.columns);
            multiply(first, Matrix::new(&rows, k0.columns, k1.rows), slope, true);
        } else {
            let scaled = |w: &[f32]| match observed {
                Some(u) => {
                    w.chunks_exact(n).flat_map(|row| row.iter().zip(u).map(|(w, &u)| w * u as f32)).collect()
                }
                None => w.to_vec(),
            };
            let (rows, derivative): (Vec<f32>, Vec<f32>) = (scaled(&k0.weights), scaled(&k0.derivative));
            let right = Matrix::new(&k1.weights, k1.rows, n).transposed();
            multiply(Matrix::new(&rows, k0.rows, n), right, value, false);
            multiply(Matrix::new(&derivative, k0.rows, n), right, slope, false);
            let right = Matrix::new(&k1.derivative, k1.rows, n).transposed();
            multiply(Matrix::new(&rows, k0.rows, n), right, slope, true);
        }
    }
}

/// `value = K0 rows`, `slope = ∂K0 rows`.
fn axis_zero(k0: &AxisWeights, rows: &[f32], columns: usize, value: &mut [f32], slope: &mut [f32]) {
    let rows = Matrix::new(rows, k0.columns, columns);
    multiply(Matrix::new(&k0.weights, k0.rows, k0.columns), rows, value, false);
    multiply(Matrix::new(&k0.derivative, k0.rows, k0.columns), rows, slope, false);
}

/// The observed values (ones for the density) laid out on their whole grid, zero where nothing was observed.
fn on_grid(context: &Context, observed: Option<&[f64]>, grid_len: usize) -> Vec<f32> {
    match context.points.layout() {
        Layout::Masked { indices, .. } => {
            let mut table = vec![0.0; grid_len];
            for (i, &index) in indices.iter().enumerate() {
                table[index] = observed.map_or(1.0, |u| u[i] as f32);
            }
            table
        }
        _ => observed.map_or_else(|| vec![1.0; grid_len], |u| u.iter().map(|&u| u as f32).collect()),
    }
}

/// û = ν/(ρ + floor) in place of ν, with `∂û = (∂ν − û ∂ρ)/(ρ + floor)`.
fn normalize(values: &mut [f32], slope: &mut [f32], size: usize, floor: f32) {
    let (density, signals) = values.split_at_mut(size);
    let (density_slope, signal_slopes) = slope.split_at_mut(size);
    for (signal, signal_slope) in signals.chunks_exact_mut(size).zip(signal_slopes.chunks_exact_mut(size)) {
        for i in 0..size {
            let inverse = 1.0 / (density[i] + floor);
            signal[i] *= inverse;
            signal_slope[i] = (signal_slope[i] - signal[i] * density_slope[i]) * inverse;
        }
    }
}

/// How ρ becomes the density channel, with ℓ and N fixed.
pub enum DensityScale {
    /// `c ρ`, `c` and its derivative in log ℓ.
    Linear(f32, f32),
    /// `1 − e^{−ρ}`.
    Saturating,
}

impl DensityScale {
    fn apply(&self, density: f32, slope: f32) -> (f32, f32) {
        match self {
            DensityScale::Linear(c, dc) => (c * density, c * slope + dc * density),
            DensityScale::Saturating => (-(-density).exp_m1(), (-density).exp() * slope),
        }
    }
}

impl Density {
    fn scale(self, domain: &Domain, n_points: usize, length_scale: f64) -> DensityScale {
        match self {
            Density::Raw => DensityScale::Linear(1.0, 0.0),
            Density::Coverage => DensityScale::Saturating,
            Density::PerPoint => {
                // κ̄ factorizes: each axis gives a = ∫ exp(−x²/2ℓ²) over one period, ∂a/∂log ℓ = a − L exp(−L²/8ℓ²).
                let (mut mean, mut log_slope) = (1.0, 0.0);
                for axis in domain.axes() {
                    let ratio = axis.length() / length_scale;
                    let a = (std::f64::consts::TAU).sqrt() * length_scale * erf(ratio / 8f64.sqrt());
                    mean *= a;
                    log_slope += 1.0 - axis.length() * (-ratio * ratio / 8.0).exp() / a;
                }
                let c = domain.volume() / (n_points as f64 * mean);
                DensityScale::Linear(c as f32, (-c * log_slope) as f32)
            }
        }
    }
}

/// The error function, to 1e-13: Simpson's rule on its integral (no crate of ours has it; it is called twice a step).
fn erf(x: f64) -> f64 {
    if x > 6.0 {
        return 1.0;
    }
    let n = 256;
    let h = x / f64::from(n);
    let f = |i: i32| (-(h * f64::from(i)).powi(2)).exp();
    let inner: f64 = (1..n).map(|i| if i % 2 == 1 { 4.0 * f(i) } else { 2.0 * f(i) }).sum();
    (f(0) + inner + f(n)) * h / 3.0 * std::f64::consts::FRAC_2_SQRT_PI
}
