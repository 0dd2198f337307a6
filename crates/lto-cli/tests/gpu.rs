//! `--device gpu` of the real binary; with the feature `gpu`, and where there is a card, or Mesa's lavapipe. `LTO_NO_GPU` leaves
//! these tests out.
#![cfg(feature = "gpu")]

mod common;

use common::{Workspace, model, stderr};
use serde_json::Value;

const CONFIG: &str = "
seed = 5
[data]
generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 3 }
samples = 12
[train]
batch = 2
steps = 6
log_every = 1
ema_decay = 0.9
validation = { every = 3, leads = [1] }
";

/// The training losses of a run, by step.
fn losses(space: &Workspace, run: &str) -> Vec<f64> {
    let lines = std::fs::read_to_string(space.path(run).join("metrics.jsonl")).unwrap();
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.filter(|value| value["kind"] == "train").map(|value| value["loss"].as_f64().unwrap()).collect()
}

fn assert_near(found: &[f64], exact: &[f64]) {
    assert_eq!(found.len(), exact.len());
    for (found, exact) in found.iter().zip(exact) {
        assert!((found / exact - 1.0).abs() < 1e-3, "{found} is not {exact}");
    }
}

/// A run begun on the card goes on on the processor, and the other way round, with the same losses and files.
#[test]
fn runs_train_resume_predict_and_evaluate_on_either_device() {
    if std::env::var_os("LTO_NO_GPU").is_some() {
        eprintln!("not tested: LTO_NO_GPU is set");
        return;
    }
    let space = Workspace::new();
    std::fs::write(space.path("tiny.toml"), [CONFIG, model::TWIN].concat()).unwrap();
    space.succeed(&["train", "tiny.toml", "-o", "cpu"]);
    let whole = space.run(&["train", "tiny.toml", "-o", "gpu", "--device", "gpu"]);
    assert!(whole.status.success(), "{}", stderr(&whole));
    // Drivers may talk, too.
    assert!(stderr(&whole).lines().any(|line| line.starts_with("device gpu: ")), "{}", stderr(&whole));
    assert_near(&losses(&space, "gpu"), &losses(&space, "cpu"));
    for (run, first, then) in [("there", "gpu", "cpu"), ("back", "cpu", "gpu")] {
        space.succeed(&["train", "tiny.toml", "--set", "train.steps=3", "-o", run, "--device", first]);
        space.succeed(&["train", "--resume", "--set", "train.steps=6", "-o", run, "--device", then]);
        assert_eq!(losses(&space, run).len(), 6);
    }

    std::fs::write(space.path("sensors.csv"), "x,u\n0.1,1\n0.6,-1\n").unwrap();
    let predict = |device: &str| {
        let sensors =
            ["--context", "sensors.csv", "--from", "0", "--to", "0.016", "-o", "out.csv", "--force"];
        space.succeed(&[&["predict", "--model", "gpu", "--device", device][..], &sensors].concat());
        let text = std::fs::read_to_string(space.path("out.csv")).unwrap();
        let last = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
        text.lines().skip(1).map(last).collect::<Vec<f64>>()
    };
    let (cpu, gpu) = (predict("cpu"), predict("gpu"));
    assert!(cpu.len() == 16 && cpu.iter().zip(&gpu).all(|(a, b)| (a - b).abs() < 1e-4), "{cpu:?} {gpu:?}");

    let evaluate = |device: &str| {
        let text = space.succeed(&["evaluate", "gpu", "--json", "--noise", "0.01", "--device", device]);
        let found: Value = serde_json::from_str(&text).unwrap();
        ["relative_l2", "rmse"]
            .map(|metric| found[0]["one_step"]["measured"][metric]["mean"].as_f64().unwrap())
    };
    assert_near(&evaluate("gpu"), &evaluate("cpu"));

    let text = space.succeed(&[
        "bench",
        "train",
        "--case",
        "fno-burgers",
        "--batch",
        "1",
        "--seconds",
        "0.001",
        "--json",
        "--device",
        "gpu",
    ]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert!(found["traffic"]["launches"].as_u64() > Some(0) && found["outside_kernels"].is_null(), "{found}");
}

/// Without any driver, before anything else is done.
#[test]
fn a_missing_driver_is_told_with_what_to_do() {
    let space = Workspace::new();
    let mut command = space.command(&["train", "missing.toml", "-o", "run", "--device", "gpu"]);
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES"] {
        command.env(variable, space.path("none.json"));
    }
    let output = command.output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("device gpu: no usable adapter") && said.contains("--device cpu"), "{said}");
    assert!(!space.path("run").exists());
}
