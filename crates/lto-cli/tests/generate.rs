//! `lto data generate`: the same bytes whatever happens on the way, and nothing half-written.

mod common;

use common::{TINY, Workspace, bytes, stderr};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A generation of a second or so, with small samples.
const SLOW: [&str; 15] = [
    "data",
    "generate",
    "burgers",
    "-n",
    "600",
    "--resolution",
    "128",
    "--frames",
    "2",
    "--t-end",
    "1",
    "--seed",
    "3",
    // One at a time, so that it cannot finish before it is interrupted.
    "--threads",
    "1",
];

fn slow(further: &[&'static str]) -> Vec<&'static str> {
    [&SLOW[..], further].concat()
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let space = Workspace::new();
    for (pde, _) in TINY {
        for suffix in ["hdf5", "npz"] {
            let name = |threads: u32| format!("{pde}{threads}.{suffix}");
            space.generate(pde, 5, &name(1), &["--threads", "1", "--seed", "7"]);
            space.generate(pde, 5, &name(2), &["--threads", "2", "--seed", "7"]);
            assert_eq!(bytes(&space.path(&name(1))), bytes(&space.path(&name(2))), "{pde} {suffix}");
        }
        space.generate(pde, 5, "other.npz", &["--seed", "8", "--force"]);
        assert_ne!(bytes(&space.path("other.npz")), bytes(&space.path(&format!("{pde}1.npz"))), "{pde}");
    }
}

/// Starts a slow generation and waits until its journal has grown.
fn started(space: &Workspace, output: &'static str) -> Child {
    let journal = space.path(&format!("{output}.partial"));
    let child = space.command(&slow(&["-o", output])).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    let length = || std::fs::metadata(&journal).map_or(0, |file| file.len());
    while length() < 20_000 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the journal does not grow");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[cfg(unix)]
#[test]
fn interrupted_and_killed_runs_continue_to_the_same_bytes() {
    let space = Workspace::new();
    space.succeed(&slow(&["-o", "whole.hdf5", "--quiet"]));

    let child = started(&space, "interrupted.hdf5");
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("--resume"), "{}", stderr(&output));

    let mut child = started(&space, "killed.hdf5");
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());

    for name in ["interrupted.hdf5", "killed.hdf5"] {
        let journal = format!("{name}.partial");
        assert!(!space.path(name).exists() && space.path(&journal).exists(), "{name}");
        // A torn tail, as a power cut leaves it.
        let mut torn = bytes(&space.path(&journal));
        torn.truncate(torn.len() - 5);
        std::fs::write(space.path(&journal), torn).unwrap();

        let error = space.fail(1, &["data", "inspect", &journal]);
        assert!(error.contains("600 samples of burgers") && error.contains("--resume"), "{error}");
        let error = space.fail(1, &slow(&["-o", name]));
        assert!(error.contains("--resume") && error.contains("--force"), "{error}");
        let mut other = slow(&["-o", name, "--resume"]);
        other[4] = "601";
        let error = space.fail(1, &other);
        assert!(error.contains("samples is 600 there, 601 here"), "{error}");

        let summary = space.succeed(&slow(&["-o", name, "--resume", "--json"]));
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert!(summary["resumed"].as_u64().unwrap() > 0, "{summary}");
        assert_eq!(bytes(&space.path(name)), bytes(&space.path("whole.hdf5")), "{name}");
        assert!(!space.path(&journal).exists());
    }
}

#[test]
fn existing_files_are_kept_unless_forced() {
    let space = Workspace::new();
    std::fs::write(space.path("a.npz"), "precious").unwrap();
    let args = ["data", "generate", "heat", "-n", "1", "--resolution", "4", "-o", "a.npz"];
    let error = space.fail(1, &args);
    assert!(error.contains("--force"), "{error}");
    assert_eq!(bytes(&space.path("a.npz")), b"precious");
    assert_eq!(space.files(), ["a.npz"]);
    space.succeed(&[&args[..], &["--force"]].concat());
    assert_ne!(bytes(&space.path("a.npz")), b"precious");
}

#[test]
fn impossible_outputs_are_refused_before_computing() {
    let space = Workspace::new();
    let run = |n: &str, output: &str| {
        space.fail(1, &["data", "generate", "heat", "-n", n, "--resolution", "4", "-o", output])
    };
    let error = run("1", "missing/a.npz");
    assert!(error.contains("mkdir -p missing"), "{error}");
    // More than any disk holds.
    let error = run("1000000000000000", "a.npz");
    assert!(error.contains("are needed"), "{error}");
    assert!(space.files().is_empty(), "{:?}", space.files());
    std::fs::create_dir(space.path("folder.npz")).unwrap();
    let error = run("1", "folder.npz");
    assert!(error.contains("is a folder"), "{error}");
}

#[test]
fn the_summary_is_json_or_a_line_or_nothing() {
    let space = Workspace::new();
    let json = space.generate("navier-stokes", 3, "a.hdf5", &["--json", "--seed", "4"]);
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(summary["samples"], 3);
    assert_eq!(summary["seed"], 4);
    assert_eq!(summary["shapes"], serde_json::json!([[8, 8], [16, 16]]));
    assert_eq!(summary["config"]["pde"], "navier-stokes");
    let line = space.generate("heat", 2, "b.npz", &[]);
    assert!(line.starts_with("b.npz: 2 samples of heat on 8×8, 3 frames"), "{line}");
    assert_eq!(space.generate("heat", 2, "c.npz", &["--quiet"]), "");
}
