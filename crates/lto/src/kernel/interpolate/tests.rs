use super::*;
use crate::kernel::testing::{agree, difference, numbers};

/// Normalized Gaussian weights of `m` points against `n` periodic grid positions, with their derivative in log ℓ.
fn weights(m: usize, n: usize, scale: f64, seed: u64) -> AxisWeights {
    let (mut weights, mut derivative) = (Vec::new(), Vec::new());
    for x in numbers(m, seed) {
        let x = 0.5 * (f64::from(x) + 1.0);
        let squares: Vec<f64> = (0..n)
            .map(|j| {
                let d = (x - j as f64 / n as f64).abs();
                (d.min(1.0 - d) / scale).powi(2)
            })
            .collect();
        let nearest = squares.iter().copied().fold(f64::INFINITY, f64::min);
        let raw: Vec<f64> = squares.iter().map(|s| (0.5 * (nearest - s)).exp()).collect();
        let total: f64 = raw.iter().sum();
        let mean: f64 = raw.iter().zip(&squares).map(|(w, s)| w * s).sum::<f64>() / total;
        weights.extend(raw.iter().map(|w| (w / total) as f32));
        derivative.extend(raw.iter().zip(&squares).map(|(w, s)| (w / total * (s - mean)) as f32));
    }
    AxisWeights { rows: m, columns: n, weights, derivative }
}

fn line(rows: usize) -> AxisWeights {
    AxisWeights { rows, columns: 1, weights: vec![1.0; rows], derivative: vec![0.0; rows] }
}

/// Plans of 30 points each for a latent grid `[n0, n1]`.
fn plans(n0: usize, n1: usize, scale: f64, seed: u64) -> Vec<Plan> {
    let first = |m: usize, seed| if n0 == 1 { line(m) } else { weights(m, n0, scale, seed) };
    let (rows, columns) = if n0 == 1 { (1, 30) } else { (5, 6) };
    let grid = |m0, m1| [first(m0, seed), weights(m1, n1, scale, seed + 1)];
    let masked = (0..30).map(|i| (i * 7 + 3) % (2 * 30)).collect();
    vec![
        Plan { axes: grid(rows, columns), layout: PlanLayout::Grid },
        Plan { axes: grid(rows, 2 * columns), layout: PlanLayout::Masked(masked) },
        Plan { axes: grid(30, 30), layout: PlanLayout::Points },
    ]
}

#[test]
fn equals_stock_operations() {
    for (n0, n1) in [(1, 16), (1, 37), (8, 8), (7, 33), (16, 5)] {
        for k in [1, 3, 8, 17] {
            for scale in [0.01, 0.1, 0.4] {
                for (i, plan) in plans(n0, n1, scale, 5).into_iter().enumerate() {
                    let b = 3;
                    let other = plans(n0, n1, scale, 11).swap_remove(i);
                    let last = plans(n0, n1, 0.5 * scale, 23).swap_remove(0);
                    for plans in [vec![plan.clone()], vec![plan, other, last]] {
                        let plans: Vec<Arc<Plan>> = plans.into_iter().map(Arc::new).collect();
                        let z = |t: &[Tensor<1>]| t[0].clone().reshape([b, k, n0, n1]);
                        let what = format!("{n0}×{n1} k {k} ℓ {scale} plan {i} of {}", plans.len());
                        agree(
                            &what,
                            &[b * k * n0 * n1, 1],
                            &|t| interpolate(z(t), t[1].clone(), plans.clone()).reshape([-1]),
                            &|t| stock(z(t), t[1].clone(), &plans).reshape([-1]),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_instruction_set_agrees_at_points() {
    let plan = &plans(7, 33, 0.1, 3)[2];
    let (k, z, dy) = (19, numbers(19 * 7 * 33, 1), numbers(19 * 30, 2));
    let run = |isa| {
        let mut y = vec![0.0; k * 30];
        let state = &mut ChannelsLast::new(&z, k);
        simd::run(isa, Gather { plan, z: state, channels: k, points: 0..30, y: &mut y });
        let (dz, slope) = simd::run(isa, Scatter { plan, z: state, channels: k, points: 0..30, dy: &dy });
        [y, dz, vec![slope as f32]]
    };
    let expected = run(Isa::Portable);
    for isa in Isa::available() {
        for (got, expected) in run(isa).iter().zip(&expected) {
            assert!(difference(got, expected) < 2e-6, "{isa:?}");
        }
    }
}
