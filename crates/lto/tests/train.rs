//! The trainer: learns, resumes bit for bit, stops where it must, and leaves nothing half-written.

use lto::data::pairs::Pairs;
use lto::experiment::training::TrainConfig;
use lto::experiment::{Experiment, Setting};
use lto::model::Model;
use lto::operator::Reach;
use lto::parameters::Named;
use lto::train::{Control, Observer, RunEnd, Silent, StepReport, Trainer, ValidationReport};
use lto::{Error, weights};
use serde_json::Value;
use std::path::Path;

const SMALL: &str = "
seed = 5
[data]
generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 6 }
samples = 8
split = { counts = { train = 5, validation = 2, test = 1 } }
[model]
kind = 'twin'
latent_points = 16
latent_channels = 4
encoder = { kind = 'set_conv', hidden = 4 }
evolution = { kind = 'timed', width = 8 }
decoder = { hidden = 16 }
[train]
batch = 3
steps = 14
log_every = 4
checkpoint_every = 5
ema_decay = 0.9
symmetries = true
pushforward = { probability = 0.4, max_steps = 2 }
[train.context]
fraction = [0.2, 2.0]
designs = { random = 1, grid = 1, clustered = 1, failed = 1, full = 1 }
[train.validation]
every = 7
leads = [1, 3]
";

fn experiment(overrides: &[&str]) -> Experiment {
    Experiment::parse(SMALL, &overrides.iter().map(|&text| text.into()).collect::<Vec<_>>()).unwrap()
}

/// Stops after a step, and remembers what it saw.
#[derive(Default)]
struct Watch {
    stop_at: Option<u64>,
    losses: Vec<f64>,
    rates: Vec<f64>,
    validations: Vec<u64>,
}

impl Observer for Watch {
    fn step(&mut self, report: &StepReport) -> Control {
        self.losses.push(report.loss);
        self.rates.push(report.learning_rate);
        if self.stop_at == Some(report.step) { Control::Stop } else { Control::Continue }
    }

    fn validation(&mut self, report: &ValidationReport) {
        self.validations.push(report.step);
    }
}

fn tensors(path: &Path) -> Vec<Named> {
    let (mut tensors, _): (Vec<Named>, Value) = weights::read(path).unwrap();
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    tensors
}

/// The metrics without what a clock decides.
fn metrics(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let object = value.as_object_mut().unwrap();
        for time in ["seconds", "cpu_seconds", "examples_per_second"] {
            object.remove(time);
        }
        value
    };
    text.lines().map(line).collect()
}

#[test]
fn a_resumed_run_is_the_same_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let mut watch = Watch::default();
    let outcome =
        Trainer::start(experiment(&[]), &whole, false, &mut Silent).unwrap().run(&mut watch).unwrap();
    let RunEnd::Finished(summary) = outcome else { panic!("{outcome:?}") };
    assert_eq!((summary.steps, watch.losses.len(), &watch.validations[..]), (14, 14, &[7, 14][..]));

    // Stopped between two lines of the metrics and two checkpoints, and once more as if killed after a checkpoint.
    let mut stop = Watch { stop_at: Some(7), ..Watch::default() };
    let outcome =
        Trainer::start(experiment(&[]), &parts, false, &mut Silent).unwrap().run(&mut stop).unwrap();
    assert!(matches!(outcome, RunEnd::Interrupted(_)));
    let saved = std::fs::read(parts.join("checkpoint.safetensors")).unwrap();
    let mut more = Watch { stop_at: Some(11), ..Watch::default() };
    Trainer::resume(&parts, &[], &mut Silent).unwrap().run(&mut more).unwrap();
    std::fs::write(parts.join("checkpoint.safetensors"), saved).unwrap();
    let mut rest = Watch::default();
    let mut trainer = Trainer::resume(&parts, &[], &mut Silent).unwrap();
    assert_eq!(trainer.step(), 7);
    let outcome = trainer.run(&mut rest).unwrap();
    assert_eq!([stop.losses, rest.losses].concat(), watch.losses);
    assert_eq!([stop.rates, rest.rates].concat(), watch.rates);
    let RunEnd::Finished(resumed) = outcome else { panic!("{outcome:?}") };
    assert_eq!(resumed.errors, summary.errors);
    for file in ["checkpoint.safetensors", "model.safetensors"] {
        assert_eq!(tensors(&whole.join(file)), tensors(&parts.join(file)), "{file}");
    }
    assert_eq!(metrics(&whole), metrics(&parts));
    assert_eq!(
        metrics(&whole).iter().map(|m| m["step"].as_u64().unwrap()).collect::<Vec<_>>(),
        [4, 7, 8, 12, 14, 14]
    );
    let config = |run: &Path| std::fs::read_to_string(run.join("config.toml")).unwrap();
    assert_eq!(config(&whole), config(&parts));
    assert_eq!(Experiment::parse(&config(&whole), &[]).unwrap(), experiment(&[]));

    // A finished run has nothing to do, until it is given more steps.
    let again = Trainer::resume(&whole, &[], &mut Silent).unwrap().run(&mut Silent).unwrap();
    assert!(matches!(again, RunEnd::Finished(_)));
    let more =
        Trainer::resume(&whole, &["train.steps=16".into()], &mut Silent).unwrap().run(&mut Silent).unwrap();
    assert!(matches!(more, RunEnd::Finished(s) if s.steps == 16));
}

