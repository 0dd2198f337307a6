//! The Latent Neural Operator: equal to an independent implementation (`fixtures/make_lno.py`), and what it promises.

#[path = "common/fixture.rs"]
mod fixture;

use burn::tensor::{Device, Tensor, TensorData};
use fixture::Fixture;
use lto::Error;
use lto::baseline::lno::Lno;
use lto::baseline::lno::config::LnoConfig;
use lto::loss::{Objective, ObjectiveConfig};
use lto::model::{Model, ModelCard, ModelConfig};
use lto::operator::{Batch, Operator, Reach};
use lto::optim::adamw::{AdamW, AdamWConfig};
use lto::problem::Problem;
use lto::train::flat::FlatLayout;
use lto::train::gradient::differentiate;
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use std::collections::BTreeMap;
use std::sync::Arc;

fn problem(dim: usize, source_channels: usize, target_channels: usize, timed: bool) -> Problem {
    Problem {
        domain: Domain::unit(dim, false).unwrap(),
        source_channels,
        target_channels,
        native: vec![8; dim],
        times: timed.then_some([0.0, 1.0]),
    }
}

fn config(text: &str) -> LnoConfig {
    toml::from_str(text).unwrap()
}

const SMALL: &str = "blocks = 2\nmodes = 5\ndim = 6\nheads = 2";

/// The weights of a fixture: with initial ones predictions hardly differ from place to place.
fn small(queries: &str, device: &Device) -> Box<dyn Operator> {
    let config: ModelConfig =
        toml::from_str(&format!("kind = 'lno'\nqueries = '{queries}'\n{SMALL}")).unwrap();
    let mut lno = config.init(&problem(2, 1, 1, true), 4, device).unwrap();
    let mut fixture = Fixture::open("lno_observations");
    lno.set_parameters(&mut |name, _| Some(fixture.single(&format!("parameter/{name}"))));
    lno
}

