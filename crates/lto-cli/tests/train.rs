//! `lto train` and `lto info` of configurations, with the real binary on tiny problems.

mod common;

use common::{Workspace, model, stderr};
use serde_json::Value;

const DATA: &str = "
[data]
generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 3 }
samples = 12
";
const TRAIN: &str = "
[train]
batch = 2
steps = 6
log_every = 2
validation = { every = 3, leads = [1] }
";

fn space() -> Workspace {
    let space = Workspace::new();
    std::fs::write(space.path("tiny.toml"), [DATA, model::TWIN, TRAIN].concat()).unwrap();
    space
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_run_leaves_a_model_that_predicts_and_its_curves() {
    let space = space();
    let report = json(&space.succeed(&["train", "tiny.toml", "-o", "run", "--json", "--quiet"]));
    assert_eq!((&report["outcome"], &report["steps"]), (&"finished".into(), &6.into()));
    assert!(report["errors"]["relative_l2_lead_1"].as_f64().unwrap() > 0.0, "{report}");
    assert!(report["loss"].as_f64().unwrap() > 0.0, "{report}");
    assert!(std::fs::read(space.path("run/loss.png")).unwrap().starts_with(b"\x89PNG"));
    let info = json(&space.succeed(&["info", "run", "--json"]));
    assert_eq!((&info["steps"], &info["parameters"]["total"]), (&6.into(), &report["parameters"]));
    assert_eq!(info["errors"], report["errors"]);
    // The untrained model of the configuration is as large.
    let planned = json(&space.succeed(&["info", "tiny.toml", "--json"]));
    assert_eq!(planned["parameters"], info["parameters"]);
    assert_eq!((&planned["steps"], &planned["source_normalizer"]), (&0.into(), &Value::Null));
    // What training has measured of the problem aside.
    let mut problem = info["problem"].clone();
    assert!(
        problem
            .as_object_mut()
            .unwrap()
            .remove("changes")
            .is_some_and(|changes| changes[0][1].as_f64() > Some(0.0))
    );
    assert_eq!(planned["problem"], problem);
    std::fs::write(space.path("sensors.csv"), "x,u\n0.1,1\n0.6,-1\n").unwrap();
    let sensors = ["--context", "sensors.csv", "--from", "0", "--to", "0.016", "-o", "out.npz"];
    space.succeed(&[&["predict", "--model", "run"][..], &sensors].concat());
}

#[test]
fn a_run_is_continued_replaced_or_left_alone_as_told() {
    let space = space();
    space.succeed(&["train", "tiny.toml", "-o", "run", "--seed", "5", "--set", "train.steps=3", "--quiet"]);
    let report = json(&space.succeed(&[
        "train",
        "--resume",
        "-o",
        "run",
        "--set",
        "train.steps=6",
        "--json",
        "--quiet",
    ]));
    assert_eq!((&report["steps"], &report["seed"]), (&6.into(), &5.into()));
    let metrics = std::fs::read_to_string(space.path("run/metrics.jsonl")).unwrap();
    let steps: Vec<u64> = metrics.lines().map(|line| json(line)["step"].as_u64().unwrap()).collect();
    assert!(steps.contains(&2) && steps.contains(&6), "{steps:?}");
    let error = space.fail(1, &["train", "tiny.toml", "-o", "run"]);
    assert!(error.contains("--resume") && error.contains("--force"), "{error}");
    space.succeed(&["train", "tiny.toml", "-o", "run", "--force", "--quiet"]);
    // Without -o, the folder is named after the configuration.
    space.succeed(&["train", "tiny.toml", "--quiet"]);
    assert!(space.path("runs/tiny/model.safetensors").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_and_says_how_to_go_on() {
    use std::io::Read;
    let space = space();
    let long = ["train", "tiny.toml", "-o", "run", "--set", "train.steps=1000000"];
    let mut child = space.command(&long).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !space.path("run/model.safetensors").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = child.wait().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("lto train --resume -o run"), "{said}");
    assert!(space.path("run/checkpoint.safetensors").exists());
}

#[test]
fn what_is_wrong_with_a_configuration_is_named() {
    let space = space();
    let refuse = |args: &[&str], part: &str| {
        let error = space.fail(1, &[&["train", "tiny.toml", "-o", "run"][..], args].concat());
        assert!(error.contains(part), "{error}");
    };
    refuse(&["--set", "train.stepz=3"], "stepz");
    refuse(&["--set", "train.batch=0"], "train.batch = 0");
    refuse(&["--set", "model.evolution.kind=steady"], "steady");
    assert!(space.fail(1, &["train", "none.toml"]).contains("none.toml"));
    assert!(space.fail(1, &["train", "--resume", "-o", "none"]).contains("none"));
    space.fail(2, &["train"]);
    space.fail(2, &["train", "tiny.toml", "--resume", "-o", "run"]);
    assert!(!space.path("run").exists());
    let quiet = space.run(&["train", "tiny.toml", "-o", "run", "--quiet"]);
    assert!(
        quiet.status.success() && quiet.stdout.is_empty() && stderr(&quiet).is_empty(),
        "{}",
        stderr(&quiet)
    );
}

/// Starts a run that does not end by itself, and waits for its first model.
#[cfg(unix)]
fn long_run(space: &Workspace, mut command: std::process::Command) -> std::process::Child {
    use std::process::Stdio;
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !space.path("run/model.safetensors").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child
}

#[cfg(unix)]
fn signal(child: &std::process::Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

#[cfg(unix)]
const LONG: [&str; 6] = ["train", "tiny.toml", "-o", "run", "--set", "train.steps=1000000"];

/// Neither another --resume nor --force touches a run that is being trained.
#[cfg(unix)]
#[test]
fn a_run_in_progress_is_left_alone() {
    let space = space();
    let mut child = long_run(&space, space.command(&LONG));
    for args in [&["train", "--resume", "-o", "run"][..], &["train", "tiny.toml", "-o", "run", "--force"]] {
        let error = space.fail(1, args);
        assert!(error.contains("run") && error.contains(&format!("process {}", child.id())), "{error}");
    }
    signal(&child, rustix::process::Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let metrics = std::fs::read_to_string(space.path("run/metrics.jsonl")).unwrap();
    let steps: Vec<u64> = metrics.lines().map(|line| json(line)["step"].as_u64().unwrap()).collect();
    assert!(steps.is_sorted() && steps.len() > 2, "{steps:?}");
    // Killed, it holds nothing.
    let mut child = long_run(&space, space.command(&["train", "--resume", "-o", "run"]));
    child.kill().unwrap();
    child.wait().unwrap();
    let step = json(metrics.lines().last().unwrap())["step"].as_u64().unwrap();
    space.succeed(&[
        "train",
        "--resume",
        "-o",
        "run",
        "--set",
        &format!("train.steps={}", step + 3),
        "--quiet",
    ]);
}

/// The end of a terminal saves and stops a run, but not one that was started to outlive it.
#[cfg(unix)]
#[test]
fn a_hangup_stops_a_run_unless_it_is_ignored() {
    use rustix::process::Signal;
    let space = space();
    let mut child = long_run(&space, space.command(&LONG));
    signal(&child, Signal::HUP);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    std::fs::remove_dir_all(space.path("run")).unwrap();
    let mut shell = std::process::Command::new("sh");
    let program = space.command(&[]).get_program().to_owned();
    shell.current_dir(space.path("")).args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(program).args(LONG);
    let mut child = long_run(&space, shell);
    let lines = || std::fs::read_to_string(space.path("run/metrics.jsonl")).unwrap().lines().count();
    signal(&child, Signal::HUP);
    let before = lines();
    while lines() < before + 20 {
        assert!(child.try_wait().unwrap().is_none(), "the hang-up ended it");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// What is to be replaced is there until it is, and a run that was moved away from its data can be told where they are.
#[test]
fn a_replacement_that_fails_costs_nothing_and_moved_data_are_found() {
    let space = space();
    space.generate("heat", 12, "data.npz", &["--dim", "1"]);
    space.succeed(&["train", "tiny.toml", "--data", "data.npz", "-o", "run", "--quiet"]);
    let model = std::fs::read(space.path("run/model.safetensors")).unwrap();
    let wild = [
        "--set",
        "train.learning_rate=1e30",
        "--set",
        "train.gradient_clip=0",
        "--set",
        "train.schedule.kind=constant",
    ];
    let wild =
        [&["train", "tiny.toml", "-o", "run", "--force", "--set", "train.validation.every=0"][..], &wild]
            .concat();
    let error = space.fail(1, &wild);
    assert!(
        error.contains("diverged") && error.contains("unchanged") && error.contains("run/replacement"),
        "{error}"
    );
    assert_eq!(std::fs::read(space.path("run/model.safetensors")).unwrap(), model);
    std::fs::rename(space.path("data.npz"), space.path("moved.npz")).unwrap();
    let more = ["train", "--resume", "-o", "run", "--quiet", "--set", "train.steps=8"];
    let error = space.fail(1, &more);
    assert!(error.contains("data.npz") && error.contains("--set data.path="), "{error}");
    space.succeed(&[&more[..], &["--data", "moved.npz"]].concat());
    let error = space.fail(1, &["evaluate", "run", "--set", "data.path=data.npz"]);
    assert!(error.contains("data.npz") && error.contains("--set data.path="), "{error}");
    space.succeed(&["evaluate", "run", "--quiet"]);
}
