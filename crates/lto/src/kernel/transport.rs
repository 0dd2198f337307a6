//! Fields read at displaced points: `y(m) = û(q_m + d(m))`, differentiable in the displacement.

use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::{places, spline};
use burn::tensor::Tensor;
use lto_numerics::resample::SplineField;
use lto_numerics::{Axis, Points};
use rayon::prelude::*;
use std::sync::Arc;

/// Points of a task.
const TASK: usize = 512;

/// The field of each example at its query points moved by `displacement`, in units of the length of each axis.
///
/// # Shapes
/// `displacement [b, D, M]`, b fields of p channels, one or b sets of M points → `[b, p, M]`.
pub fn transport(
    displacement: Tensor<3>,
    fields: Arc<Vec<SplineField>>,
    queries: Vec<Arc<Points>>,
) -> Tensor<3> {
    let operation = Transport { fields, queries };
    if !is_supported(&displacement) {
        return operation.stock(displacement);
    }
    apply(operation, vec![displacement.into_dispatch()])
}

#[derive(Debug)]
struct Transport {
    fields: Arc<Vec<SplineField>>,
    queries: Vec<Arc<Points>>,
}

impl Transport {
    /// The same by stock operations. Splines through the same knots are read together.
    fn stock(&self, displacement: Tensor<3>) -> Tensor<3> {
        let m = displacement.dims()[2];
        let axes = self.queries[0].domain().axes();
        let mut first = 0;
        let groups = self.fields.chunk_by(|a, b| a.knots() == b.knots()).map(|fields| {
            let (begin, n) = (first, fields.len());
            first += n;
            let queries =
                if self.queries.len() == 1 { &self.queries[..] } else { &self.queries[begin..first] };
            let each = queries.iter().map(|query| places::of_points(query, &displacement.device()));
            let each: Vec<Vec<Tensor<1>>> = each.collect();
            let moved = |(d, axis): (usize, &Axis)| {
                let places = each.iter().map(|along| along[d].clone()).collect();
                let way = displacement.clone().narrow(0, begin, n).narrow(1, d, 1).reshape([n, m]);
                way * axis.length() + Tensor::stack::<2>(places, 0)
            };
            spline::at(fields, axes, axes.iter().enumerate().map(moved).collect())
        });
        Tensor::cat(groups.collect(), 0)
    }

    /// Values `[b, p, M]`, and slopes `[b, p, D, M]` in the displacement if wanted.
    fn read(&self, displacement: &[f32], [b, dim, m]: [usize; 3], slopes: bool) -> (Vec<f32>, Vec<f32>) {
        let p = self.fields[0].n_channels();
        // Point by point first, [b, m, p] and [b, m, p, D], so that tasks write side by side.
        let mut values = vec![0.0f32; b * m * p];
        let mut steep = vec![0.0f32; if slopes { b * m * p * dim } else { 0 }];
        let steep_tasks: Vec<&mut [f32]> = match slopes {
            true => steep.chunks_mut(m * p * dim).flat_map(|of| of.chunks_mut(TASK * p * dim)).collect(),
            false => (0..b * m.div_ceil(TASK)).map(|_| &mut [][..]).collect(),
        };
        let value_tasks = values.chunks_mut(m * p).flat_map(|of| of.chunks_mut(TASK * p));
        let tasks: Vec<_> = value_tasks.zip(steep_tasks).enumerate().collect();
        tasks.into_par_iter().for_each(|(task, (values, steep))| {
            let (i, first) = (task / m.div_ceil(TASK), task % m.div_ceil(TASK) * TASK);
            let query = &self.queries[i % self.queries.len()];
            let lengths: Vec<f64> = query.domain().axes().iter().map(|axis| axis.length()).collect();
            let (mut place, mut value, mut slope) = (vec![0.0; dim], vec![0.0; p], vec![0.0; p * dim]);
            let wanted = if slopes { p * dim } else { 0 };
            for (j, values) in values.chunks_exact_mut(p).enumerate() {
                let point = first + j;
                query.write_point(point, &mut place);
                for (d, x) in place.iter_mut().enumerate() {
                    *x += lengths[d] * f64::from(displacement[(i * dim + d) * m + point]);
                }
                self.fields[i].write(&place, &mut value, &mut slope[..wanted]);
                values.iter_mut().zip(&value).for_each(|(to, from)| *to = *from as f32);
                let steep = &mut steep[j * wanted..][..wanted];
                for (k, to) in steep.iter_mut().enumerate() {
                    *to = (slope[k] * lengths[k % dim]) as f32;
                }
            }
        });
        (channels_first(&values, [b, m, p]), channels_first(&steep, [b, m, p * dim]))
    }
}

