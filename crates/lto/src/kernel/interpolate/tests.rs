use super::*;
use crate::kernel::gaussian::{normalized, squares};
use crate::kernel::places::along;
use crate::kernel::testing::{agree, difference, numbers};
use lto_numerics::Axis;
use lto_numerics::setconv::Scale;

/// Places along both axes of a latent grid `[n0, n1]`, and how they combine.
#[derive(Clone)]
struct Query {
    shape: [usize; 2],
    axes: [Vec<f64>; 2],
    layout: QueryLayout,
    length: f64,
}

impl Query {
    /// Both axes by what is made of places, grid positions and ℓ; of the trivial axis, all ones.
    fn made<A>(
        &self,
        axis: impl Fn(&Axis, &[f64], &[f64], f64) -> A,
        ones: impl Fn(usize) -> A,
    ) -> QueryWeights<A> {
        let of = |d: usize| match self.shape[d] {
            1 => ones(self.axes[d].len()),
            n => {
                let grid: Vec<f64> = (0..n).map(|j| j as f64 / n as f64).collect();
                axis(&Axis::new("x", 0.0, 1.0, true), &self.axes[d], &grid, self.length)
            }
        };
        QueryWeights { axes: [of(0), of(1)], layout: self.layout.clone() }
    }

    fn weights(&self) -> QueryWeights {
        self.made(
            |axis, x, grid, length| AxisWeights::normalized(axis, x, grid, Scale { length, slope: true }),
            |rows| AxisWeights::ones(rows, 1),
        )
    }

    /// By stock operations, with the gradient in a log ℓ of any value.
    fn stock(&self, log_scale: &Tensor<1>) -> QueryWeights<Tensor<2>> {
        let device = log_scale.device();
        let made = |axis: &Axis, x: &[f64], grid: &[f64], length: f64| {
            let log = log_scale.clone() - log_scale.clone().detach() + length.ln();
            let rows = along(axis, x, [x.len(), 1], &device);
            normalized(squares(axis, rows, along(axis, grid, [1, grid.len()], &device)), log.unsqueeze())
        };
        self.made(made, |rows| Tensor::ones([rows, 1], &device))
    }
}

/// Queries of 30 points each for a latent grid `[n0, n1]`.
fn queries(n0: usize, n1: usize, length: f64, seed: u64) -> Vec<Query> {
    let along =
        |m: usize, seed| numbers(m, seed).iter().map(|x| 0.5 * (f64::from(*x) + 1.0)).collect::<Vec<f64>>();
    let (rows, columns) = if n0 == 1 { (1, 30) } else { (5, 6) };
    let masked = (0..30).map(|i| (i * 7 + 3) % (2 * 30)).collect();
    let all = [
        (rows, columns, QueryLayout::Grid),
        (rows, 2 * columns, QueryLayout::Masked(masked)),
        (30, 30, QueryLayout::Points),
    ];
    let query = |(m0, m1, layout)| Query {
        shape: [n0, n1],
        axes: [along(m0, seed), along(m1, seed + 1)],
        layout,
        length,
    };
    all.map(query).to_vec()
}

#[test]
fn equals_stock_operations() {
    for (n0, n1) in [(1, 16), (1, 37), (8, 8), (7, 33), (16, 5)] {
        for k in [1, 3, 8, 17] {
            for length in [0.01, 0.1, 0.4] {
                for (i, query) in queries(n0, n1, length, 5).into_iter().enumerate() {
                    let b = 3;
                    let other = queries(n0, n1, length, 11).swap_remove(i);
                    let last = queries(n0, n1, 0.5 * length, 23).swap_remove(0);
                    for queries in [vec![query.clone()], vec![query, other, last]] {
                        let weights: Vec<_> = queries.iter().map(|query| Arc::new(query.weights())).collect();
                        let tensors = |log_scale: &Tensor<1>| -> Vec<_> {
                            queries.iter().map(|query| Arc::new(query.stock(log_scale))).collect()
                        };
                        let z = |t: &[Tensor<1>]| t[0].clone().reshape([b, k, n0, n1]);
                        let what = format!("{n0}×{n1} k {k} ℓ {length} query {i} of {}", queries.len());
                        agree(
                            &what,
                            &[b * k * n0 * n1, 1],
                            &|t| interpolate(z(t), t[1].clone(), weights.clone()).reshape([-1]),
                            &|t| stock(z(t), &tensors(&t[1])).reshape([-1]),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_instruction_set_agrees_at_points() {
    let query = &queries(7, 33, 0.1, 3)[2].weights();
    let (k, z, dy) = (19, numbers(19 * 7 * 33, 1), numbers(19 * 30, 2));
    let run = |isa| {
        let mut y = vec![0.0; k * 30];
        let state = &mut ChannelsLast::new(&z, k);
        simd::run(isa, Gather { query, z: state, channels: k, points: 0..30, y: &mut y });
        let (dz, slope) = simd::run(isa, Scatter { query, z: state, channels: k, points: 0..30, dy: &dy });
        [y, dz, vec![slope as f32]]
    };
    let expected = run(Isa::Portable);
    for isa in Isa::available() {
        for (got, expected) in run(isa).iter().zip(&expected) {
            assert!(difference(got, expected) < 2e-6, "{isa:?}");
        }
    }
}
