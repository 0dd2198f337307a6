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
        if other["design"] != "grid" {
            assert!(gain > 0.1, "{other}");
        }
    }
    let csv = std::fs::read_to_string(space.path("sensors.csv")).unwrap();
    assert_eq!((csv.lines().count(), csv.lines().next()), (13, Some("x,y,new")));
    // The sensors written are those told, and stay where they are when more are added.
    let more = design(&space, &["--n", "25", "--existing", "sensors.csv"]);
    assert_eq!((&more["n_existing"], &more["n_new"]), (&12.into(), &25.into()));
    let (before, after) = (first["sensors"].as_array().unwrap(), more["sensors"].as_array().unwrap());
    assert_eq!(before[..], after[..12]);
    assert!(value(&more) < 0.8 * value(&first));
    // The gap that matters most is where the layout is worst; a sensor there helps, if there is no other as wide.
    let gap = &first["gaps"][0];
    assert_eq!(gap["at"], first["worst"]["at"]);
    assert!(gap["after"].as_f64() <= gap["value"].as_f64());
    let failures = &first["failures"];
    assert!(failures["least"][0]["value"].as_f64() <= failures["most"][0]["value"].as_f64());
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
    assert!(value(&found) <= found["greedy"].as_f64().unwrap());
    let random = &found["comparison"][0];
    assert!(random["gain"].as_f64().unwrap() > 0.0, "{random}");
    let html = std::fs::read_to_string(space.path("page.html")).unwrap();
    for heading in ["The layout", "Compared with others", "If a sensor fails", "Where one more helps most"] {
        assert!(html.contains(&format!("<h2>{heading}")), "{heading}");
    }
    let refused = |further: &[&str]| space.fail(2, &[&SQUARE[..], &certificate[..], further].concat());
    assert!(refused(&[]).contains("--curvature"));
    assert!(refused(&["--curvature", "3"]).contains("--sup"));
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
        (1, &["--n", "3", "--avoid", "circle:0.5,0.1"], "number of coordinates of a region"),
        (2, &["--n", "3", "--avoid", "box:0:1,0:1"], "not to be avoided"),
        (1, &["--n", "3", "--existing", "s.csv"], "outside the domain"),
        (1, &["--n", "3", "--existing", "missing.csv"], "missing.csv"),
        (1, &["--n", "3", "-o", "a.xlsx"], "a.xlsx"),
    ] {
        let error = space.fail(code, &[&SQUARE[..], args].concat());
        assert!(error.contains(said), "{args:?}: {error}");
    }
    space.fail(2, &["design", "--n", "3"]);
    assert_eq!(space.files(), ["s.csv"]);
}
