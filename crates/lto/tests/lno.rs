//! The Latent Neural Operator: equal to an independent implementation (`fixtures/make_lno.py`), and what it promises.

#[path = "common/fixture.rs"]
mod fixture;

use burn::tensor::{Device, Tensor, TensorData};
use fixture::Fixture;
use lto::Error;
use lto::baseline::lno::Lno;
use lto::baseline::lno::config::LnoConfig;
use lto::model::ModelConfig;
use lto::operator::{Operator, Reach};
use lto::problem::Problem;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;

fn problem(dim: usize, source_channels: usize, target_channels: usize, timed: bool) -> Problem {
    Problem {
        domain: Domain::unit(dim, false).unwrap(),
        source_channels,
        target_channels,
        native: vec![8; dim],
        times: timed.then_some([0.0, 1.0]),
        changes: Vec::new(),
        measured: Default::default(),
    }
}

fn config(text: &str) -> LnoConfig {
    toml::from_str(text).unwrap()
}

const SMALL: &str = "blocks = 2\nmodes = 5\ndim = 6\nheads = 2";

/// The weights of a fixture: with initial ones predictions hardly differ from place to place.
fn small(queries: &str) -> Arc<dyn Operator> {
    let config: ModelConfig =
        toml::from_str(&format!("kind = 'lno'\nqueries = '{queries}'\n{SMALL}")).unwrap();
    let lno = config.init(&problem(2, 1, 1, true), 4, lto::Device::cpu()).unwrap();
    let mut fixture = Fixture::open("lno_observations");
    lno.with_parameters(&mut |name, _| Some(fixture.single(&format!("parameter/{name}"))))
}

