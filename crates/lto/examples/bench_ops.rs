//! Times the CPU kernels against the same by stock Burn operations, at the shapes of the three published twins:
//! `cargo run --release -p lto --example bench_ops [-- SECONDS_PER_CASE]`.

use burn::tensor::{Device, Distribution, Tensor, TensorData};
use lto::kernel::activation::Activation;
use lto::kernel::conv::{self, Padding, conv};
use lto::kernel::interpolate::{self, AxisWeights, QueryLayout, QueryWeights, interpolate};
use lto::kernel::mlp::{self, mlp};
use lto::kernel::modulate::{self, modulate};
use lto_numerics::Axis;
use lto_numerics::setconv::Scale;
use std::sync::Arc;
use std::time::Instant;

/// Any operation on flat tensors.
type Run<'a> = Box<dyn Fn(&[Tensor<1>]) -> Tensor<1> + 'a>;

struct Case<'a> {
    name: String,
    /// Multiplications and additions of the forward pass.
    operations: usize,
    sizes: Vec<usize>,
    ours: Run<'a>,
    stock: Run<'a>,
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0.5);
    println!(
        "{:42} {:>24} {:>17} {:>24} {:>17}",
        "", "forward, ours", "stock", "and backward, ours", "stock"
    );
    for case in convs().into_iter().chain(mlps()).chain(interpolations()).chain(modulations()) {
        let forward = |run: &Run| {
            let leaves = leaves(&case.sizes, &Device::flex());
            median(seconds, || drop(run(&leaves)))
        };
        let both = |run: &Run| {
            let device = Device::flex().autodiff();
            let leaves: Vec<_> = leaves(&case.sizes, &device).into_iter().map(Tensor::require_grad).collect();
            median(seconds, || drop(run(&leaves).sum().backward()))
        };
        // The gradient of a product is two products.
        let rate = |seconds: f64, passes: usize| (passes * case.operations) as f64 / seconds / 1e9;
        let (f, fs, b, bs) = (forward(&case.ours), forward(&case.stock), both(&case.ours), both(&case.stock));
        println!(
            "{:42} {:9.3} ms {:6.1} GF/s {:9.3} ms {:3.0}× {:9.3} ms {:6.1} GF/s {:9.3} ms {:3.0}×",
            case.name,
            f * 1e3,
            rate(f, 1),
            fs * 1e3,
            fs / f,
            b * 1e3,
            rate(b, 3),
            bs * 1e3,
            bs / b
        );
    }
}

fn leaves(sizes: &[usize], device: &Device) -> Vec<Tensor<1>> {
    sizes.iter().map(|n| Tensor::random([*n], Distribution::Normal(0.0, 0.5), device)).collect()
}