/// A run that starts from a trained model begins with its weights, and refuses those of another configuration.
#[test]
fn a_run_may_start_from_a_trained_model() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, third] = ["first", "second", "third"].map(|name| folder.path().join(name));
    Trainer::start(experiment(&[]), &first, false, &mut Silent).unwrap().run(&mut Silent).unwrap();
    let from = format!("train.start_from={}", first.display());
    let mut started = Trainer::start(experiment(&[&from, "seed=9"]), &second, false, &mut Silent).unwrap();
    let weights = |named: Named| {
        named.name.strip_prefix("weights.").map(|name| (name.to_owned(), named.values.clone()))
    };
    let begun: Vec<_> =
        tensors(&second.join("checkpoint.safetensors")).into_iter().filter_map(weights).collect();
    let trained: Vec<_> =
        tensors(&first.join("model.safetensors")).into_iter().map(|t| (t.name, t.values)).collect();
    assert_eq!(begun, trained);
    assert_eq!(started.step(), 0);
    started.run(&mut Silent).unwrap();
    let other = experiment(&[&from, "model.decoder.hidden=5"]);
    let refused = Trainer::start(other, &third, false, &mut Silent).err().unwrap().to_string();
    assert!(refused.contains("train.start_from"), "{refused}");
}

/// The model that is saved is what was validated: the running mean, with the normalization.
#[test]
fn the_saved_model_predicts_what_was_validated() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let changes = ["train.validation.samples=1", "train.validation.leads=[5]", "train.steps=20"];
    let mut trainer = Trainer::start(experiment(&changes), &run, false, &mut Silent).unwrap();
    let RunEnd::Finished(summary) = trainer.run(&mut Silent).unwrap() else { panic!() };
    let model = Model::load(&run).unwrap();
    assert_eq!((model.card().steps, &model.card().errors), (20, &summary.errors));
    // Sample 5 is the first to validate on; the only pair five steps apart is (0, 5).
    let config = experiment(&[]).data.generate.unwrap();
    let sample = config.build().unwrap().sample(&mut lto_numerics::pde::sample_rng(0, 5)).unwrap().remove(0);
    let lto_numerics::Sample::Evolution(truth) = sample else { panic!() };
    let points = lto_numerics::Points::grid(truth.grid().as_ref().clone());
    let context = lto_numerics::dataset::Context {
        points: points.clone(),
        n_channels: 1,
        values: truth.frame(0).to_vec(),
        deviations: None,
    };
    let predicted = model.predict(&context, 0.0, &[truth.times()[5]], &std::sync::Arc::new(points)).unwrap();
    let error = lto_numerics::metric::relative_l2::relative_l2(&predicted.values, truth.frame(5)).unwrap();
    let validated = summary.errors["relative_l2_lead_5"];
    assert!((error - validated).abs() < 1e-5 * validated, "{error} {validated}");
}

