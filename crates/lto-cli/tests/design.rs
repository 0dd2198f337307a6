//! `lto design` of the real binary.

mod common;

use common::Workspace;
use serde_json::Value;

const SQUARE: [&str; 4] = ["design", "--domain", "0:1,0:1", "--quiet"];

fn design(space: &Workspace, further: &[&str]) -> Value {
    let args = [&SQUARE[..], further, &["--json"]].concat();
    serde_json::from_str(&space.succeed(&args)).unwrap()
}

fn value(found: &Value) -> f64 {
    found["worst"]["value"].as_f64().unwrap()
}

#[test]
fn placed_sensors_beat_others_and_can_be_built_upon() {
    let space = Workspace::new();
    let first = design(&space, &["--n", "12", "-o", "sensors.csv"]);
    for other in first["comparison"].as_array().unwrap() {
        let gain = other["gain"].as_f64().unwrap();
        let ours = first["fill_distance"]["upper"].as_f64().unwrap();
        assert!((gain - (1.0 - ours / other["value"].as_f64().unwrap())).abs() < 1e-12);
        let least = if other["design"] == "grid" { 0.0 } else { 0.1 };
        assert!(gain >= least, "{other}");
    }
    let csv = std::fs::read_to_string(space.path("sensors.csv")).unwrap();
    assert_eq!((csv.lines().count(), csv.lines().next()), (13, Some("x,y,kind")));
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",new")), "{csv}");
    // The sensors written are those told, and stay where they are when more are added.
    let more = design(&space, &["--n", "25", "--existing", "sensors.csv"]);
    assert_eq!((&more["n_existing"], &more["n_new"]), (&12.into(), &25.into()));
    let (before, after) = (first["sensors"].as_array().unwrap(), more["sensors"].as_array().unwrap());
    assert_eq!(before[..], after[..12]);
    assert!(value(&more) < 0.8 * value(&first));
    space.succeed(&[
        "certify",
        "sensors.csv",
        "--quiet",
        "--domain",
        "0:1,0:1",
        "--curvature",
        "8",
        "--sup",
        "1",
    ]);
    // The gap that matters most is where the layout is worst; a sensor there helps, if there is no other as wide.
    let gap = &first["gaps"][0];
    assert_eq!((&gap["hole"], &gap["value"]), (&first["worst"]["at"], &first["worst"]["value"]));
    assert!(gap["after"].as_f64() <= gap["value"].as_f64());
    let failures = &first["failures"];
    let of = |kind: &str, key: &str| failures[kind][0][key].as_f64().unwrap();
    assert!(of("least", "value") <= of("most", "value") && of("least", "rise") <= of("most", "rise"));
    assert!(of("least", "rise") > 0.0, "every failure leaves a hole: {failures}");
}

/// Nothing in the file is a measurement; once there is one, the file is what `predict` reads.
#[test]
fn placed_sensors_hold_no_values_until_they_are_measured() {
    let space = Workspace::new();
    common::model::write(&space.path("twin.safetensors"), 2, false, true);
    design(&space, &["--n", "5", "-o", "sensors.csv"]);
    let csv = std::fs::read_to_string(space.path("sensors.csv")).unwrap();
    let measured: Vec<String> = csv.lines().skip(1).map(|line| format!("{line},10.5")).collect();
    let measured = format!("{},u\n{}\n", csv.lines().next().unwrap(), measured.join("\n"));
    std::fs::write(space.path("measured.csv"), measured).unwrap();
    let predict = ["predict", "--model", "twin.safetensors", "-o", "field.csv", "--context"];
    space.succeed(&[&predict[..], &["measured.csv"]].concat());
    space.fail(1, &[&predict[..], &["sensors.csv", "--force"]].concat());
}

/// A regular grid is the best that a torus of 16 sensors has; a layout never comes out worse than the others.
#[test]
fn the_layout_is_never_worse_than_those_it_is_compared_with() {
    let space = Workspace::new();
    for (n, further) in [
        ("16", &["--periodic", "all"][..]),
        ("7", &[]),
        ("12", &["--objective", "certificate", "--curvature", "10", "--sup", "1"]),
        ("10", &["--avoid", "box:0.3:0.8,0.4:0.9"]),
    ] {
        let found = design(&space, &[&["--n", n], further].concat());
        let ours = found["judged"]["value"].as_f64().unwrap();
        for other in found["comparison"].as_array().unwrap() {
            let gain = other["gain"].as_f64().unwrap();
            assert!(gain >= 0.0, "{other}");
            assert!((gain - (1.0 - ours / other["value"].as_f64().unwrap())).abs() < 1e-12);
        }
    }
}

