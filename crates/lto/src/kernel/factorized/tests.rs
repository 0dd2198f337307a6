//! Against stock operations, which the transform written out confirms, and on any number of threads.

use super::*;
use crate::kernel::testing::{agree, numbers, with_gradients};

/// Grids with their modes: one and two axes, odd and even, all wavenumbers and few, wide and narrow.
const GRIDS: [&[(usize, usize)]; 7] = [
    &[(12, 4)],
    &[(33, 17)],
    &[(1, 1)],
    &[(8, 3), (10, 6)],
    &[(7, 4), (9, 2)],
    &[(1, 1), (5, 3)],
    &[(20, 5), (48, 16)],
];

/// Sizes of z, of the spectral weights, and of the perceptron's layers.
fn sizes([b, c, inner]: [usize; 3], grid: &[(usize, usize)]) -> Vec<usize> {
    let points: usize = grid.iter().map(|(n, _)| n).product();
    let spectral = grid.iter().flat_map(|(_, modes)| [c * c * modes; 2]);
    [b * c * points].into_iter().chain(spectral).chain([c * inner, inner, inner * c, c]).collect()
}

type Layer = fn(Tensor<4>, Vec<(Tensor<3>, Tensor<3>)>, [mlp::Parameters; 2], &Arc<Lines>, bool) -> Tensor<4>;

fn applied(
    [b, c, inner]: [usize; 3],
    grid: &'static [(usize, usize)],
    residual: bool,
    layer: Layer,
) -> impl Fn(&[Tensor<1>]) -> Tensor<1> {
    move |t| {
        let lines = Arc::new(Lines::new(grid));
        let [n0, n1] = lines.grid();
        let weight = |i: usize, modes: usize| t[i].clone().reshape([c, c, modes]);
        let spectral =
            grid.iter().enumerate().map(|(d, (_, m))| (weight(2 * d + 1, *m), weight(2 * d + 2, *m)));
        let at = 1 + 2 * grid.len();
        let part = |i: usize, shape: [usize; 2]| (t[at + i].clone().reshape(shape), t[at + i + 1].clone());
        let perceptron = [part(0, [c, inner]), part(2, [inner, c])];
        let z = t[0].clone().reshape([b, c, n0, n1]);
        layer(z, spectral.collect(), perceptron, &lines, residual).reshape([-1])
    }
}

#[test]
fn equals_stock_operations() {
    let plain: Layer =
        |z, spectral, perceptron, lines, residual| stock(z, spectral, perceptron, lines, residual);
    for grid in GRIDS {
        for shape in [[1, 1, 1], [3, 2, 8], [11, 4, 5]] {
            for residual in [false, true] {
                agree(
                    &format!("{grid:?} {shape:?} {residual}"),
                    &sizes(shape, grid),
                    &applied(shape, grid, residual, factorized_layer),
                    &applied(shape, grid, residual, plain),
                );
            }
        }
    }
}

#[test]
fn results_are_the_same_on_one_thread_bit_for_bit() {
    let (shape, grid): (_, &[(usize, usize)]) = ([3, 16, 64], &[(64, 12), (64, 16)]);
    let leaves: Vec<Vec<f32>> =
        sizes(shape, grid).iter().zip(1..).map(|(n, seed)| numbers(*n, seed)).collect();
    let run = || with_gradients(&leaves, &applied(shape, grid, true, factorized_layer));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
    assert_eq!(one, run());
}
