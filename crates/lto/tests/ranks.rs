//! Several processes that train or evaluate together, with threads in their place: what they do is what one does alone.

use lto::calibrate::{CalibrationConfig, calibrate};
use lto::data::config::{DataConfig, SplitConfig};
use lto::evaluate::{EvaluationConfig, Levels, ModelInfo, evaluate_together};
use lto::experiment::Experiment;
use lto::model::Model;
use lto::parameters::Named;
use lto::train::{Control, Observer, RunEnd, StepReport, Trainer};
use lto::weights;
use lto_numerics::ranks::{Alone, Ranks, Threads};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The states of all runs.
const DATA: &str = "
seed = 5
[data]
generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 6 }
samples = 9
split = { counts = { train = 6, validation = 2, test = 1 } }
";

/// A mean of squares, and an average of the weights.
const BY_VALUES: &str = "
[model]
kind = 'twin'
latent_points = 16
latent_channels = 4
encoder = { kind = 'set_conv', hidden = 4 }
evolution = { kind = 'timed', width = 8 }
decoder = { hidden = 16 }
[train]
batch = 5
steps = 6
log_every = 2
checkpoint_every = 4
ema_decay = 0.9
schedule = { kind = 'constant' }
symmetries = true
pushforward = { probability = 0.4, max_steps = 2 }
[train.context]
noise = 0.01
fraction = [0.2, 1.0]
designs = { random = 1, grid = 1, full = 1 }
[train.validation]
every = 3
leads = [1, 3]
";

/// Relative errors of each example.
const BY_EXAMPLES: &str = "
[model]
kind = 'fno'
width = 4
modes = 3
[train]
batch = 5
steps = 6
context = { fraction = [1.0, 1.0], designs = { full = 1 } }
[train.objective]
evolution_loss = 'relative_l2'
reconstruction_weight = 0.0
";

/// Stops one of the processes after a step, and remembers the losses.
#[derive(Default)]
struct Watch {
    stop_at: Option<u64>,
    losses: Vec<f64>,
}

impl Observer for Watch {
    fn step(&mut self, report: &StepReport) -> Control {
        self.losses.push(report.loss);
        if self.stop_at == Some(report.step) { Control::Stop } else { Control::Continue }
    }
}

fn experiment(text: &str) -> Experiment {
    Experiment::parse(&[DATA, text].concat(), &[]).unwrap()
}

/// Trains on `size` processes; the losses that each saw.
fn train(text: &str, run: &Path, size: usize) -> Vec<Vec<f64>> {
    Threads::run(size, |ranks| {
        let (ranks, mut watch) = (Arc::new(ranks.clone()), Watch::default());
        let trainer = Trainer::start_together(experiment(text), run, false, ranks, &mut watch);
        assert!(matches!(trainer.unwrap().run(&mut watch).unwrap(), RunEnd::Finished(_)));
        watch.losses
    })
}

fn tensors(run: &Path) -> Vec<Named> {
    let (mut tensors, _): (Vec<Named>, Value) = weights::read(&run.join("checkpoint.safetensors")).unwrap();
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    tensors
}

/// The largest difference, relative to the largest value of each tensor.
fn difference(a: &[Named], b: &[Named]) -> f64 {
    assert_eq!(a.len(), b.len());
    let each = a.iter().zip(b).map(|(a, b)| {
        assert_eq!((&a.name, &a.shape), (&b.name, &b.shape));
        let size = a.values.iter().fold(1e-6f32, |size, value| size.max(value.abs()));
        let far = a.values.iter().zip(&b.values).fold(0.0f32, |far, (x, y)| far.max((x - y).abs()));
        f64::from(far / size)
    });
    each.fold(0.0, f64::max)
}

#[test]
fn processes_that_share_a_batch_train_as_one_does_alone() {
    for text in [BY_VALUES, BY_EXAMPLES] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let alone = train(text, &at("alone"), 1);
        for size in [2, 3, 5] {
            let (once, again) = (at(&format!("once{size}")), at(&format!("again{size}")));
            let losses = train(text, &once, size);
            assert!(losses.iter().all(|other| *other == losses[0]), "all see the same");
            for (together, alone) in losses[0].iter().zip(&alone[0]) {
                assert!((together - alone).abs() < 1e-5 * alone.abs(), "{together} {alone}");
            }
            // Second moments of tiny gradients amplify rounding; a wrong weight of a share is off by a tenth.
            let off = difference(&tensors(&at("alone")), &tensors(&once));
            assert!(off < 2e-3, "{size} processes: {off}");
            assert_eq!(train(text, &again, size), losses);
            assert_eq!(tensors(&once), tensors(&again), "equal runs have equal bits");
        }
    }
}