#[test]
fn one_example_is_learned() {
    let folder = tempfile::tempdir().unwrap();
    let changes = [
        "data.split={ counts = { train = 1, validation = 0, test = 0 } }",
        "data.generate.n_frames=2",
        "data.generate.max_diffusion=0.004",
        "train.pairs='consecutive'",
        "train.batch=1",
        "train.steps=400",
        "train.learning_rate=0.01",
        "train.symmetries=false",
        "train.pushforward.probability=0",
        "train.context.designs={ full = 1 }",
    ];
    let mut watch = Watch::default();
    let run = folder.path().join("run");
    let outcome =
        Trainer::start(experiment(&changes), &run, false, &mut Silent).unwrap().run(&mut watch).unwrap();
    let (first, last) = (watch.losses[0], watch.losses[399]);
    assert!(last < 0.01 * first, "{first} → {last}");
    // The published schedule: up to the largest rate after a fifth of the steps, down to nothing.
    assert!((watch.rates[0] - 1e-6).abs() < 1e-12 && watch.rates[399] < 1e-9);
    assert!((watch.rates[80] - 0.01).abs() < 1e-5);
    let RunEnd::Finished(summary) = outcome else { panic!() };
    assert!(summary.errors["relative_l2_lead_1"] < 0.1, "{:?}", summary.errors);
}

#[test]
fn a_run_that_diverges_says_where_and_keeps_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let changes =
        ["train.learning_rate=1e30", "train.schedule={ kind = 'constant' }", "train.checkpoint_every=1"];
    let mut trainer = Trainer::start(experiment(&changes), &run, false, &mut Silent).unwrap();
    let error = trainer.run(&mut Silent).unwrap_err();
    let Error::Diverged { step, .. } = &error else { panic!("{error}") };
    let message = error.to_string();
    assert!(
        message.contains("sample") && message.contains("t = ") && message.contains("learning_rate"),
        "{message}"
    );
    drop(trainer);
    let resumed = Trainer::resume(&run, &["train.learning_rate=1e-3".into()], &mut Silent).unwrap();
    assert_eq!(resumed.step(), step - 1);
}

#[test]
fn a_folder_that_holds_a_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let short = || experiment(&["train.steps=1"]);
    Trainer::start(short(), &run, false, &mut Silent).unwrap().run(&mut Silent).unwrap();
    let refused = Trainer::start(short(), &run, false, &mut Silent).err().unwrap();
    assert!(matches!(refused, Error::RunExists { .. }), "{refused}");
    let trainer = Trainer::start(short(), &run, true, &mut Silent).unwrap();
    assert_eq!(trainer.step(), 0);
    assert!(
        Trainer::resume(folder.path(), &[], &mut Silent)
            .err()
            .unwrap()
            .to_string()
            .contains("no run to resume")
    );
}

#[test]
fn data_that_cannot_be_read_leave_no_folder_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (run, file) = (folder.path().join("run"), folder.path().join("broken.hdf5"));
    let start = |run: &Path, path: &Path| {
        let text = SMALL.replace("generate = ", "# ").replace("samples", "# ");
        let change = Setting::Data(path.into());
        let error =
            Trainer::start(Experiment::parse(&text, &[change]).unwrap(), run, false, &mut Silent).err();
        error.unwrap().to_string()
    };
    assert!(start(&run, &file).contains("broken.hdf5"));
    std::fs::write(&file, b"\x89HDF\r\n\x1a\n and no more").unwrap();
    assert!(start(&run, &file).contains("broken.hdf5"));
    assert!(!run.exists());
    let blocked = Trainer::start(experiment(&[]), &file.join("run"), false, &mut Silent).err().unwrap();
    assert!(blocked.to_string().contains("broken.hdf5"), "{blocked}");
}

