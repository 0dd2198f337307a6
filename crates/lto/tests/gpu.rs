//! Models on a graphics card compute what they compute on the processor. A card that is not there is a failure, unless
//! `LTO_NO_GPU` is set; Mesa's lavapipe is one made of software.
#![cfg(feature = "gpu")]

#[path = "common/small_models.rs"]
mod small_models;

use lto::device::Traffic;
use lto::experiment::training::TrainConfig;
use lto::loss::LossKind;
use lto::model::{Model, ModelConfig};
use lto::operator::Batch;
use lto::train::{Moment, Stepper};
use lto::twin::config::OutputForm;
use lto::{Device, Error};
use lto_numerics::{Domain, Points};
use serde_json::{Value, json};
use small_models::{N, context, evolutions, grid, models, problem, stirred, untrained, wave};
use std::sync::Arc;

/// Whether there is a card.
fn has_gpu() -> bool {
    match Device::Gpu.describe() {
        Ok(found) => {
            eprintln!("tested on {found}");
            true
        }
        Err(missing) if std::env::var_os("LTO_NO_GPU").is_some() => {
            eprintln!("not tested: {missing}");
            false
        }
        Err(missing) => panic!("{missing}. LTO_NO_GPU=1 leaves these tests out"),
    }
}

/// Every kind of model in one and two dimensions; twins with every encoder, output and evolution; steady and timed.
fn cases() -> Vec<(String, Model)> {
    let (timed, steady) = (Some([0.0, 1.0]), None);
    let mut configs: Vec<Value> =
        models().iter().map(|config| serde_json::to_value(config).unwrap()).collect();
    let twin = configs[0].clone();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut twin = twin.clone();
        change(&mut twin);
        twin
    };
    configs
        .extend(evolutions().iter().map(|evolution| changed(&|twin| twin["evolution"] = json!(evolution))));
    configs.push(changed(&|twin| twin["output"] = json!(OutputForm::Residual)));
    let mut cases = Vec::new();
    for config in configs {
        let config: ModelConfig = serde_json::from_value(config).unwrap();
        let before = cases.len();
        for (dim, times) in [(1, timed), (2, timed), (2, steady)] {
            // Not every kind is for every problem.
            if let Ok(model) = untrained(problem(dim, times), config.clone()) {
                let what = format!("{} in {dim} dimensions, times {times:?}: {config:?}", config.name());
                cases.push((what, stirred(&model)));
            }
        }
        assert!(cases.len() > before, "{config:?} was made for no problem");
    }
    cases
}

/// Points of a sequence that has no pattern.
fn scattered(dim: usize, n: usize) -> Points {
    let at = |i: usize| [0.754_877, 0.569_840].into_iter().take(dim).map(move |step| i as f64 * step % 1.0);
    Points::scattered(Domain::unit(dim, true).unwrap(), (1..=n).flat_map(at).collect()).unwrap()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    // A NaN must not look small.
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, |m, v| if v <= m { m } else { v })
}

/// From whole grids, part of one and scattered points, at grids, part of one and points.
#[test]
fn predictions_equal_those_of_the_processor() {
    if !has_gpu() {
        return;
    }
    for (what, cpu) in cases() {
        let (gpu, problem) = (cpu.on(Device::Gpu).unwrap(), &cpu.card().problem);
        let dim = problem.domain.dim();
        let some: Vec<usize> = (0..N.pow(dim as u32)).filter(|i| i % 5 != 2).collect();
        let part = grid(dim).select(&some).unwrap();
        let places = [grid(dim), part, scattered(dim, 23)];
        let mut answered = 0;
        for (from, to) in places.iter().flat_map(|from| places.iter().map(move |to| (from, to))) {
            let (context, query) = (context(from.clone(), 0.3), Arc::new(to.clone()));
            let (s, times): (f64, &[f64]) =
                if problem.times.is_some() { (0.25, &[0.5, 1.0]) } else { (0.0, &[0.0]) };
            let predict = |model: &Model| model.predict(&context, s, times, &query).map(|found| found.values);
            match (predict(&cpu), predict(&gpu)) {
                (Ok(cpu), Ok(gpu)) => {
                    let size = cpu.iter().fold(1.0, |most: f64, value| most.max(value.abs()));
                    let off = largest_difference(&gpu, &cpu) / size;
                    assert!(off < 1e-4, "{what}: {off:e}");
                    answered += 1;
                }
                (Err(Error::Unsupported { .. }), Err(Error::Unsupported { .. })) => {}
                (cpu, gpu) => panic!("{what}: {cpu:?} {gpu:?}"),
            }
        }
        assert!(answered > 0 || cpu.operator().n_parameters() == 0, "{what} answered nothing");
    }
}

/// Losses of ten training steps.
fn losses(model: &Model, train: &TrainConfig) -> Vec<f64> {
    let problem = &model.card().problem;
    let (dim, mut model) = (problem.domain.dim(), model.with_gradients());
    let (places, phases) = (grid(dim), [0.3, 1.0]);
    let states = |shift: f64| phases.iter().flat_map(|phase| wave(&places, phase + shift)).collect();
    let contexts = |shift: f64| phases.map(|phase| context(places.clone(), phase + shift)).to_vec();
    let batch = Batch {
        contexts: contexts(0.0),
        times: vec![(0.0, 0.25), (0.5, 0.75)],
        queries: vec![Arc::new(places.clone())],
        source: states(0.0),
        target: states(1.0),
        target_contexts: if problem.times.is_none() { contexts(1.0) } else { Vec::new() },
    };
    let mut stepper = Stepper::new(&model, train);
    let mut step = |step| {
        let moment = Moment { step, progress: 0.5, ..Moment::default() };
        stepper.step(&mut model, batch.clone(), &[], moment).unwrap().losses.total
    };
    (1..=10).map(&mut step).collect()
}

fn follows(what: &str, cpu: &Model, train: &TrainConfig) {
    let (expected, before) = (losses(cpu, train), Traffic::so_far());
    let found = losses(&cpu.on(Device::Gpu).unwrap(), train);
    let (moved, weights) = (Traffic::so_far() - before, cpu.operator().n_parameters() as u64);
    for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!((found / expected - 1.0).abs() < 1e-3, "{what}: step {step}: {found} {expected}");
    }
    assert!(moved.launches > 0, "{what}: nothing was computed on the device");
    eprintln!("{what}: {weights} weights, ten steps: {moved:?}");
}

#[test]
fn ten_training_steps_follow_those_of_the_processor() {
    if !has_gpu() {
        return;
    }
    let train = TrainConfig { gradient_clip: 1.0, ema_decay: 0.9, ..TrainConfig::default() };
    for (what, cpu) in cases() {
        if cpu.operator().n_parameters() > 0 {
            follows(&what, &cpu, &train);
        }
    }
    // Other losses, with one model.
    let (what, cpu) = &cases()[0];
    for loss in [LossKind::RelativeL2, LossKind::RelativeH1, LossKind::Crps] {
        let mut train = train.clone();
        (train.objective.evolution_loss, train.objective.per_lead) = (loss, loss == LossKind::Crps);
        follows(&format!("{loss:?}: {what}"), cpu, &train);
    }
}