fn median(seconds: f64, mut run: impl FnMut()) -> f64 {
    run();
    let (mut times, begin) = (Vec::new(), Instant::now());
    while times.len() < 3 || begin.elapsed().as_secs_f64() < seconds {
        let t = Instant::now();
        run();
        times.push(t.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Batch, channels, grid, kernel width, dilation, activation of the layers of the three twins.
fn convs<'a>() -> Vec<Case<'a>> {
    use Activation::{None, Relu, Silu};
    let case =
        |name: &str, b: usize, [i, o]: [usize; 2], [n0, n1]: [usize; 2], k: usize, dilation, activation| {
            let k0 = if n0 == 1 { 1 } else { k };
            let run = move |f: fn(_, _, _, _, _, _) -> Tensor<4>| -> Run<'a> {
                Box::new(move |t| {
                    let (x, w) = (t[0].clone().reshape([b, i, n0, n1]), t[1].clone().reshape([o, i, k0, k]));
                    f(x, w, t[2].clone(), dilation, [Padding::Periodic; 2], activation).reshape([-1])
                })
            };
            Case {
                name: format!("conv {name} {i}→{o} k{k} dilation {dilation} {activation:?}"),
                operations: 2 * b * i * o * n0 * n1 * k0 * k,
                sizes: vec![b * i * n0 * n1, o * i * k0 * k, o],
                ours: run(conv),
                stock: run(conv::stock),
            }
        };
    let line = [1, 256];
    let square = [64, 64];
    vec![
        case("burgers", 16, [2, 16], line, 5, 1, Relu),
        case("burgers", 16, [16, 16], line, 5, 1, Relu),
        case("burgers", 16, [32, 32], line, 3, 4, Silu),
        case("burgers", 16, [32, 8], line, 3, 1, None),
        case("ns", 4, [64, 64], square, 5, 1, Relu),
        case("ns", 4, [128, 128], square, 3, 8, Silu),
        case("darcy", 4, [16, 16], square, 5, 1, Relu),
        case("darcy", 4, [32, 32], square, 3, 1, Silu),
    ]
}

fn mlps<'a>() -> Vec<Case<'a>> {
    let case = |name: &str, b: usize, m: usize, k: usize, d: usize| {
        let run = move |f: fn(_, _) -> Tensor<3>| -> Run<'a> {
            Box::new(move |t| {
                let layer = |i: usize, shape: [usize; 2]| (t[i].clone().reshape(shape), t[i + 1].clone());
                let parameters = [layer(1, [k, d]), layer(3, [d, d]), layer(5, [d, 1])];
                f(t[0].clone().reshape([b, k, m]), parameters).reshape([-1])
            })
        };
        Case {
            name: format!("mlp {name} {k}→{d}→{d}→1 at {b}×{m}"),
            operations: 2 * b * m * (k * d + d * d + d),
            sizes: vec![b * k * m, k * d, d, d * d, d, d, 1],
            ours: run(mlp),
            stock: run(mlp::stock),
        }
    };
    vec![
        case("burgers", 16, 1024, 8, 64),
        case("ns", 4, 64 * 64, 32, 256),
        case("darcy", 4, 211 * 211, 8, 64),
    ]
}

/// The weights of a query as tensors that carry the gradient of log ℓ.
fn as_tensors(query: &QueryWeights) -> impl Fn(&Tensor<1>) -> Arc<QueryWeights<Tensor<2>>> + use<> {
    let query = query.clone();
    move |log_scale: &Tensor<1>| {
        let axis = |of: &AxisWeights| {
            let matrix = |data: &[f32]| {
                let data = TensorData::new(data.to_vec(), [of.rows, of.columns]);
                Tensor::<2>::from_data(data, &log_scale.device())
            };
            let step = log_scale.clone() - log_scale.clone().detach();
            matrix(&of.weights) + matrix(&of.derivative) * step.unsqueeze()
        };
        Arc::new(QueryWeights { axes: query.axes.each_ref().map(axis), layout: query.layout.clone() })
    }
}

fn interpolations<'a>() -> Vec<Case<'a>> {
    let positions = |n: usize| -> Vec<f64> { (0..n).map(|i| i as f64 / n as f64).collect() };
    let weights = |m: usize, n: usize| {
        AxisWeights::normalized(
            &Axis::new("x", 0.0, 1.0, true),
            &positions(m),
            &positions(n),
            Scale { length: 0.1, slope: true },
        )
    };
    let case = |name: &str, [b, k]: [usize; 2], [n0, n1]: [usize; 2], query: QueryWeights| {
        let operations = match query.layout {
            QueryLayout::Points => 2 * b * k * n0 * n1 * query.points(),
            _ if n0 == 1 => 2 * b * k * n1 * query.points(),
            _ => 2 * b * k * (n0 * n1 * query.axes[1].rows + n0 * query.points()),
        };
        let name = format!("interpolate {name} {b}×{k}×{n0}×{n1} at {}", query.points());
        let queries = vec![Arc::new(query)];
        let stock = as_tensors(&queries[0]);
        let z = move |t: &[Tensor<1>]| t[0].clone().reshape([b, k, n0, n1]);
        Case {
            name,
            operations,
            sizes: vec![b * k * n0 * n1, 1],
            ours: Box::new(move |t| interpolate(z(t), t[1].clone(), queries.clone()).reshape([-1])),
            stock: Box::new(move |t| interpolate::stock(z(t), &[stock(&t[1])]).reshape([-1])),
        }
    };
    let grid = |axes| QueryWeights { axes, layout: QueryLayout::Grid };
    let points =
        |n: usize| QueryWeights { axes: [weights(n, 64), weights(n, 64)], layout: QueryLayout::Points };
    vec![
        case("burgers", [16, 8], [1, 256], grid([AxisWeights::ones(1, 1), weights(1024, 256)])),
        case("ns", [4, 32], [64, 64], grid([weights(64, 64), weights(64, 64)])),
        case("darcy", [4, 8], [64, 64], grid([weights(211, 64), weights(211, 64)])),
        case("scattered", [4, 8], [64, 64], points(2048)),
    ]
}

fn modulations<'a>() -> Vec<Case<'a>> {
    let case = |name: &str, b: usize, c: usize, n0: usize, n1: usize| {
        let run = move |f: fn(_, _, _, _) -> Tensor<4>| -> Run<'a> {
            Box::new(move |t| {
                let h = t[0].clone().reshape([b, c, n0, n1]);
                f(h, t[1].clone().reshape([b, c]), t[2].clone().reshape([b, c]), Activation::Silu)
                    .reshape([-1])
            })
        };
        Case {
            name: format!("modulate {name} {b}×{c}×{n0}×{n1} Silu"),
            operations: 2 * b * c * n0 * n1,
            sizes: vec![b * c * n0 * n1, b * c, b * c],
            ours: run(modulate),
            stock: run(modulate::stock),
        }
    };
    vec![case("burgers", 16, 32, 1, 256), case("ns", 4, 128, 64, 64)]
}