#[test]
fn what_does_not_belong_to_a_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    Trainer::start(experiment(&["train.steps=2"]), &run, false, &mut Silent).unwrap();
    let resume =
        |change: &str| Trainer::resume(&run, &[change.into()], &mut Silent).err().unwrap().to_string();
    assert!(resume("data.seed=9").contains("not those this run was trained on"));
    assert!(resume("model.latent_channels=3").contains("shape"));
    let checkpoint = run.join("checkpoint.safetensors");
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() - 7]).unwrap();
    assert!(resume("seed=5").contains("checkpoint.safetensors"));
}

#[test]
fn time_ends_a_run_and_its_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    for key in ["minutes", "cpu_minutes"] {
        let text = SMALL.replace("steps = 14", &format!("{key} = 0.02"));
        let mut watch = Watch::default();
        let experiment = Experiment::parse(&text, &[]).unwrap();
        let outcome = Trainer::start(experiment, &run, true, &mut Silent).unwrap().run(&mut watch).unwrap();
        let RunEnd::Finished(summary) = outcome else { panic!() };
        let spent = if key == "minutes" { summary.seconds } else { summary.cpu_seconds };
        assert!(spent >= 1.2 && summary.steps == watch.rates.len() as u64);
        let (largest, last) =
            (watch.rates.iter().fold(0.0, |a: f64, &b| a.max(b)), watch.rates[watch.rates.len() - 1]);
        assert!(watch.rates[0] < 1e-5 && last < 0.2 * largest, "{} {largest} {last}", watch.rates[0]);
    }
}

/// Darcy: another field, without times, with its targets reconstructed too.
#[test]
fn a_steady_problem_trains() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMALL
        .replace(
            "{ pde = 'heat', dim = 1, resolution = 16, n_frames = 6 }",
            "{ pde = 'darcy', resolution = 17 }",
        )
        .replace("'timed'", "'steady'")
        .replace("pushforward = { probability = 0.4, max_steps = 2 }", "");
    let experiment =
        Experiment::parse(&text, &["train.objective.evolution_loss='relative_l2'".into()]).unwrap();
    let run = folder.path().join("run");
    let outcome = Trainer::start(experiment, &run, false, &mut Silent).unwrap().run(&mut Silent).unwrap();
    let RunEnd::Finished(summary) = outcome else { panic!() };
    assert_eq!(summary.errors.keys().collect::<Vec<_>>(), ["relative_l2", "relative_l2_sparse"]);
}

/// A model that goes one native step whatever the times must not be shown other pairs.
#[test]
fn a_model_that_steps_trains_on_consecutive_pairs_only() {
    let fno = [
        "model={ kind = 'fno', width = 3, modes = 3 }",
        "train.context={ designs = { full = 1 }, fraction = [1, 1] }",
    ];
    let run = tempfile::tempdir().unwrap();
    let start = |more: &[&str]| {
        let experiment = experiment(&[&fno[..], &["train.objective.reconstruction_weight=0"], more].concat());
        Trainer::start(experiment, &run.path().join("run"), true, &mut Silent)
    };
    for wrong in ["train.pairs=all", "train.pairs=forward", "train.pairs={ max_steps = 2 }"] {
        let message = start(&[wrong]).err().unwrap().to_string();
        assert!(message.starts_with("train.pairs = ") && message.contains("\"consecutive\""), "{message}");
    }
    for right in [&[][..], &["train.pairs=consecutive"]] {
        start(right).unwrap();
    }
    // What is fed back into a history must be where the history is.
    for wrong in ["train.context.designs={ random = 1 }", "train.query_points=5"] {
        let message = start(&["data.history=2", wrong]).err().unwrap().to_string();
        assert!(message.starts_with("train.pushforward.probability = 0.4"), "{message}");
    }
    start(&["data.history=2"]).unwrap();
    let train = experiment(&[]).train;
    assert_eq!(train.pairs_for(Reach::Step, None).unwrap(), Pairs::Consecutive);
    assert_eq!(train.pairs_for(Reach::Direct, None).unwrap(), Pairs::All);
    assert_eq!(train.pairs_for(Reach::Direct, Some(2.5)).unwrap(), Pairs::MaxSteps(2));
    let far = TrainConfig { pairs: Some(Pairs::Balanced), ..train };
    let message = far.pairs_for(Reach::Direct, Some(2.5)).unwrap_err().to_string();
    assert!(message.contains("model.max_step = 2.5"), "{message}");
}

