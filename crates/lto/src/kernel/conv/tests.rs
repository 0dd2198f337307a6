use super::*;
use crate::kernel::testing::{agree, difference, numbers, with_gradients};
use Padding::{Periodic, Zero};

const PADDINGS: [[Padding; 2]; 4] = [[Periodic, Periodic], [Zero, Periodic], [Periodic, Zero], [Zero, Zero]];

/// `[batch, input, output, n0, n1, k0, k1, dilation]`.
const SHAPES: [[usize; 8]; 9] = [
    [2, 1, 3, 1, 16, 1, 5, 1],
    [2, 3, 8, 1, 37, 1, 3, 32],
    [1, 7, 9, 5, 16, 3, 3, 2],
    [2, 4, 6, 9, 70, 5, 5, 1],
    [3, 13, 17, 4, 49, 3, 3, 32],
    [1, 2, 16, 16, 16, 3, 3, 32],
    [1, 1, 1, 3, 3, 5, 5, 1],
    [16, 32, 32, 1, 256, 1, 3, 4],
    [1, 64, 24, 1, 600, 1, 3, 1],
];

fn geometry([batch, input, output, n0, n1, k0, k1, dilation]: [usize; 8], padding: [Padding; 2]) -> Geometry {
    Geometry { batch, input, output, grid: [n0, n1], kernel: [k0, k1], dilation, padding }
}

/// Output, input gradient and weight gradient by their definition, in f64.
fn definition(g: &Geometry, x: &[f32], w: &[f32], dy: &[f32]) -> [Vec<f32>; 3] {
    let ([n0, n1], [k0, k1]) = (g.grid, g.kernel);
    let mut sums = [vec![0f64; dy.len()], vec![0f64; x.len()], vec![0f64; w.len()]];
    let source = |at: usize, tap: usize, k: usize, n: usize, padding| {
        let i = at as isize + g.dilation as isize * (tap as isize - (k / 2) as isize);
        let wrapped = i.rem_euclid(n as isize);
        (padding == Periodic || wrapped == i).then_some(wrapped as usize)
    };
    for row in 0..g.batch * n0 {
        let (b, y) = (row / n0, row % n0);
        for (p, q) in (0..k0).flat_map(|p| (0..k1).map(move |q| (p, q))) {
            let Some(sy) = source(y, p, k0, n0, g.padding[0]) else { continue };
            for c in 0..n1 {
                let Some(sc) = source(c, q, k1, n1, g.padding[1]) else { continue };
                for (o, i) in (0..g.output).flat_map(|o| (0..g.input).map(move |i| (o, i))) {
                    let from = ((b * g.input + i) * n0 + sy) * n1 + sc;
                    let to = ((b * g.output + o) * n0 + y) * n1 + c;
                    let tap = ((o * g.input + i) * k0 + p) * k1 + q;
                    sums[0][to] += f64::from(x[from] * w[tap]);
                    sums[1][from] += f64::from(dy[to] * w[tap]);
                    sums[2][tap] += f64::from(dy[to] * x[from]);
                }
            }
        }
    }
    sums.map(|sum| sum.into_iter().map(|v| v as f32).collect())
}

#[test]
fn every_instruction_set_computes_the_definition() {
    for shape in SHAPES {
        for padding in PADDINGS {
            let g = geometry(shape, padding);
            let x = numbers(g.batch * g.input * g.grid[0] * g.grid[1], 1);
            let w = numbers(g.output * g.input * g.taps(), 2);
            let dy = numbers(g.batch * g.output * g.grid[0] * g.grid[1], 3);
            let expected = definition(&g, &x, &w, &dy);
            let source = |values, channels| Source { values, gate: Gate::Open, channels, grid: g.grid };
            let (input, gradient) = (source(&x, g.input), source(&dy, g.output));
            for isa in Isa::available() {
                let zero = vec![0.0; g.output];
                let layer = Layer { weight: &w, bias: &zero, addend: None, activation: Activation::None };
                let got = [
                    forward::forward(isa, &g, &input, layer, false).output,
                    forward::input_gradient(isa, &g, &gradient, &w),
                    weight_gradient::weight_gradient(isa, &g, &input, &gradient).0,
                ];
                for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                    let off = difference(got, expected);
                    assert!(off < 2e-6, "{isa:?} {g:?} {i}: {off:e}");
                }
            }
        }
    }
}

#[test]
fn equals_stock_operations() {
    for shape in SHAPES {
        for padding in PADDINGS {
            for activation in Activation::ALL {
                let [b, i, o, n0, n1, k0, k1, dilation] = shape;
                let run = |f: fn(_, _, _, _, _, _) -> Tensor<4>| {
                    move |leaves: &[Tensor<1>]| {
                        let x = leaves[0].clone().reshape([b, i, n0, n1]);
                        let w = leaves[1].clone().reshape([o, i, k0, k1]);
                        f(x, w, leaves[2].clone(), dilation, padding, activation).reshape([-1])
                    }
                };
                let what = format!("{shape:?} {padding:?} {activation:?}");
                let sizes = [b * i * n0 * n1, o * i * k0 * k1, o, b * o * n0 * n1];
                agree(&what, &sizes[..3], &run(conv), &run(stock));
                let added = |t: &[Tensor<1>], ours: bool| {
                    let (x, w) = (t[0].clone().reshape([b, i, n0, n1]), t[1].clone().reshape([o, i, k0, k1]));
                    let (bias, addend) = (t[2].clone(), t[3].clone().reshape([b, o, n0, n1]));
                    let sum = match ours {
                        true => conv_added(x, w, bias, addend, dilation, padding, activation),
                        false => {
                            activation.stock(stock(x, w, bias, dilation, padding, Activation::None) + addend)
                        }
                    };
                    sum.reshape([-1])
                };
                agree(&format!("{what} added"), &sizes, &|t| added(t, true), &|t| added(t, false));
            }
        }
    }
}

/// Results do not depend on how the work is split.
#[test]
fn results_are_the_same_on_one_thread_bit_for_bit() {
    let leaves = [numbers(8 * 16 * 40 * 40, 1), numbers(16 * 16 * 9, 2), numbers(16, 3)];
    let run = || {
        with_gradients(&leaves, &|leaves| {
            let (x, w) =
                (leaves[0].clone().reshape([8, 16, 40, 40]), leaves[1].clone().reshape([16, 16, 3, 3]));
            conv(x, w, leaves[2].clone(), 2, [Periodic, Zero], Activation::Gelu).reshape([-1])
        })
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
    assert_eq!(one, run());
}
