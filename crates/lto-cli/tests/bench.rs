//! `lto bench`: every model is measured, with the keys that scripts rely on.

mod common;

use common::Workspace;
use serde_json::Value;

#[test]
fn every_model_is_measured_in_a_process_of_its_own() {
    let space = Workspace::new();
    let text = space.succeed(&["bench", "predict", "--seconds", "0.001", "--json"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let cases: Vec<&str> = lines.iter().filter_map(|line| line["case"].as_str()).collect();
    let baselines = ["lno-navier-stokes", "lno-darcy", "fno-burgers", "fno-navier-stokes"];
    let factorized = ["f-fno-burgers", "f-fno-navier-stokes"];
    assert_eq!(cases, [&["burgers", "navier-stokes", "darcy"][..], &baselines, &factorized].concat());
    for line in &lines {
        assert_eq!(
            (&line["program"], &line["what"], &line["batch"]),
            (&"lto".into(), &"predict".into(), &1.into())
        );
        assert!(line["n"].as_u64().unwrap() >= 3 && line["seconds"].as_f64().unwrap() > 0.0, "{line}");
        let outside = line["outside_kernels"].as_f64().unwrap();
        assert!(outside > 0.0 && outside < 1.0, "{line}");
        if cfg!(target_os = "linux") {
            assert!(line["peak_mb"].as_f64() > line["idle_mb"].as_f64(), "{line}");
        }
    }
}

#[test]
fn a_training_step_takes_the_batch_it_is_told() {
    let space = Workspace::new();
    let table = space.succeed(&["bench", "train", "--case", "burgers", "--batch", "2", "--seconds", "0.001"]);
    let row: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(row[..2], ["burgers", "2"], "{table}");
    assert!(row[2].parse::<f64>().unwrap() > 0.0, "{table}");
}

/// The model of a run as it was trained, and with another width; a folder without a run is named.
#[test]
fn the_model_of_a_run_is_measured_and_may_be_changed() {
    let (space, run) = (Workspace::new(), concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/burgers16"));
    let measured = |more: &[&str]| -> Value {
        let args = [&["bench", "train", "--run", run, "--seconds", "0.001", "--json"], more].concat();
        serde_json::from_str(&space.succeed(&args)).unwrap()
    };
    let (own, wide) = (measured(&[]), measured(&["--set", "model.evolution.width=96", "--batch", "2"]));
    assert_eq!((&own["case"], &own["batch"], &wide["batch"]), (&"burgers16".into(), &32.into(), &2.into()));
    assert!(own["seconds"].as_f64().unwrap() > 0.0 && wide["seconds"].as_f64().unwrap() > 0.0);
    let refused = space.fail(1, &["bench", "train", "--run", "nowhere"]);
    assert!(refused.contains("nowhere"), "{refused}");
}

#[test]
fn requests_to_the_twin_of_the_service_are_measured() {
    let text = Workspace::new().succeed(&["bench", "request", "--seconds", "0.001"]);
    assert_eq!(text.lines().filter(|line| line.contains("of a processor each")).count(), 5, "{text}");
}
