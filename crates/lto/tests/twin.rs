//! The twin as the paper defines it: parameter counts, identity, invariances, resolutions.

use burn::tensor::{Device, Tensor};
use lto::loss::ObjectiveConfig;
use lto::operator::{Architecture, Batch, Operator, Seen};
use lto::parameters::with_parameters;
use lto::problem::Problem;
use lto::train::flat::FlatLayout;
use lto::train::gradient::differentiate;
use lto::twin::config::TwinConfig;
use lto::twin::encoder::EncoderConfig;
use lto::twin::{Twin, TwinLatent};
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use std::collections::HashMap;
use std::sync::Arc;

fn problem(dim: usize, periodic: bool, steady: bool) -> Problem {
    let times = if steady { None } else { Some([0.0, 2.0]) };
    Problem {
        domain: Domain::unit(dim, periodic).unwrap(),
        source_channels: 1,
        target_channels: 1,
        native: vec![16; dim],
        times,
        changes: Vec::new(),
        measured: Default::default(),
    }
}

fn config(text: &str) -> TwinConfig {
    toml::from_str(text).unwrap()
}

fn gaussian(g: usize, h: usize, k: usize, f: usize, d: usize, evolution: &str) -> TwinConfig {
    config(&format!(
        "latent_points = {g}\nlatent_channels = {k}\nencoder = {{ kind = 'set_conv', hidden = {h} }}\n\
         evolution = {{ kind = '{evolution}', width = {f} }}\ndecoder = {{ hidden = {d} }}"
    ))
}

fn attention(k: usize, f: usize, d: usize, a: usize) -> TwinConfig {
    config(&format!(
        "latent_points = 8\nlatent_channels = {k}\nencoder = {{ kind = 'attention', width = {a} }}\n\
         evolution = {{ kind = 'steady', width = {f} }}\ndecoder = {{ hidden = {d} }}"
    ))
}

#[test]
fn parameter_counts_are_the_published_ones() {
    let device = Device::flex();
    for (config, problem, count) in [
        (gaussian(8, 16, 8, 32, 64, "steady"), problem(2, false, true), 29_139),
        (attention(8, 32, 64, 12), problem(2, false, true), 28_894),
        (attention(24, 96, 192, 32), problem(2, false, true), 240_594),
        (gaussian(8, 16, 8, 32, 64, "timed"), problem(1, true, false), 29_395),
        (gaussian(8, 64, 32, 128, 256, "timed"), problem(2, true, false), 1_126_211),
    ] {
        let twin = Twin::new(&config, &problem, &device).unwrap();
        assert_eq!(Operator::n_parameters(&twin), count, "{config:?}");
    }
}

fn context(points: Points, f: impl Fn(&[f64]) -> f64) -> Context {
    let dim = points.dim();
    let values = points.coordinates().chunks_exact(dim).map(f).collect();
    Context { points, n_channels: 1, values, deviations: None }
}

fn encode(twin: &Twin, contexts: &[Context]) -> Tensor<4> {
    Architecture::encode(twin, contexts).unwrap().z
}

fn decode(twin: &Twin, z: Tensor<4>, queries: &[Arc<Points>]) -> Tensor<3> {
    let latent = &TwinLatent { z, source: None };
    Architecture::decode(twin, Seen { contexts: &[], times: &[], latent }, queries).unwrap()
}

fn largest<const D: usize>(x: Tensor<D>) -> f32 {
    x.abs().max().into_scalar::<f32>()
}

