//! Protocols against hand computation: files of closed-form states, and models whose predictions are known.

#[path = "common/known.rs"]
mod known;
#[path = "common/store.rs"]
mod store;

use known::{Formula, known};
use lto::Error;
use lto::data::State;
use lto::data::config::{DataConfig, SplitConfig};
use lto::data::context::DesignKind;
use lto::evaluate::compare::{Aspect, differences};
use lto::evaluate::evaluation::{HorizonResult, read, to_json};
use lto::evaluate::shape::default_resolutions;
use lto::evaluate::{
    Evaluation, EvaluationConfig, Levels, ModelInfo, Outcome, Part, ResolutionOrigin, evaluate,
};
use lto::model::{Model, ModelConfig};
use lto::operator::Reach;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Placement, Points};
use serde_json::Value;
use std::f64::consts::{PI, TAU};
use std::path::Path;
use std::sync::Arc;
use store::store;

const FRAMES: usize = 9;
const INTERVAL: f64 = 0.125;

/// Writes `n` samples of u(sample, x, t) on 32 points, and on 64, at evenly spaced times.
fn write(path: &Path, n: usize, u: impl Fn(usize, f64, f64) -> f64) {
    let times: Vec<f64> = (0..FRAMES).map(|i| i as f64 * INTERVAL).collect();
    let grid = |n| Grid::cubic(Domain::unit(1, true).unwrap(), n, Placement::Left).unwrap();
    store(path, vec![grid(32), grid(64)], &times, n, |i, x, t| u(i, x[0], t));
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
        seed: None,
        train_command: None,
    }
}

fn run(data: &DataConfig, kind: ModelConfig, config: &EvaluationConfig) -> Result<Evaluation, Error> {
    let levels = Levels::open(data, &config.all_resolutions())?;
    let model = levels.data().untrained(kind)?;
    evaluate(&model, info(&model), &levels, config, &mut |_, _| true)
}

fn error(outcome: &Outcome) -> f64 {
    outcome.measures().unwrap_or_else(|| panic!("{outcome:?}")).errors.relative_l2.mean
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
        designs: vec![DesignKind::Strided, DesignKind::Full],
        ..all()
    };
    let evaluation = run(&data(&path), ModelConfig::Interpolation, &config).unwrap();
    assert_near(error(&evaluation.one_step), held(1));
    assert_eq!(evaluation.data.starts, [0, 1, 2, 4, 5, 7]);
    let measures = evaluation.one_step.measures().unwrap();
    assert_eq!(measures.errors.relative_l2.errors.len(), 5);
    let bands = measures.bands.unwrap();
    assert_near(bands.low.unwrap(), held(1));
    assert!(bands.mid.unwrap() + bands.high.unwrap() < 1e-5, "{bands:?}");
    // Amplitudes 1 to 5: root mean squares are amplitude/√2.
    assert_near(measures.errors.rmse.mean, 3.0 * held(1) / 2f64.sqrt());
    let amplitudes = measures.errors.rmse.errors.iter().map(|e| e * 2f64.sqrt() / held(1));
    amplitudes.enumerate().for_each(|(i, amplitude)| assert_near(amplitude, 1.0 + i as f64));
    let origins: Vec<_> = evaluation
        .resolutions
        .iter()
        .map(|r| (r.context[0], r.context_origin, r.query[0], r.query_origin))
        .collect();
    let (sub, native, finer, resampled) = (
        ResolutionOrigin::Subsampled,
        ResolutionOrigin::Native,
        ResolutionOrigin::FinerData,
        ResolutionOrigin::Resampled,
    );
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
    let back = serde_json::from_str::<Vec<Evaluation>>(&json).unwrap().remove(0);
    same(&serde_json::to_value(&evaluation).unwrap(), &serde_json::to_value(&back).unwrap());
    let file = folder.path().join("evaluation.json");
    std::fs::write(&file, to_json(&[evaluation.clone(), back]).unwrap()).unwrap();
    assert_eq!(read(folder.path()).unwrap().len(), 2);
    std::fs::write(&file, serde_json::to_string(&evaluation).unwrap()).unwrap();
    assert_eq!(read(&file).unwrap().len(), 1, "one alone need not be a list");
    // Files of other versions have other keys: which version they are is said, not which key is wrong.
    std::fs::write(&file, "{\"schema\":1,\"model\":{}}").unwrap();
    assert!(read(&file).unwrap_err().to_string().contains("schema 1"));
    // Only what was made under the same conditions is compared.
    let told = |change: fn(&mut Evaluation)| {
        let mut other = evaluation.clone();
        change(&mut other);
        differences(&[evaluation.clone(), other]).into_iter().map(|d| d.aspect).collect::<Vec<_>>()
    };
    assert_eq!(told(|e| e.model.run = "there".into()), []);
    assert_eq!(told(|e| e.data.samples[4] = 7), [Aspect::Data]);
    assert_eq!(told(|e| e.data.description += ", others"), [Aspect::Data]);
    assert_eq!(told(|e| e.data.starts = vec![3]), [Aspect::Starts]);
    assert_eq!(told(|e| e.config.lead = 2), [Aspect::Starts]);
    assert_eq!(told(|e| e.config.seed = 2), [Aspect::Seed]);
    assert_eq!(told(|e| e.horizon.as_mut().unwrap().start = 0), [Aspect::Horizon]);
}

