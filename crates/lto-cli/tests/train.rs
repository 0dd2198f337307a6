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
    assert_eq!(planned["problem"], info["problem"]);
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
