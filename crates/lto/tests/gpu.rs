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
use lto::problem::Problem;
use lto::train::{Moment, Stepper};
use lto::twin::config::OutputForm;
use lto::{Device, Error};
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Placement, PointStructure, Points};
use serde_json::{Value, json};
use small_models::{N, context, evolutions, models, problem, stirred, untrained, wave};
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

/// Every kind of model in one and two dimensions, on circles and between ends; twins with every encoder, output, evolution and
/// interpolation; steady and timed.
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
    // As the twins of `configs/ours`: cubics between the points of a grid at the centers of cells, states that move.
    for output in [OutputForm::Transport, OutputForm::Gated] {
        configs.push(changed(&|twin| {
            (twin["output"], twin["latent_placement"]) = (json!(output), json!("center"));
            twin["encoder"] = json!({"kind": "set_conv", "hidden": 4, "estimate": true, "position": true,
                                     "length_scale": {"layout": 0.5}});
            twin["evolution"] = json!({"kind": "spectral", "width": 4, "modes": 3, "blocks": 2, "taps": 5,
                                       "dilations": [1, 2], "displacements": 2});
            twin["decoder"]["interpolation"] = json!("cubic");
        }));
    }
    configs.push(changed(&|twin| {
        twin["encoder"]["each"] = json!(true);
        twin["encoder"]["density"] = json!("coverage");
        twin["boundary"] = json!("zero");
    }));
    let mut cases = Vec::new();
    for config in configs {
        let config: ModelConfig = serde_json::from_value(config).unwrap();
        let before = cases.len();
        for (dim, times, periodic) in
            [(1, timed, true), (2, timed, true), (1, timed, false), (2, steady, false)]
        {
            let problem = Problem { domain: Domain::unit(dim, periodic).unwrap(), ..problem(dim, times) };
            // Not every kind is for every problem.
            if let Ok(model) = untrained(problem, config.clone()) {
                let what = format!(
                    "{} in {dim} dimensions, periodic {periodic}, times {times:?}: {config:?}",
                    config.name()
                );
                cases.push((what, stirred(&model)));
            }
        }
        assert!(cases.len() > before, "{config:?} was made for no problem");
    }
    cases
}

/// The points of the data: from the lower end of circles, both ends of open axes included; `shift` spacings further on circles.
fn grid(domain: &Domain, shift: f64) -> Points {
    if domain.is_periodic() && shift == 0.0 {
        return small_models::grid(domain.dim());
    }
    let along = |periodic: bool| match periodic {
        true => (0..N).map(|i| (i as f64 + shift) / N as f64).collect(),
        false => Placement::Vertex.coordinates(N, 0.0, 1.0),
    };
    let coordinates = domain.axes().iter().map(|axis| along(axis.periodic)).collect();
    Points::grid(Grid::from_coordinates(domain.clone(), coordinates).unwrap())
}

/// Points number `first` and later of a sequence that has no pattern.
fn scattered(domain: &Domain, first: usize, n: usize) -> Points {
    let steps = [0.754_877, 0.569_840].into_iter().take(domain.dim());
    let at = |i: usize| steps.clone().map(move |step| i as f64 * step % 1.0);
    Points::scattered(domain.clone(), (first..first + n).flat_map(at).collect()).unwrap()
}

/// About four fifths of the points of the data, others for every `draw`.
fn part(domain: &Domain, draw: usize) -> Points {
    let kept = |i: &usize| (0.618 * *i as f64 + 0.377 * draw as f64) % 1.0 > 0.2;
    let some: Vec<usize> = (0..N.pow(domain.dim() as u32)).filter(kept).collect();
    grid(domain, 0.0).select(&some).unwrap()
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
        let domain = &problem.domain;
        let places = [grid(domain, 0.0), part(domain, 0), scattered(domain, 1, 23)];
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
    let (places, mut model, phases) = (grid(&problem.domain, 0.0), model.with_gradients(), [0.3, 1.0]);
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

/// Where the points of a step are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Placed {
    /// On the grid of the data.
    Grid,
    /// On a grid that is elsewhere in every step, as symmetries move it.
    Moved,
    /// On parts of the grid.
    Part,
    /// Anywhere, the queries of each example, too.
    Anywhere,
}

