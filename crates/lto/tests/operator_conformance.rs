//! What every kind of model, encoder, evolution, loss and schedule promises. A kind of model, encoder or evolution without
//! an example here fails; losses and schedules are found by themselves.

use burn::tensor::{Device, Tensor};
use lto::Error;
use lto::experiment::training::TrainConfig;
use lto::loss::{LossKind, ObjectiveConfig};
use lto::model::{Model, ModelCard, ModelConfig};
use lto::operator::{Architecture, Batch};
use lto::optim::schedule::{Constant, ScheduleConfig};
use lto::problem::Problem;
use lto::train::{Moment, Stepper};
use lto::twin::config::TwinConfig;
use lto::twin::evolution::EvolutionConfig;
use lto::twin::{Twin, TwinLatent};
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const N: usize = 16;

/// One small model of every kind, and of every encoder.
fn models() -> Vec<ModelConfig> {
    let twin = |encoder: Value| {
        json!({"kind": "twin", "latent_points": 16, "latent_channels": 4, "encoder": encoder,
               "evolution": {"kind": "timed", "width": 8}, "decoder": {"hidden": 16}})
    };
    let seeing = json!({"kind": "set_conv", "hidden": 4, "estimate": true, "length_scale": {"layout": 0.6}});
    let moving = |output: &str| {
        let mut moving = twin(seeing.clone());
        moving["output"] = json!(output);
        moving
    };
    let mut spreading = moving("gated");
    spreading["semigroup"] = json!({"modes": 4});
    let course = |kind: &str| {
        let x: Vec<f64> = (0..N).map(|i| i as f64 / N as f64).collect();
        json!({"kind": kind, "times": [0.0, 0.5], "coordinates": [x], "period": 1.0})
    };
    let all = [
        twin(json!({"kind": "set_conv", "hidden": 4})),
        twin(json!({"kind": "attention", "width": 8})),
        moving("transport"),
        moving("gated"),
        spreading,
        json!({"kind": "persistence"}),
        json!({"kind": "interpolation"}),
        course("climatology"),
        course("anomaly_persistence"),
        json!({"kind": "lno", "blocks": 1, "modes": 8, "dim": 16, "heads": 2, "layers": 1, "queries": "any"}),
        json!({"kind": "fno", "width": 6, "modes": 4, "hidden": 16}),
        json!({"kind": "fno", "form": "neural_operator", "width": 6, "modes": 6}),
        json!({"kind": "f_fno", "width": 6, "modes": 4, "hidden": 16}),
        json!({"kind": "deeponet", "branch": [16], "trunk": [16, 16], "basis": 8}),
    ];
    all.map(|value| serde_json::from_value(value).unwrap()).to_vec()
}

fn evolutions() -> Vec<EvolutionConfig> {
    let all = [
        json!({"kind": "steady", "width": 4}),
        json!({"kind": "timed", "width": 4}),
        json!({"kind": "residual", "width": 4}),
        json!({"kind": "spectral", "width": 4, "modes": 3, "blocks": 2}),
        json!({"kind": "spectral", "width": 4, "modes": 3, "blocks": 3, "taps": 5, "dilations": [1, 4]}),
        json!({"kind": "multigrid", "width": 4, "levels": 3, "cycles": 2}),
    ];
    all.map(|value| serde_json::from_value(value).unwrap()).to_vec()
}

/// The names of all variants, from what serde says of one that is not.
fn variants<T: DeserializeOwned>(unknown: Value) -> BTreeSet<String> {
    let message = serde_json::from_value::<T>(unknown).err().unwrap().to_string();
    let names: BTreeSet<String> = message.split('`').skip(3).step_by(2).map(String::from).collect();
    assert!(!names.is_empty(), "{message}");
    names
}

/// The `kind` of each value, at a path.
fn kinds(values: &[impl serde::Serialize], path: &str) -> BTreeSet<String> {
    let kind = |value: &_| serde_json::to_value(value).unwrap().pointer(path)?.as_str().map(String::from);
    values.iter().filter_map(kind).collect()
}

#[test]
fn every_kind_has_an_example() {
    let unknown = || json!({"kind": "?"});
    assert_eq!(kinds(&models(), "/kind"), variants::<ModelConfig>(unknown()));
    assert_eq!(kinds(&models(), "/kind"), models().iter().map(|model| model.name().into()).collect());
    assert_eq!(kinds(&models(), "/encoder/kind"), variants::<lto::twin::encoder::EncoderConfig>(unknown()));
    assert_eq!(kinds(&evolutions(), "/kind"), variants::<EvolutionConfig>(unknown()));
}

fn domain() -> Domain {
    Domain::unit(1, true).unwrap()
}

fn grid() -> Points {
    Points::grid(Grid::cubic(domain(), N, Placement::Left).unwrap())
}