/// Scattered points of the unit square by a rule, and made-up values.
fn context(n: usize, phase: f64) -> Context {
    // The golden ratio and its like: no point comes twice.
    let at =
        |i: usize| [(0.618_034 * i as f64 + phase).fract(), (0.754_878 * i as f64 + 0.3 * phase).fract()];
    let points = Points::scattered(Domain::unit(2, false).unwrap(), (0..n).flat_map(at).collect()).unwrap();
    Context { points, n_channels: 1, values: (0..n).map(|i| (1.3 * i as f64 + phase).sin()).collect() }
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
            let lno = Lno::new(config, problem(2, 1, 1, false), &Device::flex()).unwrap();
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
        let mut lno = Lno::new(config(&text), problem, &device).unwrap();
        lno.set_parameters(&mut |name, _| Some(fixture.single(&format!("parameter/{name}"))));
        let place = |flat: Vec<f64>| Points::scattered(domain.clone(), flat).unwrap();
        let (mut contexts, mut queries) = (Vec::new(), Vec::new());
        for i in 0..n {
            let points = place(fixture.get(&format!("points/{i}")));
            contexts.push(Context { points, n_channels, values: fixture.get(&format!("values/{i}")) });
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

#[test]
fn the_order_of_context_points_does_not_matter() {
    let lno = small("any", &Device::flex());
    let one = context(40, 0.1);
    let order: Vec<usize> = (0..40).map(|i| (7 * i + 3) % 40).collect();
    let flat = one.points.coordinates();
    let points = order.iter().flat_map(|&i| flat[2 * i..2 * i + 2].to_vec()).collect();
    let other = Context {
        points: Points::scattered(one.points.domain().clone(), points).unwrap(),
        n_channels: 1,
        values: order.iter().map(|&i| one.values[i]).collect(),
    };
    let query = [Arc::new(context(9, 0.7).points)];
    let at = |context: &Context| {
        numbers(lno.forward(std::slice::from_ref(context), &[(0.0, 1.0)], &query).unwrap())
    };
    let (a, b) = (at(&one), at(&other));
    assert!(largest_difference(&a, &b) < 1e-5);
    let spread =
        |v: &[f32]| v.iter().fold(f32::MIN, |m, v| m.max(*v)) - v.iter().fold(f32::MAX, |m, v| m.min(*v));
    assert!(spread(&a) > 0.05, "{a:?}");
    // Values do: exchanging them alone is another state.
    let exchanged = Context { values: other.values.clone(), ..one };
    assert!(largest_difference(&a, &at(&exchanged)) > 1e-3);
}

/// A batch of contexts of different sizes gives each what it gives alone, whether or not examples share their points.
#[test]
fn a_batch_is_its_examples_one_by_one() {
    let lno = small("any", &Device::flex());
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
    let (published, other) = (small("observations", &Device::flex()), small("any", &Device::flex()));
    let grid = Grid::cubic(Domain::unit(2, false).unwrap(), 6, Placement::Vertex).unwrap();
    let values: Vec<f64> = (0..36).map(|i| f64::from(i).cos()).collect();
    let context = Context { points: Points::grid(grid.clone()), n_channels: 1, values };
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
    let contexts = [context.clone(), Context { points: other_points(), n_channels: 1, values: vec![1.0; 4] }];
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
    assert_eq!(small("any", &Device::flex()).reach(), Reach::Step);
    let steady = Lno::new(config(SMALL), problem(2, 1, 1, false), &Device::flex()).unwrap();
    assert_eq!(steady.reach(), Reach::Direct);
    let refuse = |text: &str| {
        let made = Lno::new(config(text), problem(1, 1, 1, false), &Device::flex());
        made.map(|_| ()).unwrap_err().to_string()
    };
    assert!(refuse("blocks = 2\nmodes = 5\ndim = 6\nheads = 4").contains("must divide dim = 6"));
    assert!(refuse("blocks = 2\nmodes = 0\ndim = 6\nheads = 2").contains("model.modes = 0"));
    let unknown = toml::from_str::<ModelConfig>(&format!("kind = 'lno'\nmodus = 3\n{SMALL}"));
    assert!(unknown.unwrap_err().to_string().contains("modus"));
}

#[test]
fn a_saved_model_predicts_the_same_bits() {
    let model: ModelConfig = toml::from_str(&format!("kind = 'lno'\nqueries = 'any'\n{SMALL}")).unwrap();
    assert_eq!(model.name(), "lno");
    let problem = problem(2, 1, 1, true);
    let normalizer: Normalizer = serde_json::from_str(r#"{"mean": [0.5], "scale": [2.0]}"#).unwrap();
    let made = Model::new(
        ModelCard {
            problem: problem.clone(),
            model: model.clone(),
            source_normalizer: normalizer.clone(),
            target_normalizer: normalizer,
            channel_names: vec!["u".into()],
            native_interval: Some(0.1),
            data: "made up".into(),
            steps: 0,
            errors: BTreeMap::new(),
        },
        model.init(&problem, 3, &Device::flex()).unwrap(),
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.safetensors");
    made.save(&path).unwrap();
    let loaded = Model::load(&path, &Device::flex()).unwrap();
    assert_eq!(loaded.card(), made.card());
    let (context, query) = (context(30, 0.2), Arc::new(context(7, 0.5).points));
    let predict = |model: &Model| model.predict(&context, 0.0, &[0.1], &query).unwrap().values;
    assert_eq!(predict(&loaded), predict(&made));
}

/// One example is learned by heart, and every parameter takes part in it.
#[test]
fn it_overfits_one_example() {
    let mut lno = small("any", &Device::flex().autodiff());
    let source = context(30, 0.2);
    let query = Arc::new(context(25, 0.6).points);
    let target: Vec<f32> =
        query.coordinates().chunks(2).map(|x| (3.0 * x[0] - 2.0 * x[1]).sin() as f32).collect();
    let batch = Batch {
        contexts: vec![source],
        times: vec![(0.0, 1.0)],
        queries: vec![query],
        source: vec![0.0; 25],
        target,
        target_contexts: Vec::new(),
    };
    let objective =
        Objective { config: ObjectiveConfig::default(), target_offset: vec![0.0], target_scale: vec![1.0] };
    let (layout, mut weights) = FlatLayout::of(lno.as_ref());
    let begin = weights.clone();
    let config = AdamWConfig { betas: [0.9, 0.99], epsilon: 1e-8, weight_decay: 0.0 };
    let mut optimizer = AdamW::new(config, weights.len());
    let mut gradients = Vec::new();
    let loss = |lno: &dyn Operator| numbers(lno.loss_terms(&batch, &objective).unwrap()[0].value.clone())[0];
    let first = loss(lno.as_ref());
    for step in 1..=400 {
        differentiate(lno.as_ref(), &layout, &batch, &objective, &mut gradients).unwrap();
        if step == 1 {
            let reached = lno.parameters();
            let mut offset = 0;
            for parameter in reached {
                let own = &gradients[offset..offset + parameter.values.len()];
                // A bias of all keys alike changes no softmax: its gradient is zero but for rounding.
                let moved = own.iter().any(|g| g.abs() > 1e-12);
                assert!(moved || parameter.name.ends_with("key.bias"), "{}", parameter.name);
                offset += own.len();
            }
        }
        optimizer.step(&mut weights, &gradients, 1.0, 5e-3, step);
        layout.store(lno.as_mut(), &weights);
    }
    let last = loss(lno.as_ref());
    assert!(last < 1e-2 * first, "{first} {last}");
    assert!(weights.iter().zip(&begin).filter(|(a, b)| a != b).count() > weights.len() * 9 / 10);
}
