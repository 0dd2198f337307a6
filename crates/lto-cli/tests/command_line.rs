//! Help, exit codes, completions and colors of the real binary.

mod common;

use common::{Workspace, stderr};
use std::process::Stdio;

#[test]
fn help_and_version_are_told() {
    let space = Workspace::new();
    for args in [&["--help"][..], &["data", "--help"], &["train", "--help"]] {
        assert!(space.succeed(args).contains("Usage: lto"), "{args:?}");
    }
    assert!(space.succeed(&["--version"]).starts_with("lto "));
}

#[test]
fn defaults_in_the_help_are_those_of_the_library() {
    let space = Workspace::new();
    let help = space.succeed(&["data", "generate", "heat", "--help"]);
    let default = lto_numerics::pde::HeatConfig::default();
    for value in [default.resolution.to_string(), default.max_diffusion.to_string()] {
        assert!(help.contains(&format!("[default: {value}]")), "{help}");
    }
}

#[test]
fn a_wrong_command_line_is_status_2() {
    let space = Workspace::new();
    for args in [
        &[][..],
        &["data"],
        &["frobnicate"],
        &["data", "generate", "heat", "-o", "a.npz"],
        &["data", "generate", "heat", "-n", "0", "-o", "a.npz"],
        &["data", "generate", "wave", "-n", "1", "-o", "a.npz"],
        &["data", "inspect"],
        &["data", "plot", "a.npz"],
        &["data", "plot", "a.npz", "-o", "a.png", "--colormap", "mud"],
        &["completions", "dos"],
        &["--threads", "0", "completions", "bash"],
        &["data", "inspect", "a.npz", "--layout", "nonsense"],
    ] {
        space.fail(2, args);
    }
    assert!(space.files().is_empty());
}

#[test]
fn what_goes_wrong_is_status_1_and_says_why() {
    let space = Workspace::new();
    let error = space.fail(1, &["data", "inspect", "missing.hdf5"]);
    assert!(error.starts_with("error: ") && error.contains("missing.hdf5"), "{error}");
    let error = space.fail(1, &["data", "generate", "heat", "-n", "1", "-o", "a.txt"]);
    assert!(error.contains("a.txt"), "{error}");
    assert!(space.files().is_empty());
}

#[test]
fn completions_exist_for_every_shell_and_survive_a_closed_pipe() {
    let space = Workspace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(space.succeed(&["completions", shell]).contains("navier-stokes"), "{shell}");
        let mut child = space
            .command(&["completions", shell])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(stderr(&output).is_empty(), "{}", stderr(&output));
        assert!(output.status.success());
    }
}

#[test]
fn colors_are_used_only_where_wanted() {
    let space = Workspace::new();
    let bad = ["data", "inspect", "missing.hdf5"];
    let always = [&["--color", "always"][..], &bad].concat();
    assert!(space.fail(1, &always).contains('\x1b'));
    assert!(!space.fail(1, &bad).contains('\x1b'));
    let output = space.command(&bad).env("NO_COLOR", "1").output().unwrap();
    assert!(!stderr(&output).contains('\x1b'));
}

#[test]
fn values_of_flags_are_refused_under_the_name_of_the_flag() {
    let space = Workspace::new();
    for (pde, flag, value, said) in [
        ("heat", "--bumps", "0", "'0' for '--bumps'"),
        ("heat", "--frames", "0", "'0' for '--frames'"),
        ("burgers", "--t-end", "0", "'0' for '--t-end'"),
        ("burgers", "--viscosity", "-1", "'-1' for '--viscosity'"),
        ("burgers", "--viscosity", "NaN", "must be finite"),
        ("heat", "--seed", "-5", "must be a whole number"),
        ("heat", "-n", "-1", "must be a whole number"),
        ("navier-stokes", "--resolutions", "7", "must divide --solve-resolution"),
    ] {
        let mut args = vec!["data", "generate", pde, flag, value, "-o", "a.npz"];
        if flag != "-n" {
            args.extend(["-n", "1"]);
        }
        let error = space.fail(2, &args);
        assert!(error.contains(said), "{error}");
    }
    assert!(space.files().is_empty());
    // The saved grids follow the solved one.
    let quick = ["--frames", "1", "--t-end", "0.01", "--solve-resolution", "32", "--quiet", "-o", "a.npz"];
    space.succeed(&[&["data", "generate", "navier-stokes", "-n", "1"][..], &quick].concat());
}

#[test]
fn layouts_and_subcommands_are_told() {
    let space = Workspace::new();
    let help = space.succeed(&["data", "inspect", "--help"]);
    let error = space.fail(2, &["data", "inspect", "a.npz", "--layout", "nonsense"]);
    for layout in lto_numerics::dataset::LayoutKind::ALL {
        assert!(help.contains(layout.name()) && error.contains(layout.name()), "{}", layout.name());
    }
    assert!(space.succeed(&["help", "data"]).contains("inspect"));
}

/// What several processes did not agree on, each would do alone, in the same folder.
#[cfg(not(feature = "mpi"))]
#[test]
fn several_processes_are_refused_without_mpi() {
    let workspace = Workspace::new();
    for (args, remedy) in [(&["train", "a.toml"][..], "the feature mpi"), (&["info", "a"], "without mpirun")]
    {
        let output = workspace.command(args).env("OMPI_COMM_WORLD_SIZE", "4").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("4 processes") && said.contains(remedy), "{said}");
    }
}