/// An untrained model for values about 2, with a native interval of 0.25.
fn model(config: ModelConfig) -> Model {
    let normalizer: Normalizer = serde_json::from_str(r#"{"mean": [2.0], "scale": [0.5]}"#).unwrap();
    let card = ModelCard {
        problem: Problem {
            domain: domain(),
            source_channels: 1,
            target_channels: 1,
            native: vec![N],
            times: Some([0.0, 1.0]),
            changes: Vec::new(),
            measured: Default::default(),
        },
        model: config,
        source_normalizer: normalizer.clone(),
        target_normalizer: normalizer,
        course: None,
        channel_names: vec!["u".into()],
        native_interval: Some(0.25),
        data: "made up".into(),
        steps: 0,
        cpu_minutes: None,
        ways: Vec::new(),
        errors: BTreeMap::new(),
        calibration: None,
    };
    Model::new(card, 7).unwrap()
}

fn wave(phase: f64) -> Vec<f64> {
    (0..N).map(|i| 2.0 + 0.5 * (phase + std::f64::consts::TAU * i as f64 / N as f64).sin()).collect()
}

fn context(phase: f64) -> Context {
    Context { points: grid(), n_channels: 1, values: wave(phase), deviations: None }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_saved_model_predicts_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    for config in models() {
        let (made, path) = (model(config), folder.path().join("m.safetensors"));
        made.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        assert_eq!(loaded.card(), made.card());
        assert_eq!(loaded.operator().parameters(), made.operator().parameters());
        let predict = |model: &Model| {
            model.predict(&context(0.3), 0.25, &[0.5, 1.0], &Arc::new(grid())).unwrap().values
        };
        assert_eq!(predict(&loaded), predict(&made), "{}", made.card().model.name());
    }
}

/// Asked time by time from one encoding, all times at once, or in a batch with others: the same values.
#[test]
fn there_is_one_prediction_however_it_is_asked_for() {
    let query = Arc::new(grid());
    for config in models() {
        let model = model(config);
        let name = model.card().model.name();
        let times = [0.5, 1.0];
        let together = model.predict(&context(0.3), 0.25, &times, &query).unwrap();
        assert_eq!(together.values.len(), 2 * N);
        let encoded = model.encode(&context(0.3), 0.25).unwrap();
        let apart = times.map(|t| encoded.at(t).unwrap().decode(&query).unwrap().values).concat();
        assert_eq!(together.values, apart, "{name}");
        let contexts = [context(1.0), context(0.3)];
        let times: [&[f64]; 2] = [&[0.5], &times];
        let wanted: Vec<_> = (0..2)
            .map(|i| lto::model::Forecast { context: &contexts[i], s: 0.25, times: times[i] })
            .collect();
        let batch = model.predict_batch(&wanted, &query).unwrap();
        assert!(largest_difference(&batch[1].values, &together.values) < 1e-5, "{name}");
        assert_eq!(batch[0].values.len(), N);
    }
}

/// Backwards, as points without their grid.
#[test]
fn the_order_of_context_points_does_not_matter() {
    let ordered = context(0.3);
    let points: Vec<f64> = ordered.points.coordinates().into_iter().rev().collect();
    let values: Vec<f64> = ordered.values.iter().rev().copied().collect();
    let reversed = Context {
        points: Points::scattered(domain(), points).unwrap(),
        n_channels: 1,
        values,
        deviations: None,
    };
    let scattered = Context {
        points: ordered.points.to_scattered(),
        n_channels: 1,
        values: ordered.values.clone(),
        deviations: None,
    };
    let query = grid();
    for config in models() {
        let model = model(config);
        let predict = |context: &Context| model.encode(context, 0.0)?.at(0.25)?.decode(&query);
        let name = model.card().model.name();
        match (predict(&scattered), predict(&reversed)) {
            (Ok(a), Ok(b)) => assert!(largest_difference(&a.values, &b.values) < 1e-5, "{name}"),
            // A model on grids says so.
            (Err(Error::Unsupported { .. }), Err(Error::Unsupported { .. })) => {
                assert!(["fno", "f_fno"].contains(&name), "{name}");
            }
            (a, b) => panic!("{name}: {a:?} {b:?}"),
        }
    }
}

/// One example is learned by heart, and every parameter takes part in it.
#[test]
fn every_model_with_parameters_overfits_one_example() {
    for config in models() {
        // Away from the start, where some models say the same everywhere.
        let model = model(config);
        let (mut at, mut angle) = (model.operator().parameters().into_iter(), 0.0f32);
        let operator = model.operator().with_parameters(&mut |_, _| {
            let mut values = at.next()?.values;
            for value in &mut values {
                angle += 1.7;
                *value += 0.3 * angle.sin();
            }
            Some(values)
        });
        let mut model = Model::of(model.card().clone(), operator).with_gradients();
        let name = model.card().model.name();
        let begin = model.operator().parameters();
        // Nothing to train.
        if model.operator().n_parameters() == 0 {
            continue;
        }
        let train = TrainConfig {
            learning_rate: 5e-3,
            weight_decay: 0.0,
            schedule: ScheduleConfig::Constant(Constant {}),
            ..TrainConfig::default()
        };
        let mut stepper = Stepper::new(&model, &train);
        let batch = Batch {
            contexts: vec![context(0.3)],
            times: vec![(0.0, 0.25)],
            queries: vec![Arc::new(grid())],
            source: wave(0.3),
            target: wave(1.3),
            target_contexts: Vec::new(),
        };
        let losses: Vec<f64> = (1..=500)
            .map(|step| {
                stepper
                    .step(&mut model, batch.clone(), &[], Moment { step, ..Moment::default() })
                    .unwrap()
                    .losses
                    .total
            })
            .collect();
        assert!(losses[499] < 0.03 * losses[0], "{name}: {} → {}", losses[0], losses[499]);
        for (before, after) in begin.iter().zip(model.operator().parameters()) {
            assert!(before.values != after.values, "{name}: {} has no gradient", before.name);
        }
    }
}

#[test]
fn evolutions_are_the_identity_at_first_and_made_for_their_problems() {
    let device = Device::flex();
    for evolution in evolutions() {
        let mut made = 0;
        for (dim, times) in [(1, None), (2, None), (1, Some([0.0, 2.0])), (2, Some([0.0, 2.0]))] {
            let problem = Problem {
                domain: Domain::unit(dim, true).unwrap(),
                source_channels: 1,
                target_channels: 1,
                native: vec![16; dim],
                times,
                changes: Vec::new(),
                measured: Default::default(),
            };
            let config = TwinConfig {
                evolution: evolution.clone(),
                ..toml::from_str(
                    "latent_points = 16\nlatent_channels = 3\nencoder = { kind = 'set_conv', hidden = 4 }\n\
                     evolution = { kind = 'steady', width = 1 }\ndecoder = { hidden = 8 }",
                )
                .unwrap()
            };
            let Ok(twin) = Twin::new(&config, &problem, &device) else { continue };
            made += 1;
            let shape = [2, 3, if dim == 2 { 16 } else { 1 }, 16];
            let z = Tensor::<4>::random(shape, burn::tensor::Distribution::Normal(0.0, 1.0), &device);
            let latent = TwinLatent { z: z.clone(), source: None };
            let evolved = twin.evolve(&latent, &[(0.0, 0.0), (0.3, 1.7)]);
            assert_eq!((evolved.z - z).abs().max().into_scalar::<f32>(), 0.0, "{evolution:?}");
        }
        assert!(made >= 2, "{evolution:?}");
    }
}

#[test]
fn losses_vanish_where_the_prediction_is_true_and_grow_with_its_error() {
    let device = Device::flex();
    let truth = Tensor::<3>::from_floats([[[1.0, -2.0, 0.5]], [[0.3, 0.1, 2.0]]], &device);
    let queries = [Arc::new(Points::grid(Grid::cubic(domain(), 3, Placement::Left).unwrap()))];
    let at = |config: ObjectiveConfig, error: f32| {
        let objective = config.init(&Normalizer::identity(1));
        let term =
            objective.evolution(truth.clone() + error, truth.clone(), &queries, &[0.5, 0.125]).unwrap();
        term.value.into_scalar::<f32>()
    };
    for kind in variants::<LossKind>(json!("?")) {
        let loss: LossKind = serde_json::from_value(kind.into()).unwrap();
        let at = |error| at(ObjectiveConfig { evolution_loss: loss, ..ObjectiveConfig::default() }, error);
        assert!(at(0.0).abs() < 1e-6 && at(0.1) > 1e-4 && at(0.2) > at(0.1), "{loss:?}");
    }
    // The mean of (0.1 / c)².
    let per_lead = at(ObjectiveConfig { per_lead: true, ..ObjectiveConfig::default() }, 0.1);
    assert!((per_lead - 0.5 * (0.04 + 0.64)).abs() < 1e-4, "{per_lead}");
}

#[test]
fn schedules_are_shares_of_the_largest_rate_without_jumps() {
    for kind in variants::<ScheduleConfig>(json!({"kind": "?"})) {
        let schedule: ScheduleConfig = serde_json::from_value(json!({"kind": kind})).unwrap();
        schedule.validate().unwrap();
        let factors: Vec<f64> = (0..=1000).map(|i| schedule.factor(f64::from(i) / 1000.0)).collect();
        assert!(factors.iter().all(|f| (0.0..=1.0).contains(f)), "{schedule:?}");
        assert!(factors.iter().any(|f| *f > 0.99), "{schedule:?}");
        assert_eq!(schedule.factor(1.5), factors[1000], "{schedule:?}");
        assert!(factors.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.02), "{schedule:?}");
    }
}
