//! Tests, program and wheel are built with the same Burn: none of them turns on other features of a crate below it, which would
//! compile it again for ten minutes.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

/// Every crate below Burn with its features, where these packages are built.
fn below_burn(packages: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "depth", "--format", ":{p} {f}"])
        .args(packages)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // A line is a crate, its depth in front; one that was printed before has no children here.
    let (mut path, mut children) = (Vec::<&str>::new(), HashMap::<&str, BTreeSet<&str>>::new());
    for (depth, name) in text.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once(':')) {
        path.truncate(depth.parse().expect("a depth"));
        if let Some(parent) = path.last() {
            children.entry(parent).or_default().insert(name);
        }
        path.push(name);
    }
    let burn = children.keys().find(|name| name.starts_with("burn-core v")).expect("burn-core");
    let (mut found, mut open) = (BTreeSet::new(), vec![*burn]);
    while let Some(name) = open.pop() {
        if found.insert(name.to_owned()) {
            open.extend(children.get(name).into_iter().flatten());
        }
    }
    found
}

#[test]
fn tests_program_and_wheel_share_one_build_of_burn() {
    let tests = below_burn(&["--workspace"]);
    assert!(tests.iter().any(|name| name.starts_with("burn-flex v")), "{tests:?}");
    for (name, packages) in
        [("program", &["--edges", "no-dev"][..]), ("wheel", &["-p", "lto-py", "--edges", "no-dev"])]
    {
        let own = below_burn(packages);
        let different: Vec<&String> = own.symmetric_difference(&tests).collect();
        assert!(
            different.is_empty(),
            "the {name} turns on other features than the tests; name these crates with the features of both in \
             crates/lto/Cargo.toml: {different:#?}"
        );
    }
}
