//! `lto reproduce` at its smallest scale, with the real binary: all stages, and none of them twice.

mod common;

use common::{Workspace, stderr};
use serde_json::Value;

fn reproduce(space: &Workspace, experiment: &str) -> (Value, String) {
    let output = space.run(&["reproduce", experiment, "--scale", "smoke", "-o", "out", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    (serde_json::from_slice(&output.stdout).unwrap(), stderr(&output))
}

/// The models of the results by name, and whether each has an error at the first resolution.
fn models(results: &Value) -> Vec<(&str, bool)> {
    let runs = results["runs"].as_array().unwrap();
    let measured = |run: &Value| !run["evaluation"]["resolutions"][0]["outcome"]["measured"].is_null();
    runs.iter().map(|run| (run["name"].as_str().unwrap(), measured(run))).collect()
}

#[test]
fn heat_has_its_figure_and_nothing_is_done_twice() {
    let space = Workspace::new();
    let (results, said) = reproduce(&space, "heat");
    assert!(said.contains("training") && said.contains("evaluating"), "{said}");
    let found = models(&results);
    for name in ["twin", "FNO", "LNO", "DeepONet", "persistence", "interpolation"] {
        assert!(found.contains(&(name, true)), "{name}: {found:?}");
    }
    assert_eq!(found.iter().filter(|(name, _)| *name == "twin").count(), 3);
    let heat = &results["heat"];
    assert_eq!(heat["twin"].as_array().unwrap().len(), 3);
    let slope = heat["closed_form"]["fit"]["slope"].as_f64().unwrap();
    assert!((-1.2..-0.1).contains(&slope), "{slope}");
    let page = std::fs::read_to_string(space.path("out/report.html")).unwrap();
    for part in ["Error against the number of sensors", "<svg", "lto reproduce heat", "[model]"] {
        assert!(page.contains(part), "{part}");
    }
    let times = &results["times"];
    let parts: Vec<f64> = times["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| {
            let training = &model["training"];
            let trained = !["persistence", "interpolation"].contains(&model["run"].as_str().unwrap());
            assert_eq!(training.is_f64(), trained, "{model}");
            training.as_f64().unwrap_or(0.0) + model["evaluation"].as_f64().unwrap()
        })
        .collect();
    let sum = times["data"].as_f64().unwrap() + parts.iter().sum::<f64>();
    assert!(parts.iter().all(|part| *part > 0.0) && (times["total"].as_f64().unwrap() - sum).abs() < 1e-9);
    assert!(page.contains("Wall time") && page.contains("twin-seed-2"));
    let (again, said) = reproduce(&space, "heat");
    // What was already there counts with the time it took.
    let total = |results: &Value| results["times"]["total"].as_f64().unwrap();
    assert!((total(&again) - total(&results)).abs() < 1e-9);
    assert!(!said.contains("training") && !said.contains("evaluating"), "{said}");
    let mean = |results: &Value, i: usize| {
        results["runs"][i]["evaluation"]["one_step"]["measured"]["relative_l2"]["mean"].as_f64().unwrap()
    };
    for (i, run) in found.iter().enumerate() {
        assert!((mean(&again, i) - mean(&results, i)).abs() < 1e-12, "{}", run.0);
    }
    // Nor is anything in another place.
    std::fs::rename(space.path("out"), space.path("moved")).unwrap();
    let output = space.run(&["reproduce", "heat", "--scale", "smoke", "-o", "moved"]);
    let said = stderr(&output);
    assert!(output.status.success() && !said.contains("training") && !said.contains("evaluating"), "{said}");
    std::fs::rename(space.path("moved"), space.path("out")).unwrap();
    // What was made from other data is made anew, and nothing else.
    for stamp in ["out/runs/fno/data.json", "out/evaluations/persistence.stamp.json"] {
        let text = std::fs::read_to_string(space.path(stamp)).unwrap();
        let crc = text.find("\"crc32\": ").unwrap() + 9;
        std::fs::write(space.path(stamp), format!("{}1{}", &text[..crc], &text[crc..])).unwrap();
    }
    let (_, said) = reproduce(&space, "heat");
    assert!(said.contains("fno: training") && said.contains("persistence: evaluating"), "{said}");
    assert!(
        said.contains("lno: already trained") && said.contains("interpolation: already evaluated"),
        "{said}"
    );
    // Another setting makes what depends on it anew, and nothing else.
    let set = ["--set", "train.learning_rate=1e-4", "--set", "train.betas=[0.9, 0.99]"];
    let all = ["reproduce", "heat", "--scale", "smoke", "-o", "out"];
    let output = space.run(&[&all[..], &set].concat());
    let said = stderr(&output);
    assert!(output.status.success() && said.contains("data: already there"), "{said}");
    assert!(said.contains("fno: training") && said.contains("persistence: already evaluated"), "{said}");
    let page = std::fs::read_to_string(space.path("out/report.html")).unwrap();
    assert!(page.contains("--set 'train.betas=[0.9, 0.99]'"), "the command can be copied into a shell");
}

#[test]
fn other_experiments_show_published_numbers_and_what_models_cannot_do() {
    for (experiment, published, refused) in [
        ("burgers", ("64", "0.078"), None),
        ("darcy", ("85x85", "0.133"), Some("persistence")),
        ("navier-stokes", ("64x64", "0.146"), None),
    ] {
        let space = Workspace::new();
        let (results, _) = reproduce(&space, experiment);
        let found = models(&results);
        assert!(found.contains(&("twin", true)) && found.contains(&("twin, ours", true)), "{found:?}");
        for run in results["runs"].as_array().unwrap().iter().filter(|run| run["name"] == "FNO") {
            let sparse = &run["evaluation"]["contexts"][0]["outcome"]["unsupported"];
            assert!(sparse.as_str().unwrap().contains("whole grid"), "{experiment} {sparse}");
        }
        if let Some(name) = refused {
            assert!(found.contains(&(name, false)), "{experiment} {found:?}");
        }
        let page = std::fs::read_to_string(space.path("out/report.html")).unwrap();
        let (case, figure) = published;
        let row = |row: &str| row.contains(&format!(">{case}")) && row.contains(&format!(">{figure}<"));
        assert!(page.split("<tr").any(row), "{experiment}: no {figure} at {case}");
    }
}
