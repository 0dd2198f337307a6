//! `lto import` of the real binary: what was trained elsewhere is a model like any other.

mod common;

use common::Workspace;
use serde_json::Value;

const CONFIG: &str = "[data]\ngenerate = { pde = 'heat', resolution = 8 }\nsamples = 4\n\
                      [model]\nkind = 'lno'\nblocks = 2\nmodes = 5\ndim = 6\nheads = 2\nqueries = 'any'\n\
                      [train]\nsteps = 1\n";

fn fixture(name: &str) -> String {
    format!("{}/../lto/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn published_weights_predict_and_are_described() {
    let space = Workspace::new();
    std::fs::write(space.path("lno.toml"), CONFIG).unwrap();
    let weights = fixture("lno_published.pt");
    let command = |arch| {
        [
            "import",
            "--from",
            "pytorch",
            weights.as_str(),
            "--arch",
            arch,
            "--config",
            "lno.toml",
            "-o",
            "runs/lno",
            "--json",
        ]
    };
    let report: Value = serde_json::from_str(&space.succeed(&command("lno"))).unwrap();
    assert_eq!(
        (&report["architecture"], &report["model"]),
        (&"lno".into(), &"runs/lno/model.safetensors".into())
    );
    let info: Value = serde_json::from_str(&space.succeed(&["info", "runs/lno", "--json"])).unwrap();
    assert_eq!(info["parameters"]["total"], report["parameters"]);
    std::fs::write(space.path("sensors.csv"), "x,y,u\n0.1,0.2,1.0\n0.6,0.4,-0.5\n0.3,0.9,0.2\n").unwrap();
    let step = info["native_interval"].as_f64().unwrap().to_string();
    let mut predict =
        vec!["predict", "--model", "runs/lno", "--context", "sensors.csv", "--from", "0", "--to", &step];
    predict.extend(["--query", "grid:4x4", "-o", "field.csv"]);
    space.succeed(&predict);
    assert_eq!(std::fs::read_to_string(space.path("field.csv")).unwrap().lines().count(), 17);

    // It is a run like any other: what it is evaluated on is said there.
    space.succeed(&[
        "evaluate",
        "runs/lno",
        "persistence",
        "--resolutions",
        "8",
        "--split",
        "all",
        "-o",
        "evaluation",
    ]);
    let again = space.fail(1, &command("lno"));
    assert!(again.contains("runs/lno"), "{again}");

    let refused = space.fail(1, &command("fno"));
    assert!(refused.contains("is \"lno\""), "{refused}");
}

#[test]
fn a_pickle_that_runs_commands_is_refused_and_leaves_nothing() {
    let space = Workspace::new();
    std::fs::write(space.path("lno.toml"), CONFIG).unwrap();
    let attack = fixture("attack.pt");
    let refused = space.fail(
        1,
        &[
            "import",
            "--from",
            "pytorch",
            &attack,
            "--arch",
            "lno",
            "--config",
            "lno.toml",
            "-o",
            "m.safetensors",
        ],
    );
    assert!(refused.contains("posix.system"), "{refused}");
    assert!(!space.path("m.safetensors").exists() && !space.path("attacked.txt").exists());
}
