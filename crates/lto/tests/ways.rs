//! The ways by which a twin reaches later times.

use lto::model::{BestWay, Forecast, Model, ModelCard, ModelConfig, Way};
use lto::problem::Problem;
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;

const INTERVAL: f64 = 0.1;

/// A twin of one-dimensional states with random weights, none of which is zero.
fn model(max_step: Option<f64>, ways: &[(f64, Way)]) -> Model {
    let problem = Problem {
        domain: Domain::unit(1, true).unwrap(),
        source_channels: 1,
        target_channels: 1,
        native: vec![16],
        times: Some([0.0, 1.0]),
        changes: vec![[0.1, 0.2], [0.4, 0.5]],
        measured: Default::default(),
    };
    let step = max_step.map_or(String::new(), |step| format!("max_step = {step:?}\n"));
    let config: ModelConfig = toml::from_str(&format!(
        "kind = 'twin'\nlatent_points = 16\nlatent_channels = 3\noutput = 'transport'\n{step}\
         encoder = {{ kind = 'set_conv', hidden = 3 }}\nevolution = {{ kind = 'residual', width = 4 }}\n\
         decoder = {{ hidden = 4 }}"
    ))
    .unwrap();
    let normalizer: Normalizer =
        serde_json::from_value(serde_json::json!({ "mean": [0.3], "scale": [1.4] })).unwrap();
    let card = ModelCard {
        source_normalizer: normalizer.clone(),
        target_normalizer: normalizer,
        native_interval: Some(INTERVAL),
        ways: ways.iter().map(|&(lead, way)| BestWay { lead, way }).collect(),
        ..ModelCard::untrained(problem, config)
    };
    let made = Model::new(card, 3).unwrap();
    let mut count = 0u32;
    let operator = made.operator().with_parameters(&mut |name, shape| {
        (!name.ends_with("length_scale")).then(|| {
            let n: usize = shape.iter().product();
            (0..n)
                .map(|_| {
                    count += 1;
                    0.4 * (1.7 * count as f32).sin()
                })
                .collect()
        })
    });
    Model::of(made.card().clone(), operator)
}

fn grid(n: usize) -> Points {
    Points::grid(Grid::cubic(Domain::unit(1, true).unwrap(), n, Placement::Left).unwrap())
}

fn context(points: Points) -> Context {
    let values = points.coordinates().iter().map(|x| (6.0 * x).sin() + 0.3 * (20.0 * x).cos()).collect();
    Context { points, n_channels: 1, values, deviations: None }
}

fn by(model: &Model, way: Way, context: &Context, times: &[f64], query: &Arc<Points>) -> Vec<f64> {
    let predicted = model.predict_by(way, &Forecast { context, s: 0.2, times }, query).unwrap();
    assert_eq!(predicted.ways, vec![way; times.len()]);
    predicted.values
}

/// A rollout from a whole grid is what feeding predictions back by hand gives; three steps, of native length, or of
/// two thirds of it.
#[test]
fn a_rollout_encodes_its_own_predictions() {
    let (model, query) = (model(Some(1.0), &[]), Arc::new(grid(16)));
    let start = context(grid(16));
    for lead in [0.3, 0.2] {
        let n = if lead == 0.3 { 3 } else { 2 };
        let step = lead / f64::from(n);
        let mut state = start.clone();
        for k in 0..n {
            let s = 0.2 + f64::from(k) * step;
            let forecast = Forecast { context: &state, s, times: &[s + step] };
            state.values = model.predict_by(Way::Direct, &forecast, &query).unwrap().values;
        }
        let rolled = by(&model, Way::Rollout, &start, &[0.2 + lead], &query);
        let off = rolled.iter().zip(&state.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-5, "{lead}: {off}");
        let direct = by(&model, Way::Direct, &start, &[0.2 + lead], &query);
        assert!(direct.iter().zip(&rolled).any(|(a, b)| (a - b).abs() > 1e-3), "ways differ");
    }
}

/// Any real time is reached, whatever other times are asked for beside it, from sparse observations too, at any points.
#[test]
fn every_way_reaches_any_time_from_any_context() {
    let model = model(Some(1.0), &[]);
    let sparse = Points::scattered(grid(16).domain().clone(), vec![0.03, 0.21, 0.5, 0.52, 0.77]).unwrap();
    let query = Arc::new(Points::scattered(grid(16).domain().clone(), vec![0.11, 0.9, 0.4]).unwrap());
    for points in [grid(16), grid(40), sparse] {
        let context = context(points);
        for way in Way::ALL {
            let times = [0.95, 0.25, 0.5, 0.37];
            let together = by(&model, way, &context, &times, &query);
            for (t, together) in times.iter().zip(together.chunks_exact(3)) {
                let alone = by(&model, way, &context, &[*t], &query);
                assert!(
                    alone.iter().zip(together).all(|(a, b)| a.is_finite() && (a - b).abs() < 1e-6),
                    "{way:?} {t}"
                );
            }
        }
    }
}

/// Within one step all ways are the same; a chain of one is a direct prediction.
#[test]
fn a_single_step_is_the_same_by_every_way() {
    let (model, query) = (model(Some(2.0), &[]), Arc::new(grid(9)));
    let context = context(grid(16));
    let [a, b, c] = Way::ALL.map(|way| by(&model, way, &context, &[0.4], &query));
    assert!(a == b && b == c);
}

/// The measured way of the nearest lead; else rollout for a model of short steps, direct for others.
#[test]
fn predictions_take_the_best_known_way() {
    let known = model(Some(1.0), &[(4.0, Way::Chain), (16.0, Way::Rollout)]);
    for (lead, way) in [(0.1, Way::Direct), (0.2, Way::Chain), (0.5, Way::Chain), (1.0, Way::Rollout)] {
        assert_eq!(known.way_to(lead), way, "{lead}");
    }
    assert_eq!(model(Some(1.0), &[]).way_to(0.5), Way::Rollout);
    assert_eq!(model(None, &[]).way_to(0.5), Way::Direct);
    let (query, context) = (Arc::new(grid(16)), context(grid(16)));
    let predicted = known.predict(&context, 0.2, &[0.3, 0.5], &query).unwrap();
    assert_eq!(predicted.ways, [Way::Direct, Way::Chain]);
    assert_eq!(predicted.values[16..], by(&known, Way::Chain, &context, &[0.5], &query));
    let state = known.encode(&context, 0.2).unwrap();
    assert_eq!(state.at(0.5).unwrap().decode(&query).unwrap().values, predicted.values[16..]);
}

/// The last layer is zero at first: nothing moves and nothing is added.
#[test]
fn an_untrained_transport_is_persistence() {
    let made = model(None, &[]);
    let untrained = Model::new(made.card().clone(), 5).unwrap();
    let (query, context) = (Arc::new(grid(16)), context(grid(16)));
    let predicted = untrained.predict(&context, 0.2, &[0.9], &query).unwrap();
    assert!(predicted.values.iter().zip(&context.values).all(|(a, b)| (a - b).abs() < 1e-5));
}
