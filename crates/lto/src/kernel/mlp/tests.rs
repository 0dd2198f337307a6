use super::*;
use crate::kernel::testing::{agree, difference, numbers, with_gradients};

/// `[batch, points, in, hidden, hidden, out]`.
const SHAPES: [[usize; 6]; 6] = [
    [1, 1, 1, 1, 1, 1],
    [2, 47, 3, 5, 7, 2],
    [3, 49, 8, 64, 64, 1],
    [1, 500, 32, 40, 24, 3],
    [2, 1000, 9, 33, 17, 5],
    [4, 96, 2, 16, 8, 4],
];

fn sizes([b, m, k, d1, d2, q]: [usize; 6]) -> [usize; 7] {
    [b * k * m, k * d1, d1, d1 * d2, d2, d2 * q, q]
}

fn apply_to(
    [b, m, k, d1, d2, q]: [usize; 6],
    f: fn(Tensor<3>, Parameters) -> Tensor<3>,
) -> impl Fn(&[Tensor<1>]) -> Tensor<1> {
    move |t| {
        let layer = |i: usize, shape: [usize; 2]| (t[i].clone().reshape(shape), t[i + 1].clone());
        let parameters = [layer(1, [k, d1]), layer(3, [d1, d2]), layer(5, [d2, q])];
        f(t[0].clone().reshape([b, k, m]), parameters).reshape([-1])
    }
}

#[test]
fn equals_stock_operations() {
    for shape in SHAPES {
        agree(&format!("{shape:?}"), &sizes(shape), &apply_to(shape, mlp), &apply_to(shape, stock));
    }
}

#[test]
fn every_instruction_set_agrees() {
    for shape in SHAPES {
        let [b, m, k, d1, d2, q] = shape;
        let flat: Vec<Vec<f32>> = sizes(shape).iter().zip(1..).map(|(n, seed)| numbers(*n, seed)).collect();
        let shapes: [&[usize]; 7] = [&[b, k, m], &[k, d1], &[d1], &[d1, d2], &[d2], &[d2, q], &[q]];
        let arrays: Vec<Array> =
            flat.iter().zip(shapes).map(|(values, shape)| Array { values, shape }).collect();
        let layers = Layers::new(&arrays);
        let gradient = numbers(b * q * m, 9);
        let run = |isa| {
            let mut all = backward::backward(isa, &layers, &gradient).to_vec();
            all.push(forward::forward(isa, &layers));
            all
        };
        let expected = run(Isa::Portable);
        for isa in Isa::available() {
            for (i, (got, expected)) in run(isa).iter().zip(&expected).enumerate() {
                let off = difference(got, expected);
                assert!(off < 2e-6, "{isa:?} {shape:?} {i}: {off:e}");
            }
        }
    }
}

#[test]
fn results_are_the_same_on_one_thread_bit_for_bit() {
    let shape = [2, 5000, 8, 32, 32, 2];
    let leaves: Vec<Vec<f32>> = sizes(shape).iter().zip(1..).map(|(n, seed)| numbers(*n, seed)).collect();
    let run = || with_gradients(&leaves, &apply_to(shape, mlp));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
    assert_eq!(one, run());
}