/// Eq. total-loss from its definition: λ_evol times the mean square of decode ∘ evolve ∘ encode against the target, plus
/// λ_recon times that of decode ∘ encode against the source.
#[test]
fn the_total_loss_is_the_weighted_sum_of_evolution_and_reconstruction() {
    let device = Device::flex().autodiff();
    let twin = Twin::new(&gaussian(8, 4, 3, 8, 8, "timed"), &problem(1, true, false), &device).unwrap();
    // Not as at first, where the evolution is the identity.
    let (layout, mut weights) = FlatLayout::of(&twin);
    weights.iter_mut().enumerate().for_each(|(i, weight)| *weight += 0.1 * (i as f32).sin());
    let moved: HashMap<String, Vec<f32>> = layout.named("", &weights).map(|p| (p.name, p.values)).collect();
    let twin = with_parameters(twin, |name, _| moved.get(name).cloned());
    let points = Points::grid(Grid::cubic(Domain::unit(1, true).unwrap(), 10, Placement::Left).unwrap());
    let contexts = [1.0, 2.0].map(|phase| context(points.clone(), |x| (phase + 6.0 * x[0]).sin())).to_vec();
    let queries = vec![Arc::new(Points::scattered(points.domain().clone(), vec![0.1, 0.45, 0.8]).unwrap())];
    let (source, target) = ([0.3, -0.2, 0.9, 0.1, 0.0, -0.7], [1.3, 0.4, -0.5, 0.2, 0.6, -1.1]);
    let times = vec![(0.0, 0.7), (0.2, 1.9)];
    let mean_square = |found: Tensor<3>, truth: &[f64]| {
        let found = found.into_data().try_to_vec::<f32>().unwrap();
        let squares = found.iter().zip(truth).map(|(a, b)| (f64::from(*a) - b).powi(2));
        squares.sum::<f64>() / found.len() as f64
    };
    let z = encode(&twin, &contexts);
    let latent = TwinLatent { z: z.clone(), source: None };
    let evolved = Architecture::evolve(&twin, &latent, &times).z;
    let evolution = mean_square(decode(&twin, evolved, &queries), &target);
    let reconstruction = mean_square(decode(&twin, z, &queries), &source);
    assert!((evolution - reconstruction).abs() > 0.05, "{evolution} {reconstruction}");
    let batch = Batch {
        contexts,
        times,
        queries,
        source: source.to_vec(),
        target: target.to_vec(),
        target_contexts: Vec::new(),
    };
    for [evolution_weight, reconstruction_weight] in [[1.0, 1.0], [0.7, 0.3], [2.0, 0.0]] {
        let config =
            ObjectiveConfig { evolution_weight, reconstruction_weight, ..ObjectiveConfig::default() };
        let objective = config.init(&Normalizer::identity(1));
        let total = differentiate(&twin, &batch, &objective).unwrap().0.total;
        let expected = evolution_weight * evolution + reconstruction_weight * reconstruction;
        assert!((total / expected - 1.0).abs() < 1e-5, "{total} {expected}");
    }
}

#[test]
fn a_masked_grid_equals_the_same_points_scattered_in_any_order() {
    let device = Device::flex();
    for dim in [1, 2] {
        let twin =
            Twin::new(&gaussian(16, 4, 3, 8, 8, "timed"), &problem(dim, true, false), &device).unwrap();
        let grid = Grid::cubic(Domain::unit(dim, true).unwrap(), 9, Placement::Center).unwrap();
        let indices: Vec<usize> = (0..grid.len()).filter(|i| i % 3 != 1).collect();
        let masked = Points::masked(grid, indices).unwrap();
        let f = |x: &[f64]| (6.0 * x[0]).sin() + x[dim - 1];
        let mut flat = masked.coordinates();
        let n = masked.len();
        for i in 0..n / 2 {
            for d in 0..dim {
                flat.swap(i * dim + d, (n - 1 - i) * dim + d);
            }
        }
        let reversed = Points::scattered(masked.domain().clone(), flat).unwrap();
        let a = encode(&twin, &[context(masked, f)]);
        let b = encode(&twin, &[context(reversed, f)]);
        assert!(largest(a - b) < 1e-5);
    }
}

#[test]
fn grid_and_scattered_queries_agree() {
    let device = Device::flex();
    for dim in [1, 2] {
        let twin = Twin::new(&gaussian(8, 4, 3, 8, 8, "timed"), &problem(dim, true, false), &device).unwrap();
        let grid = Grid::cubic(Domain::unit(dim, true).unwrap(), 11, Placement::Left).unwrap();
        let z = Tensor::<4>::random(
            [2, 3, if dim == 2 { 8 } else { 1 }, 8],
            burn::tensor::Distribution::Normal(0.0, 1.0),
            &device,
        );
        let all = Points::grid(grid.clone());
        let a = decode(&twin, z.clone(), &[Arc::new(all.clone())]);
        let b = decode(&twin, z.clone(), &[Arc::new(all.to_scattered())]);
        assert!(largest(a.clone() - b) < 1e-5);
        let few = Points::masked(grid, vec![3, 5, 6]).unwrap();
        let c = decode(&twin, z, &[Arc::new(few)]);
        for (j, i) in [3, 5, 6].into_iter().enumerate() {
            assert!(largest(c.clone().narrow(2, j, 1) - a.clone().narrow(2, i, 1)) < 1e-5);
        }
    }
}

/// Without gradients no derivative of the kernel weights is made, and the weights are made in single precision: the
/// predictions are those of training, from grids, masked grids and scattered points.
#[test]
fn predictions_without_gradients_are_those_with_them() {
    let device = Device::flex().autodiff();
    for dim in [1, 2] {
        for density in ["raw", "per_point", "coverage"] {
            let mut config = gaussian(12, 4, 3, 8, 8, "timed");
            let EncoderConfig::SetConv(encoder) = &mut config.encoder else { unreachable!() };
            encoder.density = serde_json::from_value(density.into()).unwrap();
            let twin = Twin::new(&config, &problem(dim, true, false), &device).unwrap();
            let grid = Grid::cubic(Domain::unit(dim, true).unwrap(), 10, Placement::Center).unwrap();
            let masked = Points::masked(grid.clone(), (0..grid.len()).step_by(3).collect()).unwrap();
            let scattered = Points::scattered(masked.domain().clone(), masked.coordinates()).unwrap();
            for points in [Points::grid(grid), masked, scattered] {
                let query = Arc::new(points.clone());
                let contexts = [context(points, |x| (6.0 * x[0]).sin() + x[dim - 1])];
                let predict = |operator: &dyn Operator| -> Vec<f64> {
                    let predicted = operator.forward(&contexts, &[(0.1, 0.7)], std::slice::from_ref(&query));
                    predicted.unwrap().into_data().iter::<f64>().collect()
                };
                let (with, without) = (predict(&twin), predict(twin.without_gradients().as_ref()));
                let largest = with.iter().zip(&without).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(largest < 5e-5, "{dim} {density}: {largest}");
            }
        }
    }
}