/// Three frames of a parabola in time say how it goes on: 3c − 3b + a. Any other order of frames, or frames of other times,
/// says something else.
const PARABOLA: Formula = |frames, _| 3.0 * frames[2] - 3.0 * frames[1] + frames[0];

/// Evaluates a formula of so many frames.
fn run_known(
    path: &Path,
    history: usize,
    reach: Reach,
    formula: Formula,
    config: &EvaluationConfig,
) -> Evaluation {
    let levels = Levels::open(&DataConfig { history, ..data(path) }, &config.all_resolutions()).unwrap();
    let model = known(levels.data(), reach, formula);
    evaluate(&model, info(&model), &levels, config, &mut |_, _| true).unwrap()
}

fn reason(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Unsupported(reason) => reason,
        Outcome::Measured(_) => panic!("{outcome:?}"),
    }
}

#[test]
fn a_model_of_several_frames_is_given_those_before_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("parabola.npz");
    let factor = |i: usize, t: f64| 1.0 + (0.3 + i as f64) * t - 0.8 * t * t;
    write(&path, 3, |i, x, t| factor(i, t) * (2.0 + (TAU * x).sin()));
    let config =
        EvaluationConfig { resolutions: vec![16, 32], lead: 2, fractions: vec![], noise: vec![], ..all() };
    let stepping = run_known(&path, 3, Reach::Step, PARABOLA, &config);
    // Two steps one after the other, from five frames, each of which has two before it.
    assert!(error(&stepping.one_step) < 1e-5, "{:?}", stepping.one_step);
    assert_eq!(stepping.data.starts, [2, 3, 4, 5, 6], "two frames before, two after");
    stepping.resolutions.iter().for_each(|r| assert!(error(&r.outcome) < 1e-5));
    let HorizonResult { start, steps, .. } = stepping.horizon.unwrap();
    assert_eq!((start, steps.len()), (2, FRAMES - 3));
    for step in &steps {
        // Rounding grows with the square of the steps.
        assert!(error(&step.rollout) < 1e-5 * (step.k * step.k) as f64, "{:?}", step.rollout);
        assert!(reason(&step.direct).contains("one native step"));
    }
    // A model of one frame that is compared with it starts where it does; from the first frames only that one can.
    let together = EvaluationConfig { history: 3, ..config.clone() };
    let held = run(&data(&path), ModelConfig::Persistence, &together).unwrap();
    assert_eq!((held.data.starts, held.horizon.unwrap().start), (stepping.data.starts, 2));
    let early = EvaluationConfig { starts: Some(vec![0, 4]), start: Some(1), lead: 1, ..config };
    let refused = run_known(&path, 3, Reach::Step, PARABOLA, &early);
    assert!(reason(&refused.one_step).contains("3 frames, from frame 0 there are 1"));
    assert!(reason(&refused.horizon.unwrap().rollout_average).contains("from frame 1"));
    let held = run(&data(&path), ModelConfig::Persistence, &early).unwrap();
    let off = |i: usize, s: f64| 1.0 - factor(i, s) / factor(i, s + INTERVAL);
    let exact = (0..3).map(|i| (off(i, 0.0).abs() + off(i, 4.0 * INTERVAL).abs()) / 2.0).sum::<f64>() / 3.0;
    assert_near(error(&held.one_step), exact);
}

