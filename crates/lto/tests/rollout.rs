//! Predictions step by step: rollouts compose, batches change nothing, and steps that do not fit are told.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use lto::model::{Forecast, Model, ModelCard, ModelConfig};
use lto::operator::{Architecture, Reach, Seen, tensor};
use lto::problem::Problem;
use lto::{Error, Result};
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use std::sync::Arc;

/// Where the query is the context: the newest frame, times 3, plus the oldest, plus s, in normalized units.
#[derive(Module, Debug)]
struct Known {
    #[module(skip)]
    problem: Problem,
    #[module(skip)]
    reach: Reach,
}

impl Architecture for Known {
    type Latent = ();

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn reach(&self) -> Reach {
        self.reach
    }

    fn encode(&self, _contexts: &[Context]) -> Result<()> {
        Ok(())
    }

    fn decode(&self, seen: Seen<()>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let (m, q) = (queries[0].len(), self.problem.target_channels);
        let mut values = Vec::new();
        for (context, (s, t)) in seen.contexts.iter().zip(seen.times) {
            let newest = &context.values[context.values.len() - q * m..];
            let pairs = newest.iter().zip(&context.values);
            values.extend(pairs.map(|(new, old)| 3.0 * new + old + s + 100.0 * (t - s)));
        }
        Ok(tensor(&values, [seen.contexts.len(), q, m], &Device::flex()))
    }
}

const INTERVAL: f64 = 0.25;

fn model(history: usize, reach: Reach) -> Model {
    let problem = Problem {
        domain: Domain::unit(1, true).unwrap(),
        source_channels: history,
        target_channels: 1,
        native: vec![3],
        times: Some([0.0, 2.0]),
        changes: Vec::new(),
        measured: Default::default(),
    };
    // v ↦ (v − 1)/2 for sources, (v − 1)/4 for targets.
    let normalizer = |n: usize, scale: f64| -> Normalizer {
        serde_json::from_value(serde_json::json!({ "mean": vec![1.0; n], "scale": vec![scale; n] })).unwrap()
    };
    let card = ModelCard {
        source_normalizer: normalizer(history, 2.0),
        target_normalizer: normalizer(1, 4.0),
        native_interval: Some(INTERVAL),
        ..ModelCard::untrained(problem.clone(), ModelConfig::Persistence)
    };
    Model::of(card, Arc::new(Known { problem, reach }))
}

fn points() -> Points {
    Points::grid(Grid::cubic(Domain::unit(1, true).unwrap(), 3, Placement::Left).unwrap())
}

fn context(frames: &[[f64; 3]]) -> Context {
    Context { points: points(), n_channels: frames.len(), values: frames.concat(), deviations: None }
}

/// What one step makes of frames, in physical units.
fn step(frames: &[[f64; 3]], s: f64) -> [f64; 3] {
    let normalized = |v: f64| (v - 1.0) / 2.0;
    let (old, new) = (frames[0], frames[frames.len() - 1]);
    std::array::from_fn(|i| {
        4.0 * (3.0 * normalized(new[i]) + normalized(old[i]) + s + 100.0 * INTERVAL) + 1.0
    })
}

fn assert_near(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-5 * b.abs().max(1.0), "{a} and {b}");
    }
}

/// k steps are k compositions of one; with several frames, the oldest leaves and the newest enters.
#[test]
fn a_rollout_composes_steps() {
    for history in [1, 3] {
        let model = model(history, Reach::Direct);
        let mut frames: Vec<[f64; 3]> =
            [[0.1, -0.2, 0.3], [0.5, 1.0, -1.0], [2.0, 0.0, 1.0]][..history].to_vec();
        let start = context(&frames);
        let mut expected = Vec::new();
        for k in 0..4 {
            let new = step(&frames, 0.5 + k as f64 * INTERVAL);
            expected.extend(new);
            frames.remove(0);
            frames.push(new);
        }
        let query = Arc::new(points());
        let rolled = model.rollout(&start, 0.5, 4, &query).unwrap();
        assert_near(&rolled.values, &expected);
        assert_near(&rolled.times, &[0.75, 1.0, 1.25, 1.5]);
        // A model that goes one step at a time reaches later times in the same way, straight ones do not.
        let stepwise = self::model(history, Reach::Step);
        let predicted = stepwise.predict(&start, 0.5, &[1.5, 0.75, 1.0], &query).unwrap();
        assert_near(&predicted.values[..3], &expected[9..]);
        assert_near(&predicted.values[3..], &expected[..6]);
        let straight = model.predict(&start, 0.5, &[1.5], &query).unwrap();
        assert!((straight.values[0] - expected[9]).abs() > 1.0);
    }
}

