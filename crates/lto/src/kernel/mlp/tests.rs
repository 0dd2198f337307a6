use super::*;
use crate::kernel::testing::{agree, difference, numbers, with_gradients};

/// Examples, points, and the channels before the first and after each layer.
type Shape = (usize, usize, &'static [usize]);

const SHAPES: [Shape; 8] = [
    (1, 1, &[1, 1, 1, 1]),
    (2, 47, &[3, 5, 7, 2]),
    (3, 49, &[8, 64, 64, 1]),
    (1, 500, &[32, 40, 24, 3]),
    (2, 1000, &[9, 33, 17, 5]),
    (4, 96, &[2, 16, 8, 4]),
    (3, 101, &[5, 20, 7]),
    (2, 700, &[24, 96, 24]),
];

fn sizes((b, m, widths): Shape) -> Vec<usize> {
    let layers = widths.windows(2).flat_map(|w| [w[0] * w[1], w[1]]);
    std::iter::once(b * widths[0] * m).chain(layers).collect()
}

fn apply_to(
    (b, m, widths): Shape,
    f: fn(Tensor<3>, Vec<Parameters>) -> Tensor<3>,
) -> impl Fn(&[Tensor<1>]) -> Tensor<1> {
    move |t| {
        let layer =
            |(i, w): (usize, &[usize])| (t[2 * i + 1].clone().reshape([w[0], w[1]]), t[2 * i + 2].clone());
        let parameters = widths.windows(2).enumerate().map(layer).collect();
        f(t[0].clone().reshape([b, widths[0], m]), parameters).reshape([-1])
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
        let (b, points, widths) = shape;
        let flat: Vec<Vec<f32>> = sizes(shape).iter().zip(1..).map(|(n, seed)| numbers(*n, seed)).collect();
        let shapes: Vec<Vec<usize>> =
            widths.windows(2).flat_map(|w| [vec![w[0], w[1]], vec![w[1]]]).collect();
        let arrays: Vec<Array> =
            flat[1..].iter().zip(&shapes).map(|(values, shape)| Array { values, shape }).collect();
        let (layers, x) = (&Layers::new(&arrays), &flat[0][..]);
        let residual = numbers(b * layers.output() * points, 8);
        let gradient = &numbers(b * layers.output() * points, 9)[..];
        let run = |isa| {
            let (packed, transposed) = (&layers.pack(isa)[..], &layers.pack_transposed(isa)[..]);
            let mut all = BackwardPass { layers, packed, transposed, x, points, gradient }.run(isa);
            for residual in [None, Some(&residual[..])] {
                let mut y = Vec::with_capacity(gradient.len());
                let pass = ForwardPass { layers, packed, x, points, residual };
                pass.run(isa, &mut y.spare_capacity_mut()[..gradient.len()]);
                // SAFETY: the pass has written all of them.
                unsafe { y.set_len(gradient.len()) };
                all.push(y);
            }
            all
        };
        let expected = run(Isa::Portable);
        let [.., plain, added] = &expected[..] else { panic!("two outputs") };
        let sum: Vec<f32> = plain.iter().zip(&residual).map(|(a, b)| a + b).collect();
        assert_eq!(&sum, added);
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
    let shape: Shape = (2, 5000, &[8, 32, 32, 2]);
    let leaves: Vec<Vec<f32>> = sizes(shape).iter().zip(1..).map(|(n, seed)| numbers(*n, seed)).collect();
    let run = || with_gradients(&leaves, &apply_to(shape, mlp));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
    assert_eq!(one, run());
}
