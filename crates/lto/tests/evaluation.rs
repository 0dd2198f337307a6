//! Protocols against hand computation: files of closed-form states, and models whose predictions are known.

use lto::data::config::DataConfig;
use lto::data::context::Design;
use lto::evaluate::evaluation::{read, to_json};
use lto::evaluate::{Evaluation, EvaluationConfig, Levels, ModelInfo, Origin, Outcome, Part, evaluate};
use lto::model::{Model, ModelConfig};
use lto::{Device, Error};
use lto_numerics::dataset::write::{Header, create};
use lto_numerics::{Domain, Field, Grid, Placement, Sample, Trajectory};
use serde_json::Value;
use std::f64::consts::{PI, TAU};
use std::path::Path;
use std::sync::Arc;

const FRAMES: usize = 9;
const INTERVAL: f64 = 0.125;

/// Writes `n` samples of u(sample, x, t) on 32 points, and on 64.
fn write(path: &Path, n: usize, u: impl Fn(usize, f64, f64) -> f64) {
    let times: Vec<f64> = (0..FRAMES).map(|i| i as f64 * INTERVAL).collect();
    let grid = |n| Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), n, Placement::Left).unwrap());
    let header = Header {
        grids: vec![grid(32), grid(64)],
        times: times.clone(),
        n_samples: n,
        attributes: Vec::new(),
    };
    let mut writer = create(path, &header).unwrap();
    for sample in 0..n {
        let on = |grid: &Arc<Grid>| {
            let field = |&t: &f64| Field::from_fn(grid.clone(), |x| u(sample, x[0], t)).into_values();
            let values = times.iter().flat_map(field).collect();
            Sample::Evolution(Trajectory::new(grid.clone(), times.clone(), 1, values).unwrap())
        };
        writer.append(&header.grids.iter().map(on).collect::<Vec<_>>()).unwrap();
    }
    writer.finish().unwrap();
}

fn data(path: &Path) -> DataConfig {
    DataConfig { path: Some(path.into()), periodic: Some("all".into()), ..DataConfig::default() }
}

fn info(model: &Model) -> ModelInfo {
    ModelInfo {
        run: "here".into(),
        kind: model.card().model.name().into(),
        parameters: model.operator().n_parameters(),
        steps: 0,
        train_seconds: None,
    }
}

fn run(data: &DataConfig, kind: ModelConfig, config: &EvaluationConfig) -> Result<Evaluation, Error> {
    let levels = Levels::open(data, &config.all_resolutions())?;
    let model = levels.data().untrained(kind, &Device::flex())?;
    evaluate(&model, info(&model), &levels, config, &mut |_, _| true)
}

fn error(outcome: &Outcome) -> f64 {
    outcome.measures().unwrap_or_else(|| panic!("{outcome:?}")).relative_l2.mean
}

#[track_caller]
fn assert_near(value: f64, exact: f64) {
    assert!((value - exact).abs() < 2e-6 * exact.abs().max(1e-3), "{value} is not {exact}");
}

/// The same keys, texts and numbers.
#[track_caller]
fn same(a: &Value, b: &Value) {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            assert!(x.keys().eq(y.keys()));
            x.values().zip(y.values()).for_each(|(a, b)| same(a, b));
        }
        (Value::Array(x), Value::Array(y)) => {
            assert_eq!(x.len(), y.len());
            x.iter().zip(y).for_each(|(a, b)| same(a, b));
        }
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            assert!((x - y).abs() <= 1e-15 * x.abs(), "{x} {y}");
        }
        _ => assert_eq!(a, b),
    }
}

fn all() -> EvaluationConfig {
    EvaluationConfig { split: Part::All, ..EvaluationConfig::default() }
}