/// Scattered points of the unit square by a rule, and made-up values.
fn context(n: usize, phase: f64) -> Context {
    // The golden ratio and its like: no point comes twice.
    let at =
        |i: usize| [(0.618_034 * i as f64 + phase).fract(), (0.754_878 * i as f64 + 0.3 * phase).fract()];
    let points = Points::scattered(Domain::unit(2, false).unwrap(), (0..n).flat_map(at).collect()).unwrap();
    Context {
        points,
        n_channels: 1,
        values: (0..n).map(|i| (1.3 * i as f64 + phase).sin()).collect(),
        deviations: None,
    }
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn parameter_counts_are_the_published_ones() {
    for (text, published) in [
        ("blocks = 4\nmodes = 64\ndim = 160\nheads = 8\nlayers = 2", 1_146_945),
        ("blocks = 3\nmodes = 128\ndim = 26\nheads = 2", 29_171),
        ("blocks = 4\nmodes = 256\ndim = 128\nheads = 8", 762_113),
    ] {
        for queries in ["observations", "any"] {
            let config = config(&format!("{text}\nqueries = '{queries}'"));
            let lno = Lno::new(&config, &problem(2, 1, 1, false), &Device::flex()).unwrap();
            assert_eq!(lno.n_parameters(), published, "{text}");
        }
    }
}

#[test]
fn forward_and_gradients_equal_the_independent_implementation() {
    let cases = [
        ("lno_observations", problem(2, 1, 1, false), 2, SMALL.to_string()),
        (
            "lno_any",
            problem(1, 2, 2, true),
            3,
            "blocks = 2\nmodes = 5\ndim = 6\nheads = 3\nlayers = 1\nqueries = 'any'".into(),
        ),
    ];
    for (name, problem, n, text) in cases {
        let mut fixture = Fixture::open(name);
        let device = Device::flex().autodiff();
        let domain = problem.domain.clone();
        let n_channels = problem.source_channels;
        let lno = Lno::new(&config(&text), &problem, &device).unwrap();
        let lno = lno.with_parameters(&mut |name, _| Some(fixture.single(&format!("parameter/{name}"))));
        let place = |flat: Vec<f64>| Points::scattered(domain.clone(), flat).unwrap();
        let (mut contexts, mut queries) = (Vec::new(), Vec::new());
        for i in 0..n {
            let points = place(fixture.get(&format!("points/{i}")));
            contexts.push(Context {
                points,
                n_channels,
                values: fixture.get(&format!("values/{i}")),
                deviations: None,
            });
            queries.push(Arc::new(place(fixture.get(&format!("query/{i}")))));
        }
        let prediction = lno.forward(&contexts, &vec![(0.0, 1.0); n], &queries).unwrap();
        let expected = fixture.single("prediction");
        // Sums of terms of order one: tiny ones count as 0.1.
        let scale = |values: &[f32]| values.iter().fold(0.1f32, |m, v| m.max(v.abs()));
        let off = largest_difference(&numbers(prediction.clone()), &expected) / scale(&expected);
        assert!(off < 1e-5, "{name}: {off:e}");

        let weight = TensorData::new(fixture.single("weight"), prediction.dims());
        let weight = Tensor::<3>::from_data(weight, &device);
        let found = lno.gradients(&mut (prediction * weight).sum().backward());
        assert_eq!(found.len(), lno.parameters().len());
        let largest = found.iter().map(|gradient| scale(&gradient.values)).fold(0.0, f32::max);
        for gradient in &found {
            let expected = fixture.single(&format!("gradient/{}", gradient.name));
            let off = largest_difference(&gradient.values, &expected);
            // Of all gradients, and of this parameter's alone, where rounding of larger terms weighs more.
            let (of_all, of_own) = (off / largest, off / scale(&expected));
            assert!(of_all < 1e-5 && of_own < 5e-5, "{name} {}: {of_all:e} {of_own:e}", gradient.name);
        }
    }
}

/// A batch of contexts of different sizes gives each what it gives alone, whether or not examples share their points.
#[test]
fn a_batch_is_its_examples_one_by_one() {
    let lno = small("any");
    let mut contexts = vec![context(5, 0.1), context(300, 0.4), context(5, 0.1), context(33, 0.9)];
    contexts[2].values.reverse();
    let queries: Vec<_> = [0.2, 0.4, 0.6, 0.1].map(|phase| Arc::new(context(21, phase).points)).into();
    let times = [(0.0, 1.0); 4];
    for queries in [queries.clone(), queries[..1].to_vec()] {
        let all = numbers(lno.forward(&contexts, &times, &queries).unwrap());
        for (i, own) in all.chunks_exact(21).enumerate() {
            let query = [queries[i % queries.len()].clone()];
            let alone = lno.forward(&contexts[i..i + 1], &times[..1], &query).unwrap();
            assert!(largest_difference(&numbers(alone), own) < 1e-6, "example {i}");
        }
    }
}

/// Asked at observed points both forms are the same operator; elsewhere the published one says that it cannot.
#[test]
fn queries_elsewhere_need_the_other_form() {
    let (published, other) = (small("observations"), small("any"));
    let grid = Grid::cubic(Domain::unit(2, false).unwrap(), 6, Placement::Vertex).unwrap();
    let values: Vec<f64> = (0..36).map(|i| f64::from(i).cos()).collect();
    let context = Context { points: Points::grid(grid.clone()), n_channels: 1, values, deviations: None };
    let forward = |lno: &dyn Operator, points: Points| {
        lno.forward(std::slice::from_ref(&context), &[(0.0, 1.0)], &[Arc::new(points)]).map(numbers)
    };
    let whole = forward(published.as_ref(), context.points.clone()).unwrap();
    assert_eq!(whole, forward(other.as_ref(), context.points.clone()).unwrap());
    // Some of the observed points, as part of the grid or by their coordinates: large queries come in pieces.
    let some = Points::masked(grid, vec![3, 17, 30]).unwrap();
    for points in [some.clone(), some.to_scattered()] {
        let found = forward(published.as_ref(), points).unwrap();
        assert!(largest_difference(&found, &[whole[3], whole[17], whole[30]]) < 1e-6);
    }
    let elsewhere = Points::scattered(Domain::unit(2, false).unwrap(), vec![0.2, 0.2, 0.5, 0.123]).unwrap();
    assert_eq!(forward(other.as_ref(), elsewhere.clone()).unwrap().len(), 2);
    let refused = forward(published.as_ref(), elsewhere).unwrap_err();
    assert!(matches!(refused, Error::Unsupported { model: "lno", .. }), "{refused}");
    assert!(refused.to_string().contains("2 query points"), "{refused}");
    // One query for all contexts must be among the points of each.
    let contexts = [
        context.clone(),
        Context { points: other_points(), n_channels: 1, values: vec![1.0; 4], deviations: None },
    ];
    let queries = [Arc::new(context.points.clone())];
    assert!(matches!(
        published.forward(&contexts, &[(0.0, 1.0); 2], &queries),
        Err(Error::Unsupported { .. })
    ));
}

fn other_points() -> Points {
    context(4, 0.35).points
}

#[test]
fn a_timed_problem_is_stepped_and_bad_sizes_are_told() {
    assert_eq!(small("any").reach(), Reach::Step);
    let steady = Lno::new(&config(SMALL), &problem(2, 1, 1, false), &Device::flex()).unwrap();
    assert_eq!(steady.reach(), Reach::Direct);
    let refuse = |text: &str| {
        let made = Lno::new(&config(text), &problem(1, 1, 1, false), &Device::flex());
        made.map(|_| ()).unwrap_err().to_string()
    };
    assert!(refuse("blocks = 2\nmodes = 5\ndim = 6\nheads = 4").contains("must divide dim = 6"));
    assert!(refuse("blocks = 2\nmodes = 0\ndim = 6\nheads = 2").contains("model.modes = 0"));
    let unknown = toml::from_str::<ModelConfig>(&format!("kind = 'lno'\nmodus = 3\n{SMALL}"));
    assert!(unknown.unwrap_err().to_string().contains("modus"));
}
