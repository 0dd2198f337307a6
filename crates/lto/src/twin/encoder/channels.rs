//! The set convolution of a batch of contexts onto the latent grid, with its derivative in log ℓ.
//!
//! The observations are data and ℓ is the only parameter, so the channels need no gradient graph: they and
//! `∂/∂log ℓ` are computed here in plain numbers, by per-axis products (Eq. density-signal-channel).

use super::Density;
use crate::kernel::gemm::{Matrix, multiply};
use crate::twin::axis_weights::{AxisWeights, Scale};
use crate::twin::latent_grid::LatentGrid;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, PointStructure};
use rayon::prelude::*;

/// Channels `[batch, 1 + p, n0, n1]` (density, then signals) and their derivative in log ℓ.
pub struct Channels {
    /// Density and signals.
    pub values: Vec<f32>,
    /// `∂ values / ∂log ℓ`; empty where it is not wanted.
    pub derivative: Vec<f32>,
}

/// Scattered points are summed this many at a time, so that memory does not grow with their number.
const CHUNK: usize = 4096;

/// The channels of every context.
pub fn channels(
    contexts: &[Context],
    grid: &LatentGrid,
    scale: Scale,
    floor: f32,
    density: Density,
) -> Channels {
    let [n0, n1] = grid.shape();
    let size = (1 + contexts[0].n_channels) * n0 * n1;
    let (shared, which) = shared_weights(contexts, grid, scale);
    let mut values = vec![0.0; contexts.len() * size];
    let mut derivative = vec![0.0; if scale.tracked { values.len() } else { 0 }];
    let slopes = derivative.chunks_mut(size).map(Some).chain(std::iter::repeat_with(|| None));
    let slopes: Vec<Option<&mut [f32]>> = slopes.take(contexts.len()).collect();
    values.par_chunks_mut(size).zip(slopes).enumerate().for_each(|(i, (values, mut slope))| {
        let context = &contexts[i];
        match context.points.structure() {
            PointStructure::Scattered(flat) => {
                scattered_sums(context, flat, grid, scale, values, slope.as_deref_mut());
            }
            _ => grid_sums(context, &shared[which[i]], values, slope.as_deref_mut()),
        }
        normalize(values, slope.as_deref_mut(), n0 * n1, floor);
        let density = density.scale(context.points.domain(), context.points.len(), scale.length);
        density.apply(&mut values[..n0 * n1], slope.map(|slope| &mut slope[..n0 * n1]));
    });
    Channels { values, derivative }
}

/// Kernel weights along both array axes for every distinct grid in the batch, and which of them each context uses.
fn shared_weights(
    contexts: &[Context],
    grid: &LatentGrid,
    scale: Scale,
) -> (Vec<[AxisWeights; 2]>, Vec<usize>) {
    let mut grids: Vec<&Grid> = Vec::new();
    let which = contexts.iter().map(|context| match context.points.structure() {
        PointStructure::Grid(g) | PointStructure::Masked { grid: g, .. } => {
            grids.iter().position(|known| *known == g).unwrap_or_else(|| {
                grids.push(g);
                grids.len() - 1
            })
        }
        PointStructure::Scattered(_) => 0,
    });
    let which = which.collect();
    let weights = grids.iter().map(|g| {
        let axis = |d: usize| axis_weights(grid, d, g.coordinates(d), scale);
        if g.dim() == 1 { [AxisWeights::ones(1, 1), axis(0)] } else { [axis(0), axis(1)] }
    });
    (weights.collect(), which)
}

/// Weights of the latent grid's axis `d` against coordinates.
fn axis_weights(grid: &LatentGrid, d: usize, coordinates: &[f64], scale: Scale) -> AxisWeights {
    let axis = &grid.grid().domain().axes()[d];
    AxisWeights::kernel(axis, grid.grid().coordinates(d), coordinates, scale)
}

