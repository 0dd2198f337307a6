//! Against stock operations, against a transform written out, and for all instruction sets.

use super::axis::Axis;
use super::mixing::{Way, Weights, mix, weight_gradients};
use super::*;
use crate::kernel::testing::{agree, difference, numbers};
use std::f64::consts::TAU;

/// Axes of all kinds: both dimensions, odd and even sizes, padded, with overlap and with dropped wavenumbers.
fn transforms() -> Vec<Arc<Transform>> {
    [
        (Axis::single(), Axis::half(12, 12, 4)),
        (Axis::single(), Axis::half(33, 33, 17)),
        (Axis::single(), Axis::half(9, 12, 5)),
        (Axis::symmetric(7, 9, 3), Axis::half(10, 13, 3)),
        (Axis::blocks(8, 4), Axis::half(9, 9, 5)),
        (Axis::blocks(6, 4), Axis::half(6, 6, 4)),
        (Axis::centered(10, 5), Axis::half(8, 8, 3)),
        (Axis::centered(4, 6), Axis::half(21, 21, 8)),
    ]
    .into_iter()
    .map(|(first, last)| Arc::new(Transform::new(first, last)))
    .collect()
}

#[test]
fn equals_stock_operations() {
    for (case, transform) in transforms().into_iter().enumerate() {
        let ([n0, n1], modes) = (transform.grid(), transform.modes());
        for [b, i, o] in [[1, 1, 1], [3, 2, 5], [6, 4, 3]] {
            let sizes = [b * i * n0 * n1, i * o * modes, i * o * modes, o * i, o];
            let x = |t: &[Tensor<1>]| t[0].clone().reshape([b, i, n0, n1]);
            let w = |t: &Tensor<1>| t.clone().reshape([i, o, modes]);
            agree(
                &format!("{case} {b} {i} {o}"),
                &sizes[..3],
                &|t| spectral(x(t), w(&t[1]), w(&t[2]), &transform).reshape([-1]),
                &|t| stock(x(t), w(&t[1]), w(&t[2]), &transform).reshape([-1]),
            );
            for activation in Activation::ALL {
                let local = |t: &[Tensor<1>]| (t[3].clone().reshape([o, i, 1, 1]), t[4].clone());
                agree(
                    &format!("block {case} {b} {i} {o} {activation:?}"),
                    &sizes,
                    &|t| {
                        spectral_block(x(t), w(&t[1]), w(&t[2]), local(t), &transform, activation)
                            .reshape([-1])
                    },
                    &|t| {
                        stock_block(x(t), w(&t[1]), w(&t[2]), local(t), &transform, activation).reshape([-1])
                    },
                );
            }
        }
    }
}

