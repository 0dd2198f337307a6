//! `lto theory rates` of the real binary.

mod common;

use common::Workspace;
use serde_json::Value;

#[test]
fn rates_are_measured_for_designs_and_estimators_with_their_predictions() {
    let space = Workspace::new();
    let args =
        ["theory", "rates", "--dim", "1", "--layouts", "2", "--designs", "grid,iid", "--json", "-o", "out"];
    let found: Value = serde_json::from_str(&space.succeed(&args)).unwrap();
    let rates = found["rates"].as_array().unwrap();
    assert_eq!(rates.len(), 6);
    for rate in rates {
        let [slope, predicted] =
            [&rate["fit"]["slope"], &rate["predicted_slope"]].map(|v| v.as_f64().unwrap());
        let expected = match (rate["estimator"].as_str().unwrap(), rate["rule"].as_str().unwrap()) {
            ("nadaraya_watson", "optimum") => -2.0 / 3.0,
            ("nadaraya_watson", _) => -1.0,
            _ => -2.0,
        };
        if rate["design"] == "grid" {
            assert!((predicted - expected).abs() < 1e-9, "{rate}");
        } else {
            assert!(predicted > expected && predicted < 0.7 * expected, "{rate}");
        }
        // The error falls as fast as predicted, or faster where the grid cancels the first order.
        let (slowest, fastest) = match (rate["design"] == "grid", expected == -1.0) {
            (true, true) => (1.7, 2.0),
            (true, false) => (0.93, 1.01),
            (false, _) => (0.7, 1.4),
        };
        assert!((slowest..fastest).contains(&(slope / predicted)), "{slope} against {predicted}: {rate}");
        let points = rate["points"].as_array().unwrap();
        assert_eq!(points.len(), 8);
        assert_eq!(
            points[0]["errors"].as_array().unwrap().len(),
            if rate["design"] == "grid" { 1 } else { 2 }
        );
    }
    for file in ["rates.png", "rates.html", "rates.json"] {
        assert!(space.path("out").join(file).is_file(), "{file}");
    }
}

#[test]
fn heat_states_are_shown_as_a_table_and_a_picture() {
    let space = Workspace::new();
    let narrow = ["--dim", "1", "--designs", "grid", "--estimators", "local_linear", "--states", "heat"];
    let text = space.succeed(&[&["theory", "rates", "-o", "rates.svg"], &narrow[..]].concat());
    assert!(text.contains("local linear, best ℓ") && text.contains("-2.000"), "{text}");
    assert!(std::fs::read_to_string(space.path("rates.svg")).unwrap().contains("predicted: -2.00"));
    for wrong in [["--dim", "4"], ["--designs", "hexagons"], ["--estimators", "kriging"]] {
        space.fail(2, &[&["theory", "rates"], &wrong[..]].concat());
    }
}