/// What costs nothing holds the newest of several frames.
#[test]
fn baselines_hold_the_newest_frame_of_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.npz");
    write(&path, 2, |_, x, t| (1.0 + t) * (TAU * x).cos());
    let config = EvaluationConfig { starts: Some(vec![4]), fractions: vec![], noise: vec![], ..all() };
    for history in [1, 4] {
        let data = DataConfig { history, ..data(&path) };
        let held = run(&data, ModelConfig::Persistence, &config).unwrap();
        assert_near(error(&held.one_step), INTERVAL / (1.0 + 5.0 * INTERVAL));
    }
}

/// A straight prediction is asked for with its own s and t, at uneven times too; equal steps do not lead there.
#[test]
fn straight_predictions_have_their_times_and_uneven_ones_no_rollout() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("uneven.npz");
    let grid = Grid::cubic(Domain::unit(1, true).unwrap(), 16, Placement::Left).unwrap();
    let times = [0.0, 0.25, 0.5, 1.5, 1.75];
    store(&path, vec![grid], &times, 2, |_, x, t| (-t * t).exp() * (TAU * x[0]).cos());
    let decay: Formula = |frames, (s, t)| frames[0] * (s * s - t * t).exp();
    let config = EvaluationConfig { fractions: vec![], noise: vec![], ..all() };
    let evaluation = run_known(&path, 1, Reach::Direct, decay, &config);
    assert!(error(&evaluation.one_step) < 1e-6);
    let horizon = evaluation.horizon.unwrap();
    horizon.steps.iter().for_each(|step| assert!(error(&step.direct) < 1e-6, "{step:?}"));
    assert!(
        reason(&horizon.rollout_average).contains("3 steps of 0.25 do not lead to frame 3"),
        "{horizon:?}"
    );
    // The first two steps are even.
    let even = run_known(&path, 1, Reach::Direct, decay, &EvaluationConfig { horizon: Some(2), ..config });
    assert!(error(&even.horizon.unwrap().rollout_average) < 1e-6);
}