/// The complex transform in double precision, all its rows and columns, those of two blocks kept: what an inverse real
/// transform gives ignores the imaginary part of column 0 and of the Nyquist column.
#[test]
fn equals_a_whole_transform_written_out() {
    for (n0, n1, modes) in [(8, 8, 3), (6, 6, 4), (7, 9, 4), (5, 10, 3)] {
        let transform = Transform::new(Axis::blocks(n0, modes), Axis::half(n1, n1, modes));
        let (x, re, im) = (numbers(n0 * n1, 1), numbers(2 * modes * modes, 2), numbers(2 * modes * modes, 3));
        let angle = |k: usize, j: usize, n: usize| TAU * (k * j % n) as f64 / n as f64;
        // Rows overwrite each other in the order of the blocks.
        let mut kept = vec![None; n0 * (n1 / 2 + 1)];
        for (row, k0) in (0..modes).chain(n0 - modes..n0).enumerate() {
            for k1 in 0..modes {
                kept[k0 * (n1 / 2 + 1) + k1] = Some(row * modes + k1);
            }
        }
        let mut expected = vec![0.0; n0 * n1];
        for (place, mode) in kept.into_iter().enumerate() {
            let Some(mode) = mode else { continue };
            let (k0, k1) = (place / (n1 / 2 + 1), place % (n1 / 2 + 1));
            let (mut a, mut b) = (0.0, 0.0);
            for (i, value) in x.iter().enumerate() {
                let theta = angle(k0, i / n1, n0) + angle(k1, i % n1, n1);
                a += f64::from(*value) * theta.cos();
                b -= f64::from(*value) * theta.sin();
            }
            let (wr, wi) = (f64::from(re[mode]), f64::from(im[mode]));
            let (a, b) = (a * wr - b * wi, a * wi + b * wr);
            let twice = if k1 == 0 || 2 * k1 == n1 { 1.0 } else { 2.0 };
            for (i, y) in expected.iter_mut().enumerate() {
                let theta = angle(k0, i / n1, n0) + angle(k1, i % n1, n1);
                *y += twice * (a * theta.cos() - b * theta.sin()) / (n0 * n1) as f64;
            }
        }
        let device = burn::tensor::Device::flex();
        let tensor = |v: &[f32]| Tensor::<1>::from_floats(v, &device);
        let modes = transform.modes();
        let y = spectral(
            tensor(&x).reshape([1, 1, n0, n1]),
            tensor(&re).reshape([1, 1, modes]),
            tensor(&im).reshape([1, 1, modes]),
            &Arc::new(transform),
        );
        let y: Vec<f32> = y.into_data().iter::<f32>().collect();
        let expected: Vec<f32> = expected.into_iter().map(|v| v as f32).collect();
        assert!(difference(&y, &expected) < 2e-6, "{n0} {n1}: {}", difference(&y, &expected));
    }
}

#[test]
fn every_instruction_set_mixes_alike() {
    for (batch, inputs, outputs, modes) in [(1, 2, 3, 5), (5, 3, 2, 37), (4, 6, 7, 64)] {
        let n = inputs * outputs * modes;
        let (real, imaginary) = (numbers(n, 1), numbers(n, 2));
        let weights = Weights { real: &real, imaginary: &imaginary, inputs, outputs };
        let (x, g) = (numbers(batch * inputs * 2 * modes, 3), numbers(batch * outputs * 2 * modes, 4));
        let run = |isa| {
            let [a, b] = weight_gradients(isa, (inputs, outputs), &x, &g, modes);
            let forth = mix(isa, &weights, Way::Forth, &x, modes);
            [forth, mix(isa, &weights, Way::Back, &g, modes), a, b]
        };
        let expected = run(Isa::Portable);
        for isa in Isa::available() {
            for (got, expected) in run(isa).iter().zip(&expected) {
                assert!(difference(got, expected) < 2e-6, "{isa:?}");
            }
        }
    }
}

/// A band-limited field is convolved the same on every grid that resolves it.
#[test]
fn band_limited_fields_are_convolved_alike_on_every_grid() {
    let (modes, device) = (4, burn::tensor::Device::flex());
    let (re, im) = (numbers(2 * modes * modes, 5), numbers(2 * modes * modes, 6));
    let convolve = |n: usize| {
        let transform = Transform::new(Axis::blocks(n, modes), Axis::half(n, n, modes));
        let at = |i: usize| TAU * i as f64 / n as f64;
        let wave = |i: usize| (at(i / n) + 2.0 * at(i % n)).sin() + (3.0 * at(i / n)).cos() + 0.5;
        let x: Vec<f32> = (0..n * n).map(|i| wave(i) as f32).collect();
        let tensor = |v: &[f32]| Tensor::<1>::from_floats(v, &device);
        let weight = |v: &[f32]| tensor(v).reshape([1, 1, 2 * modes * modes]);
        let y = spectral(tensor(&x).reshape([1, 1, n, n]), weight(&re), weight(&im), &Arc::new(transform));
        y.into_data().iter::<f32>().collect::<Vec<_>>()
    };
    let (coarse, fine) = (convolve(9), convolve(45));
    let shared: Vec<f32> = (0..81).map(|i| fine[i / 9 * 5 * 45 + i % 9 * 5]).collect();
    assert!(difference(&coarse, &shared) < 2e-6, "{}", difference(&coarse, &shared));
}