/// ρ and ν of a context on a (masked) grid and their derivatives: `K0 M K1ᵀ` for the mask and for each channel.
fn grid_sums(
    context: &Context,
    [k0, k1]: &[AxisWeights; 2],
    values: &mut [f32],
    mut slope: Option<&mut [f32]>,
) {
    let (n, size) = (context.points.len(), k0.rows * k1.rows);
    let first = Matrix::new(&k0.weights, k0.rows, k0.columns);
    let last = Matrix::new(&k1.weights, k1.rows, k1.columns).transposed();
    let mut rows = vec![0.0; k0.columns * k1.rows];
    for (channel, value) in values.chunks_mut(size).enumerate() {
        let observed = channel.checked_sub(1).map(|c| &context.values[c * n..(c + 1) * n]);
        let table = on_grid(context, observed, k0.columns * k1.columns);
        let table = Matrix::new(&table, k0.columns, k1.columns);
        multiply(table, last, &mut rows, false);
        multiply(first, Matrix::new(&rows, k0.columns, k1.rows), value, false);
        if let Some(slope) = slope.as_deref_mut() {
            let slope = &mut slope[channel * size..][..size];
            let first_slope = Matrix::new(&k0.derivative, k0.rows, k0.columns);
            let last_slope = Matrix::new(&k1.derivative, k1.rows, k1.columns).transposed();
            multiply(first_slope, Matrix::new(&rows, k0.columns, k1.rows), slope, false);
            multiply(table, last_slope, &mut rows, false);
            multiply(first, Matrix::new(&rows, k0.columns, k1.rows), slope, true);
        }
    }
}

/// ρ and ν of a context of scattered points and their derivatives: `(K0 diag u) K1ᵀ` over chunks of points.
fn scattered_sums(
    context: &Context,
    flat: &[f64],
    grid: &LatentGrid,
    scale: Scale,
    values: &mut [f32],
    mut slope: Option<&mut [f32]>,
) {
    let (n, dim) = (context.points.len(), context.points.dim());
    let [n0, n1] = grid.shape();
    for (chunk, points) in flat.chunks(CHUNK * dim).enumerate() {
        let m = points.len() / dim;
        let axis = |d: usize| {
            let coordinates: Vec<f64> = points.iter().skip(d).step_by(dim).copied().collect();
            axis_weights(grid, d, &coordinates, scale)
        };
        // In one dimension the first array axis is trivial: one point, weight one to everything.
        let (k0, k1) = if dim == 1 { (AxisWeights::ones(1, m), axis(0)) } else { (axis(0), axis(1)) };
        let last = Matrix::new(&k1.weights, n1, m).transposed();
        for (channel, value) in values.chunks_mut(n0 * n1).enumerate() {
            let observed = channel.checked_sub(1).map(|c| &context.values[c * n + chunk * CHUNK..][..m]);
            let scaled = |w: &[f32]| -> Vec<f32> {
                match observed {
                    Some(u) => {
                        w.chunks(m).flat_map(|row| row.iter().zip(u).map(|(w, &u)| w * u as f32)).collect()
                    }
                    None => w.to_vec(),
                }
            };
            let rows = scaled(&k0.weights);
            let rows = Matrix::new(&rows, n0, m);
            multiply(rows, last, value, true);
            if let Some(slope) = slope.as_deref_mut() {
                let slope = &mut slope[channel * n0 * n1..][..n0 * n1];
                multiply(Matrix::new(&scaled(&k0.derivative), n0, m), last, slope, true);
                multiply(rows, Matrix::new(&k1.derivative, n1, m).transposed(), slope, true);
            }
        }
    }
}

/// The observed values (ones for the density) laid out on their whole grid, zero where nothing was observed.
fn on_grid(context: &Context, observed: Option<&[f64]>, grid_len: usize) -> Vec<f32> {
    match context.points.structure() {
        PointStructure::Masked { indices, .. } => {
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
fn normalize(values: &mut [f32], mut slope: Option<&mut [f32]>, size: usize, floor: f32) {
    let (density, signals) = values.split_at_mut(size);
    for (channel, signal) in signals.chunks_exact_mut(size).enumerate() {
        signal.iter_mut().zip(&*density).for_each(|(signal, density)| *signal /= density + floor);
        if let Some(slope) = slope.as_deref_mut() {
            let (density_slope, signal_slopes) = slope.split_at_mut(size);
            let slopes = signal_slopes[channel * size..][..size].iter_mut().zip(&*density_slope);
            for ((slope, density_slope), (signal, density)) in slopes.zip(signal.iter().zip(&*density)) {
                *slope = (*slope - signal * density_slope) / (density + floor);
            }
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
    /// The channel in place of the densities, and its slopes in place of theirs.
    fn apply(&self, densities: &mut [f32], slopes: Option<&mut [f32]>) {
        for (slope, density) in slopes.into_iter().flatten().zip(&*densities) {
            *slope = match self {
                DensityScale::Linear(c, dc) => c * *slope + dc * density,
                DensityScale::Saturating => (-density).exp() * *slope,
            };
        }
        for density in densities {
            *density = match self {
                DensityScale::Linear(c, _) => c * *density,
                DensityScale::Saturating => -(-*density).exp_m1(),
            };
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
