//! Splines read at computed places by stock operations: other devices than the processor do it there, from the values that splines
//! go through.

use super::places::index;
use crate::device::{send, table};
use burn::tensor::{Device, Int, Tensor};
use lto_numerics::Axis;
use lto_numerics::resample::{Knots, SplineField};

/// b splines through the same knots, each at its own M places, differentiable in these.
///
/// # Shapes
/// Distances from the lower end of every axis, D times `[b, M]` → `[b, p, M]`.
pub fn at(splines: &[SplineField], axes: &[Axis], places: Vec<Tensor<2>>) -> Tensor<3> {
    let ([b, m], device) = (places[0].dims(), places[0].device());
    let (p, parts) = (splines[0].n_channels(), 1 << axes.len());
    // Where the neighbors of every place are, and what each part of them weighs there.
    let examples: Vec<usize> = (0..b).collect();
    let first = index(&examples, &device).reshape([b, 1]).repeat_dim(1, m);
    let mut neighbors: Vec<(Tensor<2, Int>, Vec<Tensor<2>>)> = vec![(first, Vec::new())];
    for ((axis, knots), place) in axes.iter().zip(splines[0].knots()).zip(places) {
        let ends = ends(axis, knots, place);
        let next = neighbors.iter().flat_map(|(index, weights)| {
            ends.iter().map(|(end, own)| {
                let index = index.clone() * knots.points().len() as i64 + end.clone();
                let weigh = |by: &Tensor<2>| -> Vec<Tensor<2>> {
                    match weights.is_empty() {
                        true => vec![by.clone()],
                        false => weights.iter().map(|weight| weight.clone() * by.clone()).collect(),
                    }
                };
                (index, own.iter().flat_map(weigh).collect())
            })
        });
        neighbors = next.collect();
    }
    let nodes = nodes(splines, &device);
    let read = |(index, weights): (Tensor<2, Int>, Vec<Tensor<2>>)| {
        let node = nodes.clone().select(0, index.reshape([b * m])).reshape([b, m, p, parts]);
        node * Tensor::stack::<3>(weights, 2).unsqueeze_dim(2)
    };
    let sum: Option<Tensor<4>> = neighbors.into_iter().map(read).reduce(|a, b| a + b);
    let sum = sum.unwrap_or_else(|| Tensor::zeros([b, m, p, parts], &device));
    sum.sum_dim(3).reshape([b, m, p]).swap_dims(1, 2)
}

/// Values of splines at their knots and their second derivatives, made from the values: u, ∂₀²u, ∂₁²u and ∂₀²∂₁²u, or u and ∂²u
/// on one axis, of all channels of a point side by side.
///
/// # Shapes
/// b splines of p channels through n points → `[b n, p 2^D]`.
fn nodes(splines: &[SplineField], device: &Device) -> Tensor<2> {
    let (b, p, axes) = (splines.len(), splines[0].n_channels(), splines[0].knots());
    let last = axes[axes.len() - 1].points().len();
    let values: Vec<f32> = splines.iter().flat_map(SplineField::values).map(|u| u as f32).collect();
    let n = values.len() / (b * p);
    let mut parts: Vec<Tensor<3>> = vec![send(values, [b * p, n / last, last], device)];
    for (d, knots) in axes.iter().enumerate() {
        let size = knots.points().len();
        let matrix = knots.curvatures().into_iter().map(|c| c as f32).collect();
        let matrix: Tensor<3> = table(matrix, [1, size, size], device);
        let along = |part: &Tensor<3>| match d + 1 == axes.len() {
            true => part.clone().matmul(matrix.clone().transpose()),
            false => matrix.clone().matmul(part.clone()),
        };
        parts.extend(parts.iter().map(along).collect::<Vec<_>>());
    }
    let count = parts.len();
    let nodes = Tensor::stack::<4>(parts, 3).reshape([b, p, n, count]);
    nodes.permute([0, 2, 1, 3]).reshape([b * n, p * count])
}

/// Both ends of the interval of each place along an axis, with the weights of their values and second derivatives.
///
/// # Shapes
/// `place [b, M]` → everything `[b, M]`.
fn ends(axis: &Axis, knots: &Knots, place: Tensor<2>) -> [(Tensor<2, Int>, [Tensor<2>; 2]); 2] {
    let ([b, m], device) = (place.dims(), place.device());
    let from = |x: f64| (x - axis.lower) as f32;
    let (points, n) = (knots.points(), knots.points().len() as i64);
    let still = place.clone().detach();
    let inside = if axis.periodic {
        let around = ((still - from(points[0])) / axis.length()).floor();
        place - around * axis.length()
    } else {
        let held = still.clone().clamp(0.0, axis.length());
        let moves = held.clone().equal(still.clone()).float();
        held + (place - still) * moves
    };
    let interval = interval(points, knots.intervals().len(), from, inside.clone().detach().reshape([b * m]));
    let of = |numbers: Vec<f32>, device: &Device| {
        let count = numbers.len();
        table(numbers, [count], device).select(0, interval.clone()).reshape([b, m])
    };
    let begin: Tensor<2> = of(points.iter().map(|&x| from(x)).collect(), &device);
    let length: Tensor<2> = of(knots.intervals().iter().map(|&h| h as f32).collect(), &device);
    let right = (inside - begin) / length.clone();
    let left = -right.clone() + 1.0;
    let square = length.clone() * length / 6.0;
    let weights = |w: Tensor<2>| [w.clone(), (w.clone() * w.clone() * w.clone() - w) * square.clone()];
    let interval = interval.reshape([b, m]);
    let end = (interval.clone() + 1).remainder_scalar(n);
    [(interval, weights(left)), (end, weights(right))]
}

/// The intervals of places, by bisection: the last of `count` that begins before or at each; the first one reaches further down.
///
/// # Shapes
/// `place [k]` → `[k]`.
fn interval(points: &[f64], count: usize, from: impl Fn(f64) -> f32, place: Tensor<1>) -> Tensor<1, Int> {
    let device = place.device();
    let size = count.next_power_of_two();
    let mut begins: Vec<f32> = points[..count].iter().map(|&x| from(x)).collect();
    begins.resize(size, f32::MAX);
    let begins: Tensor<1> = table(begins, [size], &device);
    let mut found = Tensor::<1, Int>::zeros(place.dims(), &device);
    let mut step = size / 2;
    while step > 0 {
        let later = found.clone() + step as i64;
        let beyond = begins.clone().select(0, later).lower_equal(place.clone()).int();
        found = found + beyond * step as i64;
        step /= 2;
    }
    found
}