/// One process at a time, and one trainer at a time in a process.
#[test]
fn a_folder_that_is_trained_in_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let trainer = Trainer::start(experiment(&[]), &run, false, &mut Silent).unwrap();
    let again = [
        Trainer::resume(&run, &[], &mut Silent).err().unwrap(),
        Trainer::start(experiment(&[]), &run, true, &mut Silent).err().unwrap(),
    ];
    for refused in again {
        let Error::RunInUse { path, process } = &refused else { panic!("{refused}") };
        assert_eq!((path, *process), (&run, Some(std::process::id())));
        assert!(refused.to_string().contains(&format!("process {}", std::process::id())), "{refused}");
    }
    drop(trainer);
    Trainer::resume(&run, &[], &mut Silent).unwrap();
}

/// Names in a folder, but for event files and the lock.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| !name.starts_with("events") && name != ".lock").collect();
    names.sort();
    names
}

/// An evaluation is that of the model beside it: it goes when that is replaced, and not before.
#[test]
fn a_finished_run_keeps_its_evaluation_until_it_is_trained_further() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    Trainer::start(experiment(&["train.steps=2"]), &run, false, &mut Silent)
        .unwrap()
        .run(&mut Silent)
        .unwrap();
    let evaluation = run.join("evaluation.json");
    std::fs::write(&evaluation, "[]").unwrap();
    Trainer::resume(&run, &[], &mut Silent).unwrap().run(&mut Silent).unwrap();
    assert!(evaluation.exists());
    Trainer::resume(&run, &["train.steps=3".into()], &mut Silent).unwrap().run(&mut Silent).unwrap();
    assert!(!evaluation.exists());
}

/// Until the first model of a new run is saved the old run is whole: it can be used, resumed and compared.
#[test]
fn a_run_is_replaced_once_there_is_a_model_to_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    Trainer::start(experiment(&["train.steps=2"]), &run, false, &mut Silent)
        .unwrap()
        .run(&mut Silent)
        .unwrap();
    std::fs::write(run.join("evaluation.json"), "[]").unwrap();
    let contents = || {
        names(&run)
            .into_iter()
            .filter(|name| name != "replacement")
            .map(|name| (std::fs::read(run.join(&name)).unwrap(), name))
            .collect::<Vec<_>>()
    };
    let before = contents();
    let wild = experiment(&["train.learning_rate=1e30", "train.schedule={ kind = 'constant' }", "seed=6"]);
    let error = Trainer::start(wild, &run, true, &mut Silent).unwrap().run(&mut Silent).unwrap_err();
    assert!(matches!(error, Error::Diverged { .. }), "{error}");
    assert!(before == contents(), "the old run has changed");
    Trainer::resume(&run, &["train.steps=3".into()], &mut Silent).unwrap().run(&mut Silent).unwrap();
    let mut watch = Watch { stop_at: Some(3), ..Watch::default() };
    Trainer::start(experiment(&["seed=6"]), &run, true, &mut Silent).unwrap().run(&mut watch).unwrap();
    assert_eq!(names(&run), ["checkpoint.safetensors", "config.toml", "metrics.jsonl", "model.safetensors"]);
    let events = std::fs::read_dir(&run)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with("events"));
    assert_eq!(events.count(), 1);
    let resumed = Trainer::resume(&run, &[], &mut Silent).unwrap();
    assert_eq!((resumed.step(), resumed.experiment().seed), (3, 6));
}

#[test]
fn data_that_were_moved_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMALL.replace("generate = ", "# ");
    let gone = format!("data.path={}", folder.path().join("gone.npz").display());
    let error = Trainer::start(
        Experiment::parse(&text, &[Setting::Text(gone)]).unwrap(),
        &folder.path().join("run"),
        false,
        &mut Silent,
    )
    .err()
    .unwrap()
    .to_string();
    assert!(error.contains("gone.npz") && error.contains("--set data.path="), "{error}");
}
