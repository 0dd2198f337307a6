//! Predictions of a model: large ones in pieces, and what it cannot take.

use lto::Error;
use lto::model::{Model, ModelCard, ModelConfig};
use lto::problem::Problem;
use lto_numerics::dataset::{Context, NormalizerFit};
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;

fn model() -> Model {
    let problem = Problem {
        domain: Domain::unit(2, true).unwrap(),
        source_channels: 2,
        target_channels: 2,
        native: vec![8, 8],
        times: Some([0.0, 1.0]),
        changes: Vec::new(),
        measured: Default::default(),
    };
    let config: ModelConfig = toml::from_str(
        "kind = 'twin'\nlatent_points = 8\nlatent_channels = 3\nencoder = { kind = 'set_conv', hidden = 2 }\n\
         evolution = { kind = 'timed', width = 4 }\ndecoder = { hidden = 4 }",
    )
    .unwrap();
    let mut fit = NormalizerFit::new(2);
    fit.add(&[10.0, 14.0, -3.0, -5.0], 2).unwrap();
    let normalizer = fit.finish().unwrap();
    let card = ModelCard {
        source_normalizer: normalizer.clone(),
        target_normalizer: normalizer,
        channel_names: vec!["u".into(), "v".into()],
        native_interval: Some(0.5),
        ..ModelCard::untrained(problem, config)
    };
    Model::new(card, 1).unwrap()
}

fn context() -> Context {
    let points =
        Points::scattered(Domain::unit(2, true).unwrap(), vec![0.1, 0.2, 0.7, 0.4, 0.3, 0.9]).unwrap();
    Context { points, n_channels: 2, values: vec![10.0, 12.0, 15.0, -3.0, -4.0, -6.0], deviations: None }
}

/// More points than one piece holds: every point has the value it has alone, in its channel and at its time.
#[test]
fn a_large_query_is_predicted_piece_by_piece_to_the_same_values() {
    let (model, context) = (model(), context());
    let n = 260;
    let grid = Grid::cubic(Domain::unit(2, true).unwrap(), n, Placement::Left).unwrap();
    let large = Arc::new(Points::grid(grid.clone()));
    let times = [0.25, 1.0];
    let all = model.predict(&context, 0.0, &times, &large).unwrap();
    assert_eq!(all.values.len(), 2 * 2 * n * n);
    let some = vec![0, 1, 40_000, 65_535, 65_536, n * n - 1];
    let few = Arc::new(Points::masked(grid, some.clone()).unwrap());
    let alone = model.predict(&context, 0.0, &times, &few).unwrap();
    for field in 0..4 {
        for (j, i) in some.iter().enumerate() {
            let (a, b) = (all.values[field * n * n + i], alone.values[field * some.len() + j]);
            assert!((a - b).abs() < 1e-5, "field {field}, point {i}: {a} and {b}");
        }
    }
}

#[test]
fn what_does_not_fit_is_told_and_times_outside_are_refused_or_listed() {
    let (model, context) = (model(), context());
    let query = Arc::new(context.points.clone());
    let one_channel = Context { n_channels: 1, values: context.values[..3].to_vec(), ..context.clone() };
    let refused = model.predict(&one_channel, 0.0, &[0.5], &query);
    assert!(matches!(refused, Err(Error::ContextChannels { expected: 2, got: 1 })));
    let elsewhere = Points::scattered(Domain::unit(2, false).unwrap(), vec![0.5, 0.5]).unwrap();
    let refused = model.predict(&context, 0.0, &[0.5], &Arc::new(elsewhere));
    assert!(matches!(refused, Err(Error::WrongDomain { what: "query", .. })));
    assert!(model.predict(&context, 0.0, &[f64::NAN], &query).is_err());
    let refused = model.predict(&context, 0.0, &[0.5, 1.5], &query).unwrap_err();
    assert!(matches!(refused, Error::TimeOutsideRange { time: 1.5, range: [0.0, 1.0] }), "{refused}");
    let outside = model.extrapolating().predict(&context, -0.5, &[0.5, 1.5], &query).unwrap().outside_range;
    assert_eq!(outside, [1.5, -0.5]);
}
