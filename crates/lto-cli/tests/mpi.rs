//! Several processes under `mpirun`; with the feature `mpi`, and where an MPI is installed.
#![cfg(feature = "mpi")]

mod common;

use common::Workspace;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A small run of 6 steps on `heat.hdf5`.
fn config() -> String {
    let data = "
seed = 5
[data]
path = 'heat.hdf5'
periodic = 'all'
split = { counts = { train = 20, validation = 2, test = 2 } }
";
    let train = "
[train]
batch = 5
steps = 6
log_every = 1
checkpoint_every = 3
schedule = { kind = 'constant' }
[train.validation]
every = 3
leads = [1]
";
    [data, common::model::TWIN, train].concat()
}

const HEAT: &[&str] =
    &["data", "generate", "heat", "--dim", "1", "--resolution", "32", "--frames", "5", "-n", "24", "-o"];

/// `mpirun -n N lto …` in the folder, on as few cores as there are.
fn mpirun(workspace: &Workspace, n: usize, args: &[&str]) -> Command {
    let lto = workspace.command(args);
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", &n.to_string()]);
    command.arg(lto.get_program()).args(lto.get_args()).current_dir(workspace.path(""));
    command.env("OMPI_MCA_mpi_yield_when_idle", "1").env("OMPI_MCA_btl", "self,vader,tcp");
    command
}

fn run(workspace: &Workspace, n: usize, args: &[&str]) -> Output {
    let output = mpirun(workspace, n, args).output().unwrap();
    assert!(output.status.success(), "{n} processes: lto {args:?}\n{}", text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether there is an `mpirun`; says so if there is none.
fn is_installed() -> bool {
    let found = Command::new("mpirun").arg("--version").output().is_ok();
    if !found {
        println!("skipped: no mpirun");
    }
    found
}

/// The training losses of a run, by step.
fn losses(run: &Path) -> Vec<f64> {
    let lines = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.filter(|value| value["kind"] == "train").map(|value| value["loss"].as_f64().unwrap()).collect()
}

fn assert_near(found: &[f64], exact: &[f64]) {
    assert_eq!(found.len(), exact.len());
    for (found, exact) in found.iter().zip(exact) {
        assert!((found - exact).abs() < 1e-4 * exact.abs(), "{found} is not {exact}");
    }
}

#[test]
fn processes_generate_train_resume_and_evaluate_as_one_does() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::new();
    let file = |name: &str| std::fs::read(workspace.path(name)).unwrap();
    workspace.succeed(&[HEAT, &["heat.hdf5"]].concat());
    for n in [2, 3] {
        let name = format!("heat{n}.hdf5");
        let output = run(&workspace, n, &[HEAT, &[name.as_str()]].concat());
        assert!(file(&name) == file("heat.hdf5"), "{n} processes write the same bytes");
        assert_eq!(text(&output.stdout).matches("24 samples").count(), 1, "one of them reports");
    }

    std::fs::write(workspace.path("run.toml"), config()).unwrap();
    workspace.succeed(&["train", "run.toml", "-o", "alone"]);
    run(&workspace, 2, &["train", "run.toml", "-o", "two"]);
    assert_near(&losses(&workspace.path("two")), &losses(&workspace.path("alone")));
    run(&workspace, 2, &["train", "run.toml", "-o", "again"]);
    assert_eq!(losses(&workspace.path("two")), losses(&workspace.path("again")), "equal bits");
    // Begun by two, continued by three.
    run(&workspace, 2, &["train", "run.toml", "-o", "parts", "--set", "train.steps=3"]);
    run(&workspace, 3, &["train", "--resume", "-o", "parts", "--set", "train.steps=6"]);
    assert_near(&losses(&workspace.path("parts")), &losses(&workspace.path("alone")));

    workspace.succeed(&[HEAT, &["new.hdf5", "--seed", "9"]].concat());
    workspace.succeed(&["calibrate", "alone", "--data", "new.hdf5"]);
    // Threads of a process may sum in another order.
    let evaluate = ["evaluate", "alone", "--split", "all", "--json", "--quiet", "--threads", "1"];
    let alone = results(workspace.succeed(&evaluate).as_bytes());
    assert!(alone[0]["coverage"]["all"]["samples"] == 24, "bands are measured, too");
    for n in [2, 3] {
        assert_eq!(results(&run(&workspace, n, &evaluate).stdout), alone, "{n} processes");
    }
    let rates = ["theory", "rates", "--dim", "1", "--layouts", "1", "--designs", "grid", "--json", "--quiet"];
    let alone = workspace.succeed(&rates);
    assert_eq!(text(&run(&workspace, 2, &rates).stdout), alone);
}

/// All but what clocks and the command line say.
fn results(json: &[u8]) -> Value {
    fn forget(value: &mut Value) {
        match value {
            Value::Object(map) => {
                let of_the_day = ["seconds", "seconds_per_prediction", "peak_mb", "command"];
                of_the_day.iter().for_each(|key| drop(map.remove(*key)));
                map.values_mut().for_each(forget);
            }
            Value::Array(all) => all.iter_mut().for_each(forget),
            _ => {}
        }
    }
    let mut value = serde_json::from_slice(json).unwrap();
    forget(&mut value);
    value
}

/// The processes that `mpirun` started.
fn children(parent: &Child) -> Vec<String> {
    let found = Command::new("pgrep").args(["-P", &parent.id().to_string()]).output().unwrap();
    text(&found.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn a_process_that_is_killed_ends_all_and_leaves_a_whole_checkpoint() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::new();
    workspace.succeed(&[HEAT, &["heat.hdf5"]].concat());
    std::fs::write(workspace.path("run.toml"), config()).unwrap();
    let endless = ["train", "run.toml", "-o", "run", "--set", "train.steps=1000000"];
    let mut command = mpirun(&workspace, 3, &endless);
    let job = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let (checkpoint, begun) = (workspace.path("run/model.safetensors"), Instant::now());
    while !checkpoint.exists() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no step was made");
        std::thread::sleep(Duration::from_millis(100));
    }
    let processes = children(&job);
    assert_eq!(processes.len(), 3);
    Command::new("kill").args(["-9", &processes[1]]).status().unwrap();
    let output = job.wait_with_output().unwrap();
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains("process rank 1") && said.contains("signal 9"), "{said}");
    let steps = losses(&workspace.path("run")).len();
    workspace.succeed(&["train", "--resume", "-o", "run", "--set", &format!("train.steps={}", steps + 2)]);
}

#[test]
fn what_one_process_does_is_refused_to_several_and_errors_are_said_once() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::new();
    let refused = mpirun(&workspace, 2, &["info", "nothing"]).output().unwrap();
    assert!(text(&refused.stderr).contains("without mpirun"), "{}", text(&refused.stderr));
    let failed = mpirun(&workspace, 2, &["train", "missing.toml", "-o", "run"]).output().unwrap();
    assert!(!failed.status.success());
    assert_eq!(text(&failed.stderr).matches("error:").count(), 1, "{}", text(&failed.stderr));
}