#[test]
fn regions_are_avoided_and_periodic_ends_are_one_place() {
    let space = Workspace::new();
    let avoid = ["--avoid", "circle:0.5,0.5,0.3", "--avoid", "box:0:0.2,0:1"];
    let found = design(&space, &[&["--n", "15"], &avoid[..]].concat());
    for at in found["sensors"].as_array().unwrap() {
        let [x, y] = [0, 1].map(|d| at[d].as_f64().unwrap());
        assert!((x - 0.5).hypot(y - 0.5) > 0.3 && x > 0.2, "{at}");
    }
    for gap in found["gaps"].as_array().unwrap() {
        let [x, y] = [0, 1].map(|d| gap["at"][d].as_f64().unwrap());
        assert!((x - 0.5).hypot(y - 0.5) > 0.3 && x > 0.2, "a sensor may not stand there: {gap}");
    }
    // A box goes round a periodic end; one outside the domain is said to be of no use.
    let across = design(&space, &["--n", "15", "--periodic", "x", "--avoid", "box:0.8:1.2,0:1"]);
    for at in across["sensors"].as_array().unwrap() {
        assert!((0.2..=0.8).contains(&at[0].as_f64().unwrap()), "{at}");
    }
    assert_eq!(across["idle_regions"].as_array().unwrap().len(), 0);
    let text = space.succeed(&["design", "--domain", "0:1,0:1", "--n", "3", "--avoid", "box:5:6,0:1"]);
    assert!(text.contains("box:5:6,0:1 holds none"), "{text}");
    let open = design(&space, &["--n", "9"]);
    let round = design(&space, &["--n", "9", "--periodic", "all"]);
    assert!(value(&round) < 1.02 * value(&open));
}

#[test]
fn a_certificate_as_the_objective_needs_and_uses_the_curvature() {
    let space = Workspace::new();
    let certificate = ["--n", "10", "--objective", "certificate"];
    let known = ["--curvature", "10", "--sup", "1", "-o", "page.html"];
    let found = design(&space, &[&certificate[..], &known[..]].concat());
    assert_eq!(found["objective"], "certificate");
    assert!(found["length_scale"].as_f64().unwrap() > 0.0);
    assert!(value(&found) <= 1.0001 * found["greedy"].as_f64().unwrap());
    let random = &found["comparison"][0];
    assert!(random["gain"].as_f64().unwrap() > 0.0, "{random}");
    let other = design(
        &space,
        &[&certificate[..], &["--curvature", "10", "--sup", "1", "--estimator", "nadaraya_watson"]].concat(),
    );
    assert_eq!(
        (&found["estimator"], &other["estimator"]),
        (&"local_linear".into(), &"nadaraya_watson".into())
    );
    assert!(value(&other) > value(&found), "an affine fit is certified to be better");
    let html = std::fs::read_to_string(space.path("page.html")).unwrap();
    assert!(
        html.contains("lto design --domain 0:1,0:1 --quiet --n 10 --objective certificate --curvature 10")
    );
    for heading in
        ["The layout", "Compared with others", "If a sensor fails", "Where one more sensor helps most"]
    {
        assert!(html.contains(&format!("<h2>{heading}")), "{heading}");
    }
    if let Some(shown) = common::browser::show(&space, "page.html") {
        assert_eq!((shown.count("<figure>"), shown.count("<svg ")), (1, 1), "a map");
        assert!(shown.count("<table>") >= 4 && shown.colors > 100, "{} colors", shown.colors);
    }
    let refused = |further: &[&str]| space.fail(2, &[&SQUARE[..], &certificate[..], further].concat());
    assert!(refused(&[]).contains("--curvature"));
    assert!(refused(&["--curvature", "3"]).contains("--sup"));
    // What is known about the states may come from data, and the domain with it.
    space.generate("heat", 1, "heat.hdf5", &[]);
    let text = space.succeed(&["design", "--n", "6", "--objective", "certificate", "--data", "heat.hdf5"]);
    assert!(text.contains("periodic") && text.contains("estimated from data"), "{text}");
}

#[test]
fn pictures_are_drawn_in_one_two_and_three_dimensions() {
    let space = Workspace::new();
    for (domain, name) in [("0:1", "1.png"), ("-1:1,0:4", "2.svg"), ("0:1,0:1,0:1", "3.png")] {
        space.succeed(&["design", "--domain", domain, "--n", "4", "-o", name]);
        assert!(std::fs::metadata(space.path(name)).unwrap().len() > 2000, "{name}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let space = Workspace::new();
    std::fs::write(space.path("s.csv"), "x,y\n0.1,7\n").unwrap();
    for (code, args, said) in [
        (2, &["--n", "0"][..], "at least 1"),
        (2, &["--n", "3", "--avoid", "square:1"], "circle:X,Y,RADIUS"),
        (2, &["--n", "3", "--periodic", "z"], "the axes are x, y"),
        (
            2,
            &["--n", "3", "--avoid", "circle:0.5,0.1"],
            "'circle:0.5,0.1' for '--avoid': must have 2 coordinates",
        ),
        (2, &["--n", "3", "--avoid", "box:0:1,0:1"], "'3' for '--n': needs a place outside the regions"),
        (
            2,
            &["--n", "3", "--curvature", "8"],
            "'--curvature' has no effect without '--objective certificate'",
        ),
        (2, &["--n", "3", "--length-scale", "0.1"], "'--length-scale' has no effect"),
        (1, &["--n", "3", "--existing", "s.csv"], "outside the domain"),
        (1, &["--n", "3", "--existing", "missing.csv"], "missing.csv"),
        (1, &["--n", "3", "-o", "a.xlsx"], "a.xlsx"),
        (1, &["--n", "100000000000"], "100000000000 sensors would need"),
    ] {
        let error = space.fail(code, &[&SQUARE[..], args].concat());
        assert!(error.contains(said), "{args:?}: {error}");
    }
    assert!(space.fail(2, &["design", "--n", "3"]).contains("'--domain' is missing"));
    assert_eq!(space.files(), ["s.csv"]);
}
