//! Interpolation of latent states at query points by per-axis kernel weights, differentiable in the state and in log ℓ.

mod cubic;
mod grid;
mod points;
mod query;
#[cfg(test)]
mod tests;

use super::operation::{Array, Forward, Operation, Pass, apply};
use super::places::index;
use super::simd::{self, Isa};
use burn::tensor::Tensor;
pub use cubic::{cubic, stock as cubic_stock};
use grid::Planes;
use points::{ChannelsLast, Gather, Scatter, add_channels_first};
pub use query::{AxisWeights, QueryLayout, QueryWeights};
use rayon::prelude::*;
use std::sync::Arc;

/// Points of a task: a fixed number, so that sums do not depend on the number of threads.
const TASK_POINTS: usize = 512;

/// At most this many partial sums per example.
const PARTS: usize = 4;

/// `y_m = Σ_ij w⁰_mi w¹_mj z_ij` per channel, on the processor; `log_scale [1]` is the log ℓ that the weights were made with.
///
/// # Shapes
/// `z [b, k, n0, n1]`, one query for all examples or one for each, of M points each → `[b, k, M]`.
pub fn interpolate(z: Tensor<4>, log_scale: Tensor<1>, queries: Vec<Arc<QueryWeights>>) -> Tensor<3> {
    apply(Interpolate { queries }, vec![z.into_dispatch(), log_scale.into_dispatch()])
}

/// The same by stock operations, of weights that carry the gradient of log ℓ themselves.
pub fn stock(z: Tensor<4>, queries: &[Arc<QueryWeights<Tensor<2>>>]) -> Tensor<3> {
    if let [query] = queries {
        return stock_one(z, query);
    }
    let one =
        |(i, query): (usize, &Arc<QueryWeights<Tensor<2>>>)| stock_one(z.clone().narrow(0, i, 1), query);
    Tensor::cat(queries.iter().enumerate().map(one).collect(), 0)
}

fn stock_one(z: Tensor<4>, query: &QueryWeights<Tensor<2>>) -> Tensor<3> {
    let [b, k, n0, n1] = z.dims();
    let device = z.device();
    let ([first, last], [m0, m1]) = (query.axes.clone(), query.axes.each_ref().map(|axis| axis.dims()[0]));
    let rows = z.reshape([b * k * n0, n1]).matmul(last.transpose()).reshape([b * k, n0, m1]);
    match &query.layout {
        QueryLayout::Points => (rows * first.transpose().unsqueeze()).sum_dim(1).reshape([b, k, m1]),
        QueryLayout::Grid => first.unsqueeze::<3>().matmul(rows).reshape([b, k, m0 * m1]),
        QueryLayout::Masked(indices) => {
            let whole: Tensor<3> = first.unsqueeze::<3>().matmul(rows).reshape([b, k, m0 * m1]);
            whole.select(2, index(indices, &device))
        }
    }
}

#[derive(Debug)]
struct Interpolate {
    queries: Vec<Arc<QueryWeights>>,
}

/// The planes of one query: their number, and their part of z, y (or gradients).
struct Group<'a, T> {
    query: &'a QueryWeights,
    planes: usize,
    z: &'a [f32],
    y: T,
}

impl Interpolate {
    /// Planes per query: all of the batch, or one example's.
    fn planes(&self, z: &Array) -> usize {
        let [b, k, _, _] = z.dims();
        if self.queries.len() == 1 { b * k } else { k }
    }

    /// Every query with its planes and chunks of `y`.
    fn groups<'a, T>(&'a self, z: &Array<'a>, y: impl Iterator<Item = T>) -> Vec<Group<'a, T>> {
        let planes = self.planes(z);
        let size = planes * z.shape[2] * z.shape[3];
        let parts = self.queries.iter().zip(z.values.chunks(size)).zip(y);
        parts.map(|((query, z), y)| Group { query, planes, z, y }).collect()
    }
}

impl Operation for Interpolate {
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let [b, k, _, _] = inputs[0].dims();
        let points = self.queries.first().map_or(0, |query| query.points());
        let mut output = vec![0.0; b * k * points];
        let chunk = self.planes(&inputs[0]) * points;
        let groups = self.groups(&inputs[0], output.chunks_mut(chunk));
        let alone = groups.len() == 1;
        groups.into_par_iter().for_each(|group| match group.query.layout {
            QueryLayout::Points => points_forward(group.query, group.z, k, group.planes / k, group.y),
            _ => Planes { query: group.query, z: group.z, alone }.forward(group.y),
        });
        Forward { output, shape: vec![b, k, points], saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let z = &pass.inputs[0];
        let [_, k, n0, n1] = z.dims();
        let points = self.queries.first().map_or(0, |query| query.points());
        let planes = self.planes(z);
        let mut dz = vec![0.0; z.values.len()];
        let both = dz.chunks_mut(planes * n0 * n1).zip(pass.gradient.chunks(planes * points));
        let groups = self.groups(z, both);
        let alone = groups.len() == 1;
        let one = |Group { query, planes, z, y: (dz, dy) }: Group<(&mut [f32], &[f32])>| match query.layout {
            QueryLayout::Points => points_backward(query, z, k, planes / k, dy, dz),
            _ => Planes { query, z, alone }.backward(dy, dz),
        };
        let slopes: Vec<f64> = groups.into_par_iter().map(one).collect();
        vec![Some(dz), Some(vec![slopes.iter().sum::<f64>() as f32])]
    }
}

/// `y [examples, channels, points]`.
fn points_forward(query: &QueryWeights, z: &[f32], channels: usize, examples: usize, y: &mut [f32]) {
    let (points, isa) = (query.points(), Isa::detect());
    let tasks = points.div_ceil(TASK_POINTS);
    let size = z.len() / examples;
    y.par_chunks_mut(channels * points).zip(z.par_chunks(size)).for_each(|(y, z)| {
        let parts = (0..tasks).into_par_iter().map(|task| {
            let range = task * TASK_POINTS..((task + 1) * TASK_POINTS).min(points);
            let mut part = vec![0.0; channels * range.len()];
            let z = &mut ChannelsLast::new(z, channels);
            simd::run(isa, Gather { query, z, channels, points: range.clone(), y: &mut part });
            (range, part)
        });
        for (range, part) in parts.collect::<Vec<_>>() {
            for (y, part) in y.chunks_exact_mut(points).zip(part.chunks_exact(range.len())) {
                y[range.clone()].copy_from_slice(part);
            }
        }
    });
}

/// Adds to `dz [examples, channels, n0, n1]` and returns the derivative in log ℓ.
fn points_backward(
    query: &QueryWeights,
    z: &[f32],
    channels: usize,
    examples: usize,
    dy: &[f32],
    dz: &mut [f32],
) -> f64 {
    let (points, isa) = (query.points(), Isa::detect());
    let parts = points.div_ceil(TASK_POINTS).min(PARTS);
    let size = z.len() / examples;
    let each = dz.par_chunks_mut(size).zip(z.par_chunks(size)).zip(dy.par_chunks(channels * points));
    let slopes = each.map(|((dz, z), dy)| {
        let found = (0..parts).into_par_iter().map(|part| {
            let range = part * points / parts..(part + 1) * points / parts;
            let z = &mut ChannelsLast::new(z, channels);
            simd::run(isa, Scatter { query, z, channels, points: range, dy })
        });
        let found: Vec<(Vec<f32>, f64)> = found.collect();
        for (part, _) in &found {
            add_channels_first(part, channels, dz);
        }
        found.iter().map(|(_, slope)| slope).sum()
    });
    slopes.collect::<Vec<f64>>().iter().sum()
}
