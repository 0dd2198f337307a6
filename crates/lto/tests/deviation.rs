//! Decoders that give the deviation of their predictions: it becomes the size of the errors, where these are larger and where
//! they are smaller, and the rest of the model stays what it is.

use lto::experiment::Experiment;
use lto::experiment::training::TrainConfig;
use lto::loss::{LossKind, ObjectiveConfig};
use lto::model::{Model, ModelCard, ModelConfig};
use lto::operator::Batch;
use lto::optim::schedule::{Constant, ScheduleConfig};
use lto::problem::Problem;
use lto::train::{Moment, Stepper};
use lto_numerics::dataset::Context;
use lto_numerics::pde::sample_rng;
use lto_numerics::{Domain, Grid, Placement, Points};
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

const N: usize = 16;
const HIDDEN: usize = 16;

fn grid() -> Points {
    Points::grid(Grid::cubic(Domain::unit(1, true).unwrap(), N, Placement::Left).unwrap())
}

fn model(output: &str, deviation: bool) -> Model {
    let config: ModelConfig = serde_json::from_value(json!({
        "kind": "twin", "latent_points": 16, "latent_channels": 4, "output": output,
        "encoder": {"kind": "set_conv", "hidden": 8, "length_scale": {"spacings": 0.5}},
        "evolution": {"kind": "residual", "width": 8}, "decoder": {"hidden": HIDDEN, "deviation": deviation}
    }))
    .unwrap();
    let card = ModelCard {
        native_interval: Some(1.0),
        ..ModelCard::untrained(
            Problem {
                domain: Domain::unit(1, true).unwrap(),
                source_channels: 1,
                target_channels: 1,
                native: vec![N],
                times: Some([0.0, 1.0]),
                changes: Vec::new(),
                measured: Default::default(),
            },
            config,
        )
    };
    Model::new(card, 3).unwrap()
}

fn wave() -> Vec<f64> {
    (0..N).map(|i| (std::f64::consts::TAU * i as f64 / N as f64).sin()).collect()
}

fn context() -> Context {
    Context { points: grid(), n_channels: 1, values: wave(), deviations: None }
}

/// The truth is the state now, plus noise of deviation 0.4 on its crest and of 0.04 in its trough.
fn noise(i: usize) -> f64 {
    if i < N / 2 { 0.4 } else { 0.04 }
}

#[test]
fn deviations_become_the_size_of_the_errors() {
    let mut model = model("direct", true).with_gradients();
    let train = TrainConfig {
        learning_rate: 5e-3,
        weight_decay: 0.0,
        ema_decay: 0.99,
        schedule: ScheduleConfig::Constant(Constant {}),
        objective: ObjectiveConfig {
            evolution_loss: LossKind::Crps,
            reconstruction_weight: 0.0,
            ..ObjectiveConfig::default()
        },
        ..TrainConfig::default()
    };
    let mut stepper = Stepper::new(&model, &train);
    let mut rng = sample_rng(1, 0);
    let b = 16;
    for step in 1..=800 {
        let mut draw = |i: usize| -> f64 {
            let z: f64 = StandardNormal.sample(&mut rng);
            wave()[i] + noise(i) * z
        };
        let batch = Batch {
            contexts: vec![context(); b],
            times: vec![(0.0, 1.0); b],
            queries: vec![Arc::new(grid())],
            source: wave().repeat(b),
            target: (0..b * N).map(|i| draw(i % N)).collect(),
            target_contexts: Vec::new(),
        };
        stepper.step(&mut model, batch, &[], Moment { step, ..Moment::default() }).unwrap();
    }
    let operator = model.operator().without_gradients();
    let latents = operator.encode([context()].into()).unwrap();
    let latents = operator.evolve(&latents, &[(0.0, 1.0)]).unwrap();
    let queries = [Arc::new(grid())];
    let logs = operator.features(&latents, &queries).unwrap().unwrap();
    assert_eq!(logs.dims(), [1, 1, N]);
    let logs: Vec<f32> = logs.into_data().iter::<f32>().collect();
    let means: Vec<f32> = operator.decode(&latents, &queries).unwrap().into_data().iter::<f32>().collect();
    // Away from where the noise changes.
    for i in (1..N / 2 - 1).chain(N / 2 + 1..N - 1) {
        let ratio = f64::from(logs[i]).exp() / noise(i);
        assert!((0.6..1.7).contains(&ratio), "{i}: {ratio}, {logs:?}");
        assert!((f64::from(means[i]) - wave()[i]).abs() < 0.5 * noise(i).max(0.1), "{i}: {means:?}");
    }
}

/// One more row of the last layer for every channel; predictions do not depend on it.
#[test]
fn predictions_are_those_of_the_same_network_without() {
    for output in ["direct", "transport", "gated"] {
        let (with, without) = (model(output, true), model(output, false));
        let count = |model: &Model| model.operator().n_parameters();
        assert_eq!(count(&with), count(&without) + HIDDEN + 1);
        // The weights of the one without, in front of which the rows of the deviations are put.
        let mut shaken = 0.0f32;
        let mut next = || {
            shaken += 1.7;
            0.3 * shaken.sin()
        };
        let weights: BTreeMap<String, Vec<f32>> = without
            .operator()
            .parameters()
            .into_iter()
            .map(|named| (named.name, named.values.iter().map(|value| value + next()).collect()))
            .collect();
        let plain = without.operator().with_parameters(&mut |name, _| weights.get(name).cloned());
        let wider = with.operator().with_parameters(&mut |name, shape| {
            let values = weights.get(name)?.clone();
            if shape.iter().product::<usize>() == values.len() {
                return Some(values);
            }
            // `[in, out]` or `[out]`: one column more, the first.
            let columns = shape[shape.len() - 1] - 1;
            Some(values.chunks(columns).flat_map(|row| [&[0.7], row].concat()).collect())
        });
        let predict = |model: &Model, operator| {
            let model = Model::of(model.card().clone(), operator);
            model.predict(&context(), 0.0, &[0.5, 1.0], &Arc::new(grid())).unwrap().values
        };
        let (a, b) = (predict(&with, wider), predict(&without, plain));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{output}: {a:?} {b:?}");
    }
}

#[test]
fn deviations_without_their_loss_are_refused() {
    let text = |loss: &str| {
        format!(
            "[data]\ngenerate = {{ pde = 'heat', resolution = 8 }}\nsamples = 4\n[model]\nkind = 'twin'\n\
             latent_points = 8\nlatent_channels = 2\nencoder = {{ kind = 'set_conv', hidden = 2 }}\n\
             evolution = {{ kind = 'timed', width = 2 }}\ndecoder = {{ hidden = 2, deviation = true }}\n\
             [train]\nsteps = 1\n[train.objective]\nevolution_loss = '{loss}'"
        )
    };
    assert!(Experiment::parse(&text("crps"), &[]).is_ok());
    let refused = Experiment::parse(&text("mse"), &[]).unwrap_err().to_string();
    assert!(refused.contains("decoder.deviation") && refused.contains("crps"), "{refused}");
}
