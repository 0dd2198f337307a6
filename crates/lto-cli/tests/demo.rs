//! `lto demo` of the real binary, trained for a moment only.

mod common;

use common::Workspace;
use serde_json::Value;

#[test]
fn the_demonstration_ends_in_a_report_with_all_its_parts() {
    let space = Workspace::new();
    let command = ["demo", "-o", "demo", "--minutes", "0.01", "--seed", "3", "--json", "--quiet"];
    let results: Value = serde_json::from_str(&space.succeed(&command)).unwrap();
    let written = std::fs::read_to_string(space.path("demo/results.json")).unwrap();
    assert_eq!(results, serde_json::from_str::<Value>(&written).unwrap());
    let evaluation = &results["evaluation"];
    let sizes = |design: &str| -> Vec<u64> {
        let errors = evaluation[design]["errors"].as_array().unwrap();
        errors.iter().map(|at| at["n_points"].as_u64().unwrap()).collect()
    };
    assert_eq!(sizes("random"), [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]);
    assert_eq!(sizes("regular"), [16, 64, 256, 1024, 4096]);
    assert!((evaluation["predicted_slope"].as_f64().unwrap() + 1.0 / 3.0).abs() < 1e-12);
    let html = std::fs::read_to_string(space.path("demo/report.html")).unwrap();
    let headings = [
        "What was done",
        "From sensors to a field",
        "Straight to any time",
        "Error against the number",
        "Training",
        "The model",
    ];
    for heading in headings {
        assert!(html.contains(&format!("<h2>{heading}")), "{heading}");
    }
    assert!(html.matches("<svg ").count() >= 4 && html.contains("data:image/gif;base64,"));
    assert!(html.contains("--seed 3"), "the command that made it");
    let without_namespaces = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!["http:", "https:"].iter().any(|part| without_namespaces.contains(part)), "nothing is fetched");
    let error = space.fail(1, &command);
    assert!(error.contains("--force"), "{error}");
    // The command that the page shows works.
    let predict = "predict --model demo/run --context demo/sensors.csv --from 0 --to 0.008 --query grid:128x128 -o field.png";
    assert!(html.contains(predict));
    space.succeed(&predict.split(' ').collect::<Vec<_>>());
    assert!(std::fs::read(space.path("field.png")).unwrap().starts_with(b"\x89PNG"));
    // One that was stopped before its page goes on, and says what to do next; another one does not replace it.
    std::fs::remove_file(space.path("demo/report.html")).unwrap();
    assert!(space.fail(1, &["demo", "-o", "demo", "--seed", "4"]).contains("--force"));
    let again = space.run(&command[..7]);
    assert!(common::stderr(&again).contains("run: already trained"), "{}", common::stderr(&again));
    assert!(String::from_utf8_lossy(&again.stdout).contains(predict));
}