/// Grids of vertices with unequal numbers of intervals, as of weather over a region: the defaults are subsets and
/// halves, other numbers are rounded, and a field that grows is off by the same share on each of them.
#[test]
fn vertices_of_a_wide_region_have_other_resolutions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("region.npz");
    let shape = [(33, Placement::Vertex), (49, Placement::Vertex)];
    let grid = Grid::uniform(Domain::unit(2, false).unwrap(), &shape).unwrap();
    let resolutions = [default_resolutions(&grid), vec![16, 66]].concat();
    assert_eq!(resolutions, [17, 33, 65, 16, 66]);
    store(&path, vec![grid], &[0.0, 1.0, 2.0], 2, |i, x, t| {
        (3.0 + t) * (1.0 + i as f64 + x[0] * (2.0 * x[1]).sin())
    });
    let config = EvaluationConfig {
        resolutions,
        starts: Some(vec![1]),
        fractions: vec![],
        noise: vec![],
        horizon: Some(0),
        ..all()
    };
    let data = DataConfig { periodic: Some("none".into()), grid: Some("vertex".into()), ..data(&path) };
    let evaluation = run(&data, ModelConfig::Persistence, &config).unwrap();
    let expected = [
        (vec![17, 25], ResolutionOrigin::Subsampled),
        (vec![33, 49], ResolutionOrigin::Native),
        (vec![65, 97], ResolutionOrigin::Resampled),
        (vec![16, 24], ResolutionOrigin::Resampled),
        (vec![66, 99], ResolutionOrigin::Resampled),
    ];
    for (result, expected) in evaluation.resolutions.iter().zip(expected) {
        assert_eq!((result.query.clone(), result.query_origin), expected);
        assert_near(error(&result.outcome), 1.0 / 5.0);
    }
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
    let errors = &evaluation.one_step.measures().unwrap().errors.relative_l2.errors;
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
    assert!(reason(&evaluation.one_step).contains("steady"));
    assert!(reason(&evaluation.resolutions[0].outcome).contains("persistence"));
    assert!(evaluation.horizon.is_none() && evaluation.data.starts.is_empty());
    let json = to_json(std::slice::from_ref(&evaluation)).unwrap();
    assert!(json.contains("\"unsupported\":\"persistence"), "{json}");
    assert_eq!(serde_json::from_str::<Vec<Evaluation>>(&json).unwrap(), [evaluation]);
    let levels = Levels::open(&steady, &[]).unwrap();
    let model = levels.data().untrained(ModelConfig::Persistence).unwrap();
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
        designs: vec![DesignKind::Random, DesignKind::FailedRegion],
        noise: vec![],
        horizon: Some(0),
        ..all()
    };
    let errors = |samples: Option<usize>| -> Vec<Vec<f64>> {
        let config = EvaluationConfig { samples, ..config.clone() };
        let evaluation = run(&data(&path), ModelConfig::Persistence, &config).unwrap();
        let of = |outcome: &Outcome| outcome.measures().unwrap().errors.relative_l2.errors.clone();
        evaluation.contexts.iter().map(|c| of(&c.outcome)).collect()
    };
    let (whole, some) = (errors(None), errors(Some(5)));
    for (whole, some) in whole.iter().zip(&some) {
        let every_second: Vec<f64> = whole.iter().copied().step_by(2).collect();
        assert_eq!(&every_second, some);
    }
}

/// However many samples there are, an example is what its label says: of the first, so many steps ahead, rolled out or not.
#[test]
fn examples_of_many_samples_are_what_their_labels_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.hdf5");
    write(&path, 20, |i, x, t| (1.0 + i as f64) * (TAU * (x - 0.3 * t)).sin());
    let config = EvaluationConfig {
        horizon: Some(6),
        start: Some(1),
        starts: Some(vec![2, 0]),
        noise: vec![],
        fractions: vec![],
        designs: vec![],
        ..all()
    };
    let levels = Levels::open(&data(&path), &[]).unwrap();
    let model = known(levels.data(), Reach::Direct, |frames, (s, t)| frames[0] * (1.0 + t - s));
    let evaluation = evaluate(&model, info(&model), &levels, &config, &mut |_, _| true).unwrap();
    let layout = levels.data().layout();
    let (query, times) = (Arc::new(Points::grid(layout.grid.as_ref().clone())), &layout.times);
    let source = |frame| {
        let field = levels.at(None).unwrap().fields(&[(0, State::Frame(frame))]).unwrap().remove(0);
        Context {
            points: query.as_ref().clone(),
            n_channels: 1,
            values: field.into_values(),
            deviations: None,
        }
    };
    let straight =
        |s: usize, t: usize| model.predict(&source(s), times[s], &[times[t]], &query).unwrap().values;
    let rolled = model.rollout(&source(1), times[1], 6, &query).unwrap().values;
    let expected = [
        ((0, 1, false), [times[2], times[3]], straight(2, 3)),
        ((0, 6, true), [times[1], times[7]], rolled[5 * query.len()..].to_vec()),
        ((0, 6, false), [times[1], times[7]], straight(1, 7)),
    ];
    let (worst, first): (Vec<_>, Vec<_>) = evaluation.examples.iter().partition(|example| example.worst);
    assert_eq!((worst.len(), first.len()), (1, expected.len()));
    for (example, (label, times, prediction)) in first.into_iter().zip(expected) {
        assert_eq!(((example.sample, example.steps, example.rollout), example.times), (label, times));
        assert_eq!(example.prediction, prediction, "{label:?}");
    }
}