#[test]
fn a_run_goes_on_with_another_number_of_processes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let alone = train(BY_VALUES, &whole, 1).remove(0);
    // The last process asks to stop at step 2; all do after the next one.
    let first = Threads::run(2, |ranks| {
        let mut watch = Watch { stop_at: (ranks.rank() == 1).then_some(2), ..Watch::default() };
        let (run, ranks) = (experiment(BY_VALUES), Arc::new(ranks.clone()));
        let mut trainer = Trainer::start_together(run, &parts, false, ranks, &mut watch).unwrap();
        assert!(matches!(trainer.run(&mut watch).unwrap(), RunEnd::Interrupted(_)));
        watch.losses
    });
    assert_eq!(first[0].len(), 3);
    let rest = Threads::run(3, |ranks| {
        let (ranks, mut watch) = (Arc::new(ranks.clone()), Watch::default());
        let mut trainer = Trainer::resume_together(&parts, &[], ranks, &mut watch).unwrap();
        assert!(matches!(trainer.run(&mut watch).unwrap(), RunEnd::Finished(_)));
        watch.losses
    });
    for (together, alone) in first[0].iter().chain(&rest[0]).zip(&alone) {
        assert!((together - alone).abs() < 1e-4 * alone.abs(), "{together} {alone}");
    }
    assert_eq!(first[0].len() + rest[0].len(), alone.len());
    assert!(difference(&tensors(&whole), &tensors(&parts)) < 2e-3);
    assert_eq!(Model::load(&parts).unwrap().card().steps, 6);
}

#[test]
fn every_process_needs_an_example() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Threads::run(6, |ranks| {
        let (run, ranks) = (experiment(BY_VALUES), Arc::new(ranks.clone()));
        let trainer =
            Trainer::start_together(run, &folder.path().join("run"), false, ranks, &mut Watch::default());
        trainer.err().unwrap().to_string()
    });
    assert!(refused.iter().all(|text| text.contains("train.batch") && text.contains('6')), "{refused:?}");
}

/// All but what a clock decides, as it would be written.
fn evaluated(ranks: &dyn Ranks, kind: &str, bands: bool) -> Value {
    let mut data: DataConfig = experiment(BY_VALUES).data;
    (data.samples, data.split) = (Some(40), SplitConfig::Test);
    let config = EvaluationConfig {
        fractions: vec![0.5],
        starts: Some(vec![0, 1]),
        horizon: Some(2),
        ..EvaluationConfig::default()
    };
    let levels = Levels::open(&data, &config.all_resolutions()).unwrap();
    let model = levels
        .data()
        .untrained(serde_json::from_value(serde_json::json!({ "kind": kind })).unwrap())
        .unwrap();
    let model = match bands {
        true => {
            let (data, config) = (levels.data(), CalibrationConfig::default());
            let calibration = calibrate(&model, data, &data.split().test, &config, &mut |_, _| true);
            model.calibrated(calibration.unwrap()).unwrap()
        }
        false => model,
    };
    let info = ModelInfo {
        run: "here".into(),
        kind: kind.into(),
        parameters: 0,
        steps: 0,
        train_seconds: None,
        seed: None,
        train_command: None,
    };
    let mut last = (0, 0);
    let mut progress = |done, total| {
        last = (done, total);
        true
    };
    let evaluation = evaluate_together(&model, info, &levels, &config, ranks, &mut progress).unwrap();
    assert_eq!(last.0, last.1, "all samples of all cases are done");
    let mut value = serde_json::to_value(&evaluation).unwrap();
    forget_times(&mut value);
    value
}

fn forget_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            ["seconds", "seconds_per_prediction"].iter().for_each(|key| drop(map.remove(*key)));
            map.values_mut().for_each(forget_times);
        }
        Value::Array(all) => all.iter_mut().for_each(forget_times),
        _ => {}
    }
}

#[test]
fn processes_that_share_the_samples_evaluate_as_one_does_alone() {
    for (kind, bands) in [("persistence", false), ("interpolation", true)] {
        let alone = evaluated(&Alone, kind, bands);
        assert_eq!(alone["coverage"].is_object(), bands);
        for size in [2, 3] {
            for found in Threads::run(size, |ranks| evaluated(ranks, kind, bands)) {
                assert_eq!(found, alone);
            }
        }
    }
}
