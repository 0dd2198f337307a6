//! The baselines that cost nothing: what was observed, held or interpolated.

use lto::experiment::Experiment;
use lto::model::ModelConfig;
use lto::problem::Problem;
use lto::train::{Silent, Trainer};
use lto::{Device, Error};
use lto_numerics::dataset::{Context, ContextDesign, ContextSampler};
use lto_numerics::pde::sample_rng;
use lto_numerics::{Domain, Field, Grid, Placement, Points};
use std::f64::consts::TAU;
use std::sync::Arc;

fn problem(channels: usize, times: Option<[f64; 2]>) -> Problem {
    Problem {
        domain: Domain::unit(2, true).unwrap(),
        source_channels: channels,
        target_channels: 1,
        native: vec![8, 8],
        times,
        changes: Vec::new(),
        measured: Default::default(),
    }
}

fn wave(x: &[f64]) -> f64 {
    (TAU * x[0]).sin() + (TAU * x[1]).cos()
}

fn field(n: usize) -> Field {
    Field::from_fn(Arc::new(Grid::cubic(Domain::unit(2, true).unwrap(), n, Placement::Left).unwrap()), wave)
}

fn carried(config: &ModelConfig, context: &Context, query: &Arc<Points>) -> Vec<f64> {
    let operator = config.init(&problem(1, Some([0.0, 1.0])), 0, Device::cpu()).unwrap();
    assert_eq!(operator.n_parameters(), 0);
    let contexts = [context.clone(), context.clone()];
    let predicted =
        operator.forward(&contexts, &[(0.0, 0.1), (0.5, 1.0)], std::slice::from_ref(query)).unwrap();
    let values: Vec<f64> = predicted.into_data().iter::<f64>().collect();
    assert_eq!(values[..query.len()], values[query.len()..], "time changes nothing");
    values[..query.len()].to_vec()
}

/// Every value is that of the nearest observation, found by looking at all of them.
#[test]
fn persistence_is_the_nearest_observation() {
    let design = ContextDesign::Random { context_fraction: 0.2 };
    let context = ContextSampler { design }.sample(&field(16), None, &mut sample_rng(1, 0)).unwrap();
    let query =
        Arc::new(Points::grid(Grid::cubic(Domain::unit(2, true).unwrap(), 7, Placement::Center).unwrap()));
    let values = carried(&ModelConfig::Persistence, &context, &query);
    let (flat, domain) = (context.points.coordinates(), query.domain().clone());
    for (x, value) in query.coordinates().chunks_exact(2).zip(values) {
        let nearest = flat
            .chunks_exact(2)
            .zip(&context.values)
            .min_by(|a, b| domain.distance_squared(x, a.0).total_cmp(&domain.distance_squared(x, b.0)));
        let (_, expected) = nearest.unwrap();
        assert!((value - expected).abs() < 1e-6);
    }
}

/// Exact from a whole grid that resolves the field; from scattered points far better than the nearest of them, also
/// where there are few, and finite from a single one.
#[test]
fn interpolation_follows_smooth_fields() {
    let query = Arc::new(Points::grid(field(32).grid().as_ref().clone()));
    let truth = field(32).into_values();
    let error = |values: &[f64]| lto_numerics::metric::relative_l2::relative_l2(values, &truth).unwrap();
    let whole = Context {
        points: Points::grid(field(8).grid().as_ref().clone()),
        n_channels: 1,
        values: field(8).into_values(),
        deviations: None,
    };
    assert!(error(&carried(&ModelConfig::Interpolation, &whole, &query)) < 1e-6);
    for n in [50.0, 200.0] {
        let design = ContextDesign::Random { context_fraction: n / 1024.0 };
        let context = ContextSampler { design }.sample(&field(32), None, &mut sample_rng(1, 1)).unwrap();
        let [held, interpolated] = [ModelConfig::Persistence, ModelConfig::Interpolation]
            .map(|config| error(&carried(&config, &context, &query)));
        assert!(interpolated < 0.6 * held, "{n}: {interpolated} and {held}");
    }
    let points = Points::scattered(Domain::unit(2, true).unwrap(), vec![0.3, 0.4]).unwrap();
    let single = Context { points, n_channels: 1, values: vec![2.5], deviations: None };
    let values = carried(&ModelConfig::Interpolation, &single, &query);
    assert!(values.iter().all(|v| (v - 2.5).abs() < 1e-5), "{values:?}");
}

#[test]
fn what_is_no_evolution_of_one_frame_is_unsupported() {
    let query = [Arc::new(whole().points)];
    for config in [ModelConfig::Persistence, ModelConfig::Interpolation] {
        for (problem, part) in [(problem(1, None), "steady"), (problem(3, Some([0.0, 1.0])), "history")] {
            let operator = config.init(&problem, 0, Device::cpu()).unwrap();
            let n = problem.source_channels;
            let context = Context { n_channels: n, values: whole().values.repeat(n), ..whole() };
            let refused = operator.forward(&[context], &[(0.0, 1.0)], &query).unwrap_err();
            assert!(matches!(refused, Error::Unsupported { .. }), "{refused}");
            assert!(refused.to_string().contains(part) && refused.to_string().contains(config.name()));
        }
    }
}

#[test]
fn there_is_nothing_to_train() {
    let text = "[data]\ngenerate = { pde = 'heat', resolution = 8, n_frames = 3 }\nsamples = 4\n[model]\nkind = 'persistence'\n\
                [train]\nsteps = 2";
    let experiment = Experiment::parse(text, &[]).unwrap();
    let run = tempfile::tempdir().unwrap();
    let Err(refused) = Trainer::start(experiment, &run.path().join("run"), false, &mut Silent) else {
        panic!("a model without parameters was trained")
    };
    assert!(refused.to_string().starts_with("model.kind = persistence"), "{refused}");
}

fn whole() -> Context {
    let field = field(8);
    let points = Points::grid(field.grid().as_ref().clone());
    Context { points, n_channels: 1, values: field.into_values(), deviations: None }
}