/// `[b, m, c]` as `[b, c, m]`.
fn channels_first(values: &[f32], [b, m, c]: [usize; 3]) -> Vec<f32> {
    if values.is_empty() {
        return Vec::new();
    }
    let mut turned = Vec::with_capacity(values.len());
    for example in values.chunks_exact(m * c).take(b) {
        (0..c).for_each(|k| turned.extend(example.iter().skip(k).step_by(c)));
    }
    turned
}

impl Operation for Transport {
    /// Saves the slopes.
    fn forward(&self, inputs: &[Array], tracked: bool) -> Forward {
        let [b, dim, m] = inputs[0].dims();
        let (output, saved) = self.read(inputs[0].values, [b, dim, m], tracked);
        Forward { output, shape: vec![b, self.fields[0].n_channels(), m], saved }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let [b, dim, m] = pass.inputs[0].dims();
        let p = self.fields[0].n_channels();
        let mut gradient = vec![0.0; b * dim * m];
        for (i, gradient) in gradient.chunks_exact_mut(dim * m).enumerate() {
            for c in 0..p {
                let dy = &pass.gradient[(i * p + c) * m..][..m];
                let slopes = &pass.saved[(i * p + c) * dim * m..][..dim * m];
                for (gradient, slopes) in gradient.chunks_exact_mut(m).zip(slopes.chunks_exact(m)) {
                    let each = gradient.iter_mut().zip(dy).zip(slopes);
                    each.for_each(|((to, dy), slope)| *to += dy * slope);
                }
            }
        }
        vec![Some(gradient)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{agree, numbers, with_gradients};
    use lto_numerics::{Domain, Field, Grid, Placement};

    fn setting(dim: usize, periodic: bool, b: usize) -> (Arc<Vec<SplineField>>, Vec<Arc<Points>>) {
        let domain = Domain::unit(dim, periodic).unwrap();
        let grid = Arc::new(Grid::cubic(domain.clone(), 6, Placement::Left).unwrap());
        let field = |seed| {
            let values = numbers(2 * grid.len(), seed).into_iter().map(f64::from).collect();
            SplineField::new(&Field::new(grid.clone(), 2, values).unwrap()).unwrap()
        };
        let points = |seed| {
            let at = numbers(dim * 700, seed).iter().map(|x| 0.5 * f64::from(x + 1.0)).collect();
            Arc::new(Points::scattered(domain.clone(), at).unwrap())
        };
        let fields = (0..b as u64).map(|i| field(i + 3)).collect();
        (Arc::new(fields), (0..b as u64).map(|i| points(i + 20)).collect())
    }

    #[test]
    fn equals_stock_operations() {
        for (dim, periodic) in [(1, true), (1, false), (2, true), (2, false)] {
            let (fields, queries) = setting(dim, periodic, 3);
            for queries in [queries[..1].to_vec(), queries] {
                let d = |t: &[Tensor<1>]| t[0].clone().reshape([3, dim, 700]) * 0.4;
                let stock = Transport { fields: fields.clone(), queries: queries.clone() };
                agree(
                    &format!("{dim} {periodic} {}", queries.len()),
                    &[3 * dim * 700],
                    &|t| transport(d(t), fields.clone(), queries.clone()).reshape([-1]),
                    &|t| stock.stock(d(t)).reshape([-1]),
                );
            }
        }
    }

    /// The gradient is that of the displaced values, by central differences.
    #[test]
    fn gradients_equal_finite_differences() {
        let (fields, queries) = setting(2, true, 1);
        let d = numbers(2 * 700, 9);
        let f = |t: &[Tensor<1>]| {
            transport(t[0].clone().reshape([1, 2, 700]), fields.clone(), queries.clone()).reshape([-1])
        };
        let direction = numbers(2 * 700, 99);
        let value = |d: &[f32]| -> f64 {
            let all = with_gradients(&[d.to_vec()], &f);
            all[0].iter().zip(&direction).map(|(a, b)| f64::from(a * b)).sum()
        };
        let gradient = &with_gradients(std::slice::from_ref(&d), &f)[1];
        for i in [0, 13, 699, 700, 1234] {
            let moved = |h: f32| {
                let mut d = d.clone();
                d[i] += h;
                value(&d)
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            let exact = f64::from(gradient[i]);
            assert!((slope - exact).abs() < 0.02 * exact.abs().max(1.0), "{i}: {slope} {exact}");
        }
    }
}