/// A wave that travels a distance d is off by 2 sin(πkd) of itself, whatever its amplitude, phase and resolution.
#[test]
fn a_held_wave_is_off_by_how_far_the_true_one_travels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.hdf5");
    let (k, speed) = (2.0, 0.3);
    write(&path, 5, |i, x, t| (1.0 + i as f64) * (TAU * (k * (x - speed * t) + 0.1 * i as f64)).sin());
    let held = |steps: usize| 2.0 * (PI * k * speed * INTERVAL * steps as f64).sin().abs();
    let config = EvaluationConfig {
        resolutions: vec![16, 32, 64, 48],
        context_resolutions: vec![16],
        query_resolutions: vec![64],
        horizon: Some(6),
        start: Some(2),
        noise: vec![],
        fractions: vec![0.5, 1.0],
        designs: vec![Design::Strided, Design::Full],
        ..all()
    };
    let evaluation = run(&data(&path), ModelConfig::Interpolation, &config).unwrap();
    assert_near(error(&evaluation.one_step), held(1));
    assert_eq!(evaluation.data.starts, [0, 1, 2, 4, 5, 7]);
    let measures = evaluation.one_step.measures().unwrap();
    assert_eq!(measures.relative_l2.errors.len(), 5);
    let bands = measures.bands.unwrap();
    assert_near(bands.low, held(1));
    assert!(bands.mid + bands.high < 1e-5, "{bands:?}");
    // Amplitudes 1 to 5: root mean squares are amplitude/√2.
    assert_near(measures.rmse, 3.0 * held(1) / 2f64.sqrt());
    let origins: Vec<_> = evaluation
        .resolutions
        .iter()
        .map(|r| (r.context[0], r.context_origin, r.query[0], r.query_origin))
        .collect();
    let (sub, native, finer, resampled) =
        (Origin::Subsampled, Origin::Native, Origin::FinerData, Origin::Resampled);
    assert_eq!(
        origins,
        [
            (16, sub, 16, sub),
            (32, native, 32, native),
            (64, finer, 64, finer),
            (48, resampled, 48, resampled),
            (16, sub, 32, native),
            (32, native, 64, finer)
        ]
    );
    evaluation.resolutions.iter().for_each(|r| assert_near(error(&r.outcome), held(1)));
    assert_eq!(evaluation.contexts.iter().map(|c| c.n_points).collect::<Vec<_>>(), [16.0, 32.0, 32.0, 32.0]);
    evaluation.contexts.iter().for_each(|c| assert_near(error(&c.outcome), held(1)));
    let horizon = evaluation.horizon.as_ref().unwrap();
    assert_eq!((horizon.start, horizon.steps.len()), (2, 6));
    for step in &horizon.steps {
        assert_near(step.lead_time, step.k as f64 * INTERVAL);
        assert_near(error(&step.direct), held(step.k));
        assert_near(error(&step.rollout), held(step.k));
    }
    let mean = (1..=6).map(held).sum::<f64>() / 6.0;
    assert_near(error(&horizon.direct_average), mean);
    assert_near(error(&horizon.rollout_average), mean);
    // All power is at the wavenumber of the wave, as much in the prediction as in the truth: mean of amplitude²/2.
    let spectra = evaluation.spectra.as_ref().unwrap();
    assert_eq!(spectra.wavenumber[2], k);
    assert_near(spectra.truth[2], 11.0 / 2.0);
    assert_near(spectra.prediction[2], 11.0 / 2.0);
    let example = &evaluation.examples[0];
    assert_eq!((example.sample, example.steps, example.truth.len()), (0, 1, 32));
    assert_near(example.truth[3], (TAU * k * (3.0 / 32.0 - speed * INTERVAL)).sin());
    assert_near(example.prediction[3], (TAU * k * 3.0 / 32.0).sin());
    // What is written is what was measured, up to the last digit that a decimal number keeps.
    let json = to_json(std::slice::from_ref(&evaluation)).unwrap();
    let back: Evaluation = serde_json::from_str(&json).unwrap();
    same(&serde_json::to_value(&evaluation).unwrap(), &serde_json::to_value(&back).unwrap());
    let file = folder.path().join("evaluation.json");
    std::fs::write(&file, to_json(&[evaluation, back]).unwrap()).unwrap();
    assert_eq!(read(folder.path()).unwrap().len(), 2);
    std::fs::write(&file, json.replacen("\"schema\":1", "\"schema\":9", 1)).unwrap();
    assert!(read(&file).unwrap_err().to_string().contains("schema 9"));
}