#[test]
fn many_scattered_points_are_summed_in_chunks() {
    let device = Device::flex();
    for dim in [1, 2] {
        let twin = Twin::new(&gaussian(8, 4, 3, 8, 8, "timed"), &problem(dim, true, false), &device).unwrap();
        let n = if dim == 1 { 9001 } else { 95 };
        let all = Points::grid(Grid::cubic(Domain::unit(dim, true).unwrap(), n, Placement::Left).unwrap());
        let f = |x: &[f64]| (6.0 * x[0]).sin() + x[dim - 1];
        let scattered = encode(&twin, &[context(all.to_scattered(), f)]);
        assert!(largest(encode(&twin, &[context(all, f)]) - scattered) < 1e-5);
    }
}

/// One set of weights, one smooth field, seen at different resolutions and placements: nearly the same prediction.
#[test]
fn predictions_hardly_depend_on_the_resolution_of_the_context() {
    let device = Device::flex();
    for (dim, kind) in [(1, "timed"), (2, "residual")] {
        let twin = Twin::new(&gaussian(16, 4, 3, 8, 8, kind), &problem(dim, true, false), &device).unwrap();
        let f = |x: &[f64]| {
            let wave = (std::f64::consts::TAU * x[0]).sin();
            wave + (std::f64::consts::TAU * x[dim - 1]).cos()
        };
        let domain = Domain::unit(dim, true).unwrap();
        let query = [Arc::new(Points::grid(Grid::cubic(domain.clone(), 20, Placement::Center).unwrap()))];
        let predict = |n: usize, placement| {
            let points = Points::grid(Grid::cubic(domain.clone(), n, placement).unwrap());
            twin.forward(&[context(points, f)], &[(0.0, 1.0)], &query).unwrap()
        };
        let native = predict(64, Placement::Left);
        let size = largest(native.clone());
        for (n, placement, tolerance) in [
            // Sums of thousands of weights in single precision.
            (128, Placement::Left, 5e-5),
            (64, Placement::Center, 5e-5),
            (37, Placement::Center, 1e-4),
            (16, Placement::Left, 1e-2),
        ] {
            let off = largest(predict(n, placement) - native.clone()) / size;
            assert!(off < tolerance, "{dim}-D, {n} points: {off:e}");
        }
    }
}

/// Corollary Le: with the density held fixed the encoder is Lipschitz in the values, with the constant of its network, for
/// every number and placement of points. In the largest norm the constant of a convolution is its largest sum of absolute
/// weights over one output; activations have 1.
#[test]
fn the_encoder_is_lipschitz_with_the_constant_of_its_network_for_every_context() {
    let twin =
        Twin::new(&gaussian(8, 6, 4, 8, 8, "steady"), &problem(2, true, true), &Device::flex()).unwrap();
    let parameters = twin.parameters();
    let layer_constant = |layer: usize| -> f64 {
        let name = format!("encoder.layers.{layer}.weight");
        let weight = parameters.iter().find(|parameter| parameter.name == name).unwrap();
        let per_output: usize = weight.shape[1..].iter().product();
        let per_input: usize = weight.shape[2..].iter().product();
        // The first of the channels is the density.
        let fixed = if layer == 0 { per_input } else { 0 };
        let sum = |taps: &[f32]| taps[fixed..].iter().map(|w| f64::from(w.abs())).sum::<f64>();
        weight.values.chunks_exact(per_output).map(sum).fold(0.0, f64::max)
    };
    let constant: f64 = (0..3).map(layer_constant).product();
    for n in [1usize, 10, 1000] {
        let coordinates = (1..=n).flat_map(|i| [i as f64 * 0.618_034, i as f64 * 0.754_878]).map(f64::fract);
        let points = Points::scattered(Domain::unit(2, true).unwrap(), coordinates.collect()).unwrap();
        let encode = |f: &dyn Fn(&[f64]) -> f64| -> Vec<f32> {
            encode(&twin, &[context(points.clone(), f)]).into_data().iter::<f32>().collect()
        };
        let (u, v) =
            (encode(&|x| (9.0 * x[0]).sin()), encode(&|x| (9.0 * x[0]).sin() + 0.3 * (7.0 * x[1]).cos()));
        let change = u.iter().zip(&v).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
        assert!(change > 0.0 && change <= 0.3 * constant * (1.0 + 1e-4), "{n}: {change} above {constant}");
    }
}