/// Two examples, others for every `draw`: places, too, since devices keep what they were sent before.
fn fresh(model: &Model, draw: usize, placed: Placed) -> Batch {
    let problem = &model.card().problem;
    let (domain, phases) = (&problem.domain, [0.1, 0.7].map(|phase| phase + draw as f64));
    let at = |i: usize| match placed {
        Placed::Grid => grid(domain, 0.0),
        Placed::Moved => grid(domain, 0.37 * draw as f64 % 1.0),
        Placed::Part => part(domain, 10 * draw + i),
        Placed::Anywhere => scattered(domain, 100 * (2 * draw + i), 40),
    };
    let queries = match placed {
        Placed::Anywhere => {
            (0..2).map(|i| Arc::new(scattered(domain, 50 + 100 * (2 * draw + i), 30))).collect()
        }
        _ => vec![Arc::new(at(3))],
    };
    let contexts = |shift: f64| (0..2).map(|i| context(at(i), phases[i] + shift)).collect::<Vec<_>>();
    let states = |shift: f64| {
        phases
            .iter()
            .zip(queries.iter().cycle())
            .flat_map(|(phase, query)| wave(query, phase + shift))
            .collect()
    };
    Batch {
        contexts: contexts(0.0),
        times: vec![(0.0, 0.25), (0.5, 0.75)],
        source: states(0.0),
        target: states(1.0),
        target_contexts: if problem.times.is_none() { contexts(1.0) } else { Vec::new() },
        queries,
    }
}

/// The most numbers that a step may send: observations, truths, where both are, a few numbers an example (times, what depends on
/// them alone), and, where a model moves the source or sees its estimate, the source as a function of the place.
fn allowed(model: &Model, batch: &Batch, placed: Placed) -> usize {
    let config = serde_json::to_value(&model.card().model).unwrap();
    let kind = config["kind"].as_str().unwrap();
    let (twin, dim) = (kind == "twin", model.card().problem.domain.dim());
    let convolves = twin && config["encoder"]["kind"] == "set_conv";
    // The places of a grid that is always the same are there already; others are the grid's along its axes, and which points.
    let places = |points: &Points| match points.structure() {
        _ if placed == Placed::Grid && !kind.contains("fno") => 0,
        PointStructure::Grid(grid) if convolves => grid.shape().iter().sum(),
        PointStructure::Masked { indices, .. } if convolves => indices.len(),
        _ => dim * points.len(),
    };
    let observed = |context: &Context| context.values.len() + places(&context.points);
    let contexts: usize = batch.contexts.iter().chain(&batch.target_contexts).map(observed).sum();
    let queries: usize = batch.queries.iter().map(|query| places(query)).sum();
    // A DeepONet sees sine and cosine of a place on a circle.
    let queries = if kind == "deeponet" { 2 * queries } else { queries };
    let truths = batch.target.len() + if twin { batch.source.len() } else { 0 };
    let moves = config["output"] == "transport" || config["output"] == "gated";
    let sees = config["encoder"]["estimate"] == true || config["semigroup"].is_object();
    let at_queries = usize::from(config["output"] == "gated") + usize::from(config["output"] == "residual");
    // Splines go through the grid of the data or the latent one, which has as many points.
    let on_grid = usize::from(moves) + usize::from(sees);
    let estimates = 2 * N.pow(dim as u32) * on_grid + batch.target.len() * at_queries;
    contexts + queries + truths + 8 * batch.times.len() + estimates
}

/// Once tables and weights are there, a step sends its batch, and fetches losses, the norm of the gradients and whether truths
/// are missing.
#[test]
fn a_step_moves_its_batch_and_its_losses() {
    let Some(_alone) = gpu() else { return };
    let learned = cases().into_iter().filter(|(_, cpu)| cpu.operator().n_parameters() > 0);
    for (case, (what, cpu)) in learned.enumerate() {
        let mut model = cpu.on(Device::Gpu).unwrap().with_gradients();
        let mut stepper = Stepper::new(&model, &TrainConfig::default());
        // The first two send the tables of the data's grid and of the latent one.
        let first = [Placed::Grid, Placed::Anywhere];
        let all = [Placed::Grid, Placed::Moved, Placed::Part, Placed::Anywhere];
        for (step, placed) in (1..).zip(first.into_iter().chain(all)) {
            let batch = fresh(&cpu, 10 * case + step as usize, placed);
            let (allowed, least) = (allowed(&cpu, &batch, placed), batch.target.len());
            let (before, moment) = (Traffic::so_far(), Moment { step, progress: 0.5, ..Moment::default() });
            match stepper.step(&mut model, batch, &[], moment) {
                Ok(_) => {}
                Err(Error::Unsupported { .. }) if placed != Placed::Grid => continue,
                Err(other) => panic!("{what}: {placed:?}: {other}"),
            }
            let moved = Traffic::so_far() - before;
            if step > first.len() as u64 {
                eprintln!("{what}: {placed:?}: {allowed} allowed, {moved:?}");
                assert!(
                    (least as u64..=allowed as u64).contains(&moved.sent),
                    "{what}: {placed:?}: {allowed} allowed, {moved:?}"
                );
                assert!(moved.fetched <= 8, "{what}: {placed:?}: {moved:?}");
            }
        }
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