/// Decay by a factor e^(−λΔt) a step: holding is off by e^(λΔt) − 1 of what is left.
#[test]
fn held_heat_is_off_by_what_decayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("heat.npz");
    let rate = |i: usize| 0.5 + i as f64;
    write(&path, 3, |i, x, t| (-rate(i) * t).exp() * (TAU * x).cos());
    let config =
        EvaluationConfig { starts: Some(vec![3]), lead: 2, noise: vec![], fractions: vec![], ..all() };
    let evaluation = run(&data(&path), ModelConfig::Persistence, &config).unwrap();
    let exact: Vec<f64> = (0..3).map(|i| (rate(i) * 2.0 * INTERVAL).exp() - 1.0).collect();
    let errors = &evaluation.one_step.measures().unwrap().relative_l2.errors;
    errors.iter().zip(&exact).for_each(|(error, exact)| assert_near(*error, *exact));
    assert_eq!(evaluation.horizon.unwrap().steps.len(), FRAMES - 1);
}

/// Independent noise adds to the error in squares, whatever else is wrong; the same seed gives the same noise.
#[test]
fn noise_adds_in_squares() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("still.npz");
    write(&path, 40, |i, x, _| (1.0 + i as f64) * (TAU * x).cos());
    let config = EvaluationConfig { noise: vec![0.0, 0.2], fractions: vec![], horizon: Some(0), ..all() };
    let evaluation = run(&data(&path), ModelConfig::Persistence, &config).unwrap();
    assert!(evaluation.horizon.is_none());
    assert_eq!(error(&evaluation.noise[0].outcome), 0.0);
    let noisy = error(&evaluation.noise[1].outcome);
    // 40 × 6 contexts of 32 points: 0.2 up to a percent or so.
    assert!((noisy - 0.2).abs() < 0.01, "{noisy}");
    let again = run(&data(&path), ModelConfig::Persistence, &config).unwrap();
    assert_eq!(error(&again.noise[1].outcome), noisy);
    let other = run(&data(&path), ModelConfig::Persistence, &EvaluationConfig { seed: 1, ..config }).unwrap();
    assert_ne!(error(&other.noise[1].outcome), noisy);
}

/// What a model is not made for is an outcome with its reason; a stop is an error.
#[test]
fn what_cannot_be_done_is_said_and_a_stop_is_heeded() {
    let text = "generate = { pde = 'darcy', resolution = 9 }\nsamples = 20";
    let steady: DataConfig = toml::from_str(text).unwrap();
    let config = EvaluationConfig { resolutions: vec![5], ..EvaluationConfig::default() };
    let evaluation = run(&steady, ModelConfig::Persistence, &config).unwrap();
    let reason = |outcome: &Outcome| match outcome {
        Outcome::Unsupported(reason) => reason.clone(),
        Outcome::Measured(_) => panic!("{outcome:?}"),
    };
    assert!(reason(&evaluation.one_step).contains("steady"));
    assert!(reason(&evaluation.resolutions[0].outcome).contains("persistence"));
    assert!(evaluation.horizon.is_none() && evaluation.data.starts.is_empty());
    let json = to_json(std::slice::from_ref(&evaluation)).unwrap();
    assert!(json.contains("\"unsupported\":\"persistence"), "{json}");
    assert_eq!(serde_json::from_str::<Evaluation>(&json).unwrap(), evaluation);
    let levels = Levels::open(&steady, &[]).unwrap();
    let model = levels.data().untrained(ModelConfig::Persistence, &Device::flex()).unwrap();
    let stopped = evaluate(&model, info(&model), &levels, &EvaluationConfig::default(), &mut |_, _| false);
    assert!(matches!(stopped, Err(Error::Interrupted)));
}

/// The random points of a sample do not depend on which others are evaluated.
#[test]
fn contexts_are_those_of_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.npz");
    write(&path, 10, |i, x, t| (TAU * (x - 0.1 * t) + i as f64).sin());
    let config = EvaluationConfig {
        fractions: vec![0.3],
        designs: vec![Design::Random, Design::FailedRegion],
        noise: vec![],
        horizon: Some(0),
        ..all()
    };
    let errors = |samples: Option<usize>| -> Vec<Vec<f64>> {
        let config = EvaluationConfig { samples, ..config.clone() };
        let evaluation = run(&data(&path), ModelConfig::Persistence, &config).unwrap();
        let of = |outcome: &Outcome| outcome.measures().unwrap().relative_l2.errors.clone();
        evaluation.contexts.iter().map(|c| of(&c.outcome)).collect()
    };
    let (whole, some) = (errors(None), errors(Some(5)));
    for (whole, some) in whole.iter().zip(&some) {
        let every_second: Vec<f64> = whole.iter().copied().step_by(2).collect();
        assert_eq!(&every_second, some);
    }
}