/// A record of waves whose hours begin at `first`, as windows of eight hours every four.
fn hours(path: &Path, first: f64) -> DataConfig {
    let times: Vec<f64> = (0..24).map(|i| first + f64::from(i)).collect();
    let grid = Grid::cubic(Domain::unit(1, true).unwrap(), 16, Placement::Left).unwrap();
    store(path, vec![grid], &times, 1, |_, x, t| (TAU * (x[0] - 0.03 * (t - first))).sin());
    let window = toml::from_str("frames = 8\nstride = 4").unwrap();
    DataConfig { window: Some(window), split: SplitConfig::Test, ..data(path) }
}

/// Windows count from their own start: where the hours of a file begin changes nothing. All of another file's samples test,
/// whatever the windows share.
#[test]
fn windows_of_a_later_week_are_evaluated_like_those_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let config = EvaluationConfig { horizon: Some(5), ..EvaluationConfig::default() };
    let at = |first: f64| {
        let data = hours(&folder.path().join(format!("{first}.hdf5")), first);
        let levels = Levels::open(&data, &[]).unwrap();
        assert_eq!((levels.data().problem().times, levels.data().split().test.len()), (Some([0.0, 7.0]), 5));
        // What a model says depends on its times.
        let model = known(levels.data(), Reach::Direct, |frames, (s, t)| frames[0] * (1.0 + s + 2.0 * t));
        evaluate(&model, info(&model), &levels, &config, &mut |_, _| true).unwrap()
    };
    let (first, later) = (at(0.0), at(576.0));
    assert_eq!(
        first.one_step.measures().unwrap().errors.relative_l2,
        later.one_step.measures().unwrap().errors.relative_l2
    );
    assert_eq!(first.horizon.unwrap().steps[4].direct.measures().unwrap().errors.relative_l2.mean, {
        later.horizon.unwrap().steps[4].direct.measures().unwrap().errors.relative_l2.mean
    });
}

/// A record that is not cut keeps its hours: a model of other hours refuses it, unless told to go on.
#[test]
fn times_outside_the_trained_range_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = |first: f64| {
        let config = hours(&folder.path().join(format!("{first}.hdf5")), first);
        Levels::open(&DataConfig { window: None, ..config }, &[]).unwrap()
    };
    let (levels, later) = (open(0.0), open(576.0));
    for reach in [Reach::Direct, Reach::Step] {
        let model = known(levels.data(), reach, |frames, _| frames[0]);
        let config = EvaluationConfig { horizon: Some(2), ..EvaluationConfig::default() };
        let refused = evaluate(&model, info(&model), &later, &config, &mut |_, _| true).unwrap_err();
        assert!(matches!(refused, Error::TimeOutsideRange { time: 576.0, range: [0.0, 23.0] }), "{refused}");
        let text = refused.to_string();
        assert!(["576", "0 to 23", "extrapolation"].iter().all(|part| text.contains(part)), "{text}");
        // Within the range, but for where the steps lead.
        let layout = levels.data().layout();
        let query = Arc::new(Points::grid(layout.grid.as_ref().clone()));
        let values = vec![1.0; query.len()];
        let context = Context { points: query.as_ref().clone(), n_channels: 1, values, deviations: None };
        assert!(model.rollout(&context, 20.0, 3, &query).is_ok());
        let refused = model.rollout(&context, 20.0, 4, &query).unwrap_err();
        assert!(matches!(refused, Error::TimeOutsideRange { time: 24.0, .. }), "{refused}");
        let model = model.extrapolating();
        assert_eq!(model.rollout(&context, 20.0, 4, &query).unwrap().outside_range, [24.0]);
        evaluate(&model, info(&model), &later, &config, &mut |_, _| true).unwrap();
    }
}
