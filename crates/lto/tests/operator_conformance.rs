//! What every kind of model, encoder, evolution, loss and schedule promises. A kind of model, encoder or evolution without
//! an example here fails; losses and schedules are found by themselves.

#[path = "common/small_models.rs"]
mod small_models;

use burn::tensor::{Device, Tensor};
use lto::Error;
use lto::experiment::training::TrainConfig;
use lto::loss::{LossKind, ObjectiveConfig};
use lto::model::{Model, ModelConfig};
use lto::operator::{Architecture, Batch};
use lto::optim::schedule::{Constant, ScheduleConfig};
use lto::train::{Moment, Stepper};
use lto::twin::config::TwinConfig;
use lto::twin::evolution::EvolutionConfig;
use lto::twin::{Twin, TwinLatent};
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Domain, Grid, Placement, Points};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use small_models::{N, evolutions, models, problem, stirred, untrained};
use std::collections::BTreeSet;
use std::sync::Arc;

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
    small_models::grid(1)
}

fn model(config: ModelConfig) -> Model {
    untrained(problem(1, Some([0.0, 1.0])), config).unwrap()
}

fn wave(phase: f64) -> Vec<f64> {
    small_models::wave(&grid(), phase)
}

fn context(phase: f64) -> Context {
    small_models::context(grid(), phase)
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
        let mut model = stirred(&model(config)).with_gradients();
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
            let problem = problem(dim, times);
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
