use super::*;
use crate::kernel::testing::{agree, difference, numbers};
use lto_numerics::Axis;
use lto_numerics::setconv::Scale;

/// Weights of `m` random points against `n` periodic grid positions.
fn weights(m: usize, n: usize, length: f64, seed: u64) -> AxisWeights {
    let x: Vec<f64> = numbers(m, seed).iter().map(|x| 0.5 * (f64::from(*x) + 1.0)).collect();
    let grid: Vec<f64> = (0..n).map(|j| j as f64 / n as f64).collect();
    AxisWeights::normalized(&Axis::new("x", 0.0, 1.0, true), &x, &grid, Scale { length, slope: true })
}

/// Queries of 30 points each for a latent grid `[n0, n1]`.
fn queries(n0: usize, n1: usize, scale: f64, seed: u64) -> Vec<QueryWeights> {
    let first = |m: usize, seed| if n0 == 1 { AxisWeights::ones(m, 1) } else { weights(m, n0, scale, seed) };
    let (rows, columns) = if n0 == 1 { (1, 30) } else { (5, 6) };
    let grid = |m0, m1| [first(m0, seed), weights(m1, n1, scale, seed + 1)];
    let masked = (0..30).map(|i| (i * 7 + 3) % (2 * 30)).collect();
    vec![
        QueryWeights { axes: grid(rows, columns), layout: QueryLayout::Grid },
        QueryWeights { axes: grid(rows, 2 * columns), layout: QueryLayout::Masked(masked) },
        QueryWeights { axes: grid(30, 30), layout: QueryLayout::Points },
    ]
}

#[test]
fn equals_stock_operations() {
    for (n0, n1) in [(1, 16), (1, 37), (8, 8), (7, 33), (16, 5)] {
        for k in [1, 3, 8, 17] {
            for scale in [0.01, 0.1, 0.4] {
                for (i, query) in queries(n0, n1, scale, 5).into_iter().enumerate() {
                    let b = 3;
                    let other = queries(n0, n1, scale, 11).swap_remove(i);
                    let last = queries(n0, n1, 0.5 * scale, 23).swap_remove(0);
                    for queries in [vec![query.clone()], vec![query, other, last]] {
                        let queries: Vec<Arc<QueryWeights>> = queries.into_iter().map(Arc::new).collect();
                        let z = |t: &[Tensor<1>]| t[0].clone().reshape([b, k, n0, n1]);
                        let what = format!("{n0}×{n1} k {k} ℓ {scale} query {i} of {}", queries.len());
                        agree(
                            &what,
                            &[b * k * n0 * n1, 1],
                            &|t| interpolate(z(t), t[1].clone(), queries.clone()).reshape([-1]),
                            &|t| stock(z(t), t[1].clone(), &queries).reshape([-1]),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_instruction_set_agrees_at_points() {
    let query = &queries(7, 33, 0.1, 3)[2];
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