/// Several contexts at once, with times of their own, are what each is alone.
#[test]
fn a_batch_is_what_its_examples_are_alone() {
    let query = Arc::new(points());
    let contexts = [[0.1, -0.2, 0.3], [4.0, 5.0, 6.0], [1.0, 1.0, 0.0]].map(|frame| context(&[frame]));
    let starts = [0.0, 0.25, 1.0];
    let times: [&[f64]; 3] = [&[0.5, 1.0], &[0.75], &[1.25, 1.75, 1.5]];
    for reach in [Reach::Direct, Reach::Step] {
        let model = model(1, reach);
        let wanted: Vec<Forecast> =
            (0..3).map(|i| Forecast { context: &contexts[i], s: starts[i], times: times[i] }).collect();
        let together = model.predict_batch(&wanted, &query).unwrap();
        let rolled = model.rollout_batch(&contexts, &starts, 3, &query).unwrap();
        for i in 0..3 {
            assert_eq!(together[i], model.predict(&contexts[i], starts[i], times[i], &query).unwrap());
            assert_eq!(rolled[i], model.rollout(&contexts[i], starts[i], 3, &query).unwrap());
        }
    }
}

#[test]
fn what_steps_do_not_reach_is_told() {
    let query = Arc::new(points());
    let stepwise = model(1, Reach::Step);
    let start = context(&[[0.0; 3]]);
    for t in [0.6, 0.5, 0.25, 0.500001] {
        let refused = stepwise.predict(&start, 0.5, &[t], &query).unwrap_err();
        let message = refused.to_string();
        assert!(matches!(refused, Error::Unsupported { .. }), "{message}");
        assert!(message.contains("0.25") && message.contains("persistence"), "{message}");
    }
    // A slip of the pen is told, not computed, and takes no memory.
    let stepwise = stepwise.extrapolating();
    for t in [1e300, 1e9] {
        let message = stepwise.predict(&start, 0.5, &[0.75, t], &query).unwrap_err().to_string();
        assert!(message.contains("exceed the limit of 100000"), "{message}");
    }
    assert!(stepwise.rollout(&start, 0.5, usize::MAX, &query).is_err());
    // Single precision is not what makes a step.
    assert!(stepwise.predict(&start, 0.5, &[f64::from(1.25f32) + 1e-7], &query).is_ok());
    let elsewhere = Points::grid(Grid::cubic(Domain::unit(1, true).unwrap(), 3, Placement::Center).unwrap());
    let refused = model(2, Reach::Step).rollout(&context(&[[0.0; 3]; 2]), 0.5, 2, &Arc::new(elsewhere));
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
}

/// Values that are not finite stay so, and their example only.
#[test]
fn a_rollout_that_diverges_is_not_fed_back() {
    let query = Arc::new(points());
    let contexts = [[1e38, 1.0, 1.0], [1.0, 2.0, 3.0]].map(|frame| context(&[frame]));
    let rolled = model(1, Reach::Step).rollout_batch(&contexts, &[0.0, 0.0], 3, &query).unwrap();
    assert!(rolled[0].values[3..].iter().all(|v| v.is_nan()), "{:?}", rolled[0]);
    assert!(rolled[1].values.iter().all(|v| v.is_finite()));
}
