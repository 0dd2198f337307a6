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
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Points};
use serde_json::{Value, json};
use small_models::{N, context, evolutions, grid, models, problem, stirred, untrained, wave};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The card, if there is one, for one test at a time: what is moved is counted for all together.
fn gpu() -> Option<MutexGuard<'static, ()>> {
    static ALONE: Mutex<()> = Mutex::new(());
    match Device::Gpu.describe() {
        Ok(found) => {
            eprintln!("tested on {found}");
            Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner))
        }
        Err(missing) if std::env::var_os("LTO_NO_GPU").is_some() => {
            eprintln!("not tested: {missing}");
            None
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
    let Some(_alone) = gpu() else { return };
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

/// Two examples that are new in every step: observed anywhere, or on the whole grid.
fn fresh(model: &Model, step: u64, anywhere: bool) -> Batch {
    let problem = &model.card().problem;
    let (dim, phases) = (problem.domain.dim(), [0.1, 0.7].map(|phase| phase + step as f64));
    let at = |i: usize| match anywhere {
        true => {
            let all = scattered(dim, 40 * (step as usize + i + 1));
            all.select(&(all.len() - 40..all.len()).collect::<Vec<_>>()).unwrap()
        }
        false => grid(dim),
    };
    let contexts = |shift: f64| (0..2).map(|i| context(at(i), phases[i] + shift)).collect::<Vec<_>>();
    let states = |shift: f64| phases.iter().flat_map(|phase| wave(&grid(dim), phase + shift)).collect();
    Batch {
        contexts: contexts(0.0),
        times: vec![(0.0, 0.25), (0.5, 0.75)],
        queries: vec![Arc::new(grid(dim))],
        source: states(0.0),
        target: states(1.0),
        target_contexts: if problem.times.is_none() { contexts(1.0) } else { Vec::new() },
    }
}

/// Numbers of a batch: observations and where they are, truths, and times.
fn numbers(batch: &Batch) -> usize {
    let observed = |context: &Context| context.values.len() + context.points.len() * context.points.dim();
    let contexts = batch.contexts.iter().chain(&batch.target_contexts).map(observed).sum::<usize>();
    contexts + batch.source.len() + batch.target.len() + 2 * batch.times.len()
}

/// Numbers of the source as a function of the place, where a model moves it or sees its estimate: its spline, through the grid
/// of the data or the latent one (of as many points), its values on the latent grid, for each use, and one number for every
/// query point.
fn estimates(model: &Model) -> usize {
    let config = serde_json::to_value(&model.card().model).unwrap();
    let dim = model.card().problem.domain.dim();
    let n = N.pow(dim as u32);
    let moves = config["output"] == "transport" || config["output"] == "gated";
    let uses =
        usize::from(config["encoder"]["estimate"] == true) + usize::from(config["semigroup"].is_object());
    let gate = usize::from(config["output"] == "gated");
    2 * n * (usize::from(moves) * 2usize.pow(dim as u32) + uses + gate)
}

/// Once tables and weights are there, a step sends its batch, and fetches losses, the norm of the gradients and whether truths
/// are missing.
#[test]
fn a_step_moves_its_batch_and_its_losses() {
    let Some(_alone) = gpu() else { return };
    let train = TrainConfig::default();
    for (what, cpu) in cases().into_iter().filter(|(_, cpu)| cpu.operator().n_parameters() > 0) {
        let mut tried = 0;
        for anywhere in [false, true] {
            let mut model = cpu.on(Device::Gpu).unwrap().with_gradients();
            let mut stepper = Stepper::new(&model, &train);
            for step in 1..=3 {
                let batch = fresh(&cpu, step, anywhere);
                let (allowed, before) = ((numbers(&batch) + estimates(&cpu)) as u64, Traffic::so_far());
                let moment = Moment { step, progress: 0.5, ..Moment::default() };
                match stepper.step(&mut model, batch, &[], moment) {
                    Ok(_) => {}
                    Err(Error::Unsupported { .. }) if anywhere => break,
                    Err(other) => panic!("{what}: {other}"),
                }
                let moved = Traffic::so_far() - before;
                if step > 1 {
                    tried += 1;
                    assert!(
                        moved.sent <= allowed,
                        "{what}: anywhere {anywhere}: {allowed} allowed, {moved:?}"
                    );
                    assert!(moved.fetched <= 8, "{what}: {moved:?}");
                }
            }
        }
        assert!(tried > 0, "{what}");
    }
}

#[test]
fn ten_training_steps_follow_those_of_the_processor() {
    let Some(_alone) = gpu() else { return };
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
