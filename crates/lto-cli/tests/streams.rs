//! Standard error may be closed or full: nothing that was asked for is lost by that.

#![cfg(target_os = "linux")]

mod common;

use common::Workspace;
use std::fs::File;
use std::process::Stdio;

const CONFIG: &str = "
[data]
generate = { pde = 'heat', dim = 1, resolution = 16, n_frames = 3 }
samples = 12
[model]
kind = 'twin'
latent_points = 8
latent_channels = 2
encoder = { kind = 'set_conv', hidden = 2 }
evolution = { kind = 'timed', width = 4 }
decoder = { hidden = 4 }
[train]
batch = 2
steps = 6
validation = { every = 3, leads = [1] }
";

/// A stream that takes nothing: a full disk, or a pipe whose reader is gone.
fn dead(full: bool) -> Stdio {
    if full {
        return File::options().write(true).open("/dev/full").unwrap().into();
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// Runs the program with such a standard error, and with such a standard output too if `both`.
fn survives(space: &Workspace, args: &[&str], files: &[&str], both: bool) {
    for full in [true, false] {
        files.iter().for_each(|file| drop(std::fs::remove_file(space.path(file))));
        let mut command = space.command(args);
        command.stderr(dead(full)).stdout(if both { dead(full) } else { Stdio::null() });
        let code = command.status().unwrap().code();
        // A full standard output is told, a closed one is the reader's wish.
        let expected = if both && full { 1 } else { 0 };
        assert_eq!(code, Some(expected), "{args:?}, full: {full}, both: {both}");
        files.iter().for_each(|file| assert!(space.path(file).exists(), "{args:?}: {file}"));
    }
}

#[test]
fn a_dead_stream_stops_no_command() {
    let space = Workspace::new();
    std::fs::write(space.path("tiny.toml"), CONFIG).unwrap();
    std::fs::write(space.path("sensors.csv"), "x,u\n0.1,1\n0.6,-1\n").unwrap();
    let train = ["train", "tiny.toml", "-o", "run", "--force"];
    let evaluate = ["evaluate", "run", "-o", "evaluation", "--force"];
    let predict = [
        "predict",
        "--model",
        "run",
        "--context",
        "sensors.csv",
        "--from",
        "0",
        "--to",
        "1",
        "-o",
        "field.npz",
        "--force",
    ];
    let generate = [
        "data",
        "generate",
        "heat",
        "--resolution",
        "8",
        "--frames",
        "3",
        "-n",
        "2",
        "-o",
        "d.npz",
        "--force",
    ];
    for both in [false, true] {
        survives(&space, &train, &["run/model.safetensors", "run/loss.png"], both);
        survives(&space, &evaluate, &["evaluation/report.html", "run/evaluation.json"], both);
        survives(&space, &predict, &["field.npz"], both);
        survives(&space, &generate, &["d.npz"], both);
    }
}

#[test]
fn the_demonstration_and_a_reproduction_need_no_one_to_listen() {
    let space = Workspace::new();
    let demo = ["demo", "-o", "demo", "--minutes", "0.01", "--force"];
    let mut command = space.command(&demo);
    assert!(command.stderr(dead(true)).stdout(Stdio::null()).status().unwrap().success());
    assert!(space.path("demo/report.html").exists());
    let reproduce = ["reproduce", "heat", "--scale", "smoke", "-o", "out", "--set", "train.steps=2"];
    let mut command = space.command(&reproduce);
    assert!(command.stderr(dead(false)).stdout(Stdio::null()).status().unwrap().success());
    assert!(space.path("out/report.html").exists());
}
