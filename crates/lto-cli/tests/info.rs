//! `lto info` of the real binary.

mod common;

use common::{Workspace, model};

#[test]
fn a_model_is_described_in_tables_and_in_json() {
    let space = Workspace::new();
    model::write(&space.path("m.safetensors"), 2, true, false);
    let text = space.succeed(&["info", "m.safetensors"]);
    for part in ["encoder", "evolution", "decoder", "not trained", "encoder.hidden", "validation"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&space.succeed(&["info", "m.safetensors", "--json"])).unwrap();
    let parts = json["parameters"]["parts"].as_array().unwrap();
    let sum: u64 = parts.iter().map(|part| part["parameters"].as_u64().unwrap()).sum();
    assert_eq!(json["parameters"]["total"], sum);
    let names: Vec<&str> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["encoder", "evolution", "decoder"]);
    // The published initial length scales.
    for scale in json["length_scales"].as_array().unwrap() {
        assert!((scale["value"].as_f64().unwrap() - 0.1).abs() < 1e-6, "{scale}");
    }
    assert_eq!(json["problem"]["native"], serde_json::json!([12, 12]));
    assert_eq!(json["source_normalizer"]["mean"], serde_json::json!([10.0]));
}

#[test]
fn what_is_no_model_is_refused_by_name() {
    let space = Workspace::new();
    std::fs::write(space.path("m.safetensors"), "no model").unwrap();
    assert!(space.fail(1, &["info", "m.safetensors"]).contains("m.safetensors"));
    assert!(space.fail(1, &["info", "missing"]).contains("missing"));
}

/// The folder with its card is what a model hub expects, and still loads.
#[test]
fn a_run_becomes_a_model_repository() {
    let space = Workspace::new();
    std::fs::create_dir(space.path("run")).unwrap();
    model::write(&space.path("run/model.safetensors"), 2, true, false);
    space.succeed(&["info", "run", "--card", "--license", "mit"]);
    let card = std::fs::read_to_string(space.path("run/README.md")).unwrap();
    let front = card.strip_prefix("---\n").and_then(|rest| rest.split("\n---\n").next()).unwrap();
    for line in ["library_name: latent-twin", "license: mit", "tags:", "- pde", "- twin"] {
        assert!(front.lines().any(|found| found == line), "{line}\n{card}");
    }
    assert!(card.contains("# run\n") && card.contains("| training grid | 12 × 12 points |"), "{card}");
    let config: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(space.path("run/config.json")).unwrap()).unwrap();
    assert_eq!(config["library_name"], "latent-twin");
    assert_eq!(config["model"]["kind"], "twin");
    assert!(config.get("path").is_none(), "{config}");
    assert!(space.succeed(&["info", "run"]).contains("encoder"));

    // Its own card is made anew; somebody's text is not.
    space.succeed(&["info", "run", "--card"]);
    std::fs::write(space.path("run/README.md"), "mine").unwrap();
    assert!(space.fail(1, &["info", "run", "--card"]).contains("--force"));
    space.succeed(&["info", "run", "--card", "--force"]);
    assert!(space.fail(1, &["info", "run/model.safetensors", "--card"]).contains("folder"));
}
