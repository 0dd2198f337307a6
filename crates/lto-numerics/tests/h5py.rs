//! Both ways against h5py, where Python has it (`LTO_PYTHON`, else `python3`): our files in theirs, theirs in ours.

use lto_numerics::dataset::format;
use lto_numerics::dataset::write::create;
use std::path::Path;
use std::process::Command;

#[path = "common/hdf5_fixtures.rs"]
mod fixtures;
#[path = "common/samples.rs"]
mod samples;

/// A Python that has h5py.
fn python() -> Option<String> {
    let python = std::env::var("LTO_PYTHON").unwrap_or_else(|_| "python3".into());
    let found = Command::new(&python).args(["-c", "import h5py"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    eprintln!("skipped: {python} has no h5py; set LTO_PYTHON to one that has");
    None
}

fn run(python: &str, script: &str, arguments: &[&Path]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let output = Command::new(python).arg(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn our_files_open_in_theirs() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (name, (header, samples)) in [
        ("evolution.hdf5", samples::evolution()),
        ("steady.hdf5", samples::steady()),
        ("evolution.npz", samples::evolution()),
    ] {
        let path = folder.path().join(name);
        let mut writer = create(&path, &header).unwrap();
        for sample in &samples {
            writer.append(sample).unwrap();
        }
        writer.finish().unwrap();
        paths.push(path);
    }
    run(&python, "h5py_check.py", &paths.iter().map(|path| path.as_path()).collect::<Vec<_>>());
}

#[test]
fn their_files_read_equal() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    run(&python, "fixtures/hdf5/make.py", &[folder.path(), Path::new("5")]);
    let mut n_files = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if ["types", "attributes", "chunked", "links", "many"].iter().any(|kind| name.starts_with(kind)) {
            fixtures::assert_all_slices_equal(&mut *format::open(&path).unwrap());
            n_files += 1;
        }
    }
    assert_eq!(n_files, 14);
}
