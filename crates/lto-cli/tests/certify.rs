//! `lto certify` of the real binary.

mod common;

use common::Workspace;
use serde_json::{Value, json};

/// A jittered grid of 8 × 8 sensors on the unit square.
fn sensors(space: &Workspace) {
    let shift = |i: usize, salt: usize| ((i * 37 + salt * 11) % 23) as f64 / 23.0;
    let row = |i: usize| {
        let (x, y) = ((i % 8) as f64 + shift(i, 1), (i / 8) as f64 + shift(i, 2));
        format!("{},{}\n", x / 8.0, y / 8.0)
    };
    let text: String = (0..64).map(row).collect();
    std::fs::write(space.path("s.csv"), format!("x,y\n{text}")).unwrap();
}

fn certify(space: &Workspace, further: &[&str]) -> Value {
    let args = [&["certify", "s.csv", "--quiet", "--json"], further].concat();
    serde_json::from_str(&space.succeed(&args)).unwrap()
}

const SQUARE: [&str; 6] = ["--domain", "0:1,0:1", "--curvature", "8", "--sup", "1"];

#[test]
fn bounds_are_ordered_and_hold_for_a_state_within_them() {
    let space = Workspace::new();
    sensors(&space);
    let found = certify(&space, &SQUARE);
    assert_eq!(found["certain"], true);
    assert_eq!(found["certificate"]["n_points"], 64);
    assert_eq!(found["certificate"]["assumptions"]["periodic"], false);
    for weights in found["weights"].as_array().unwrap() {
        let [bound, median] = ["bound", "median"].map(|key| weights[key].as_f64().unwrap());
        assert!(0.0 < median && median <= bound, "{weights}");
        if let Some(everywhere) = weights["everywhere"].as_f64() {
            assert!(everywhere >= bound && everywhere < 1.2 * bound, "{weights}");
        }
        assert!(weights["lebesgue"].as_f64().unwrap() >= 1.0);
    }
    // Twice the curvature is at most twice the bound, and more than before.
    let [nadaraya_watson, local_linear] = [0, 1].map(|i| found["weights"][i]["bound"].as_f64().unwrap());
    assert!(local_linear < nadaraya_watson);
    let curved = certify(&space, &["--domain", "0:1,0:1", "--curvature", "16", "--sup", "1"]);
    let more = curved["weights"][1]["bound"].as_f64().unwrap();
    assert!(more > 1.2 * local_linear && more <= 2.0 * local_linear * 1.001, "{more} {local_linear}");
    let headline = space.succeed(&[&["certify", "s.csv", "--quiet"], &SQUARE[..]].concat());
    assert_eq!(headline, "", "--quiet prints results asked for only");
    // Filling gaps one after the other never hurts by much and helps in the end.
    let gaps = found["gaps"].as_array().unwrap();
    assert!(gaps.last().unwrap()["after"].as_f64().unwrap() < gaps[0]["value"].as_f64().unwrap());
}

/// Curvature alone bounds no average of sensors in an open square, and the local linear estimate all the same.
#[test]
fn without_a_range_only_the_local_linear_estimate_is_certified() {
    let space = Workspace::new();
    sensors(&space);
    let alone = ["--domain", "0:1,0:1", "--curvature", "8"];
    let (known, found) = (certify(&space, &SQUARE), certify(&space, &alone));
    let [weights] = found["weights"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!((&weights["estimator"], &found["certain"]), (&json!("local_linear"), &json!(true)));
    let [alone_at_most, at_most] =
        [&weights["bound"], &known["weights"][1]["bound"]].map(|v| v.as_f64().unwrap());
    assert!((alone_at_most / at_most - 1.0).abs() < 0.1, "{alone_at_most} {at_most}");
    assert!(found["theorem"].is_null() && found["certificate"]["regularity"]["oscillation"].is_null());
    assert!(found["scales"].as_array().unwrap().iter().all(|at| at["nadaraya_watson"].is_null()));
    let text = space.succeed(&[&["certify", "s.csv", "-o", "page.html"], &alone[..]].concat());
    assert!(text.contains("not known") && text.contains("--sup") && !text.contains("inf"), "{text}");
    // Sensors on a line determine no plane; an encoder averages.
    std::fs::write(space.path("line.csv"), "x,y\n0.1,0.5\n0.4,0.5\n0.9,0.5\n").unwrap();
    let error = space.fail(1, &[&["certify", "line.csv"], &alone[..]].concat());
    assert!(error.contains("determine no affine function around [") && error.contains("sup"), "{error}");
    common::model::write(&space.path("open.safetensors"), 1, false, false);
    std::fs::write(space.path("s1.csv"), "x\n0.1\n0.4\n0.7\n").unwrap();
    let error = space.fail(2, &["certify", "s1.csv", "--run", "open.safetensors", "--curvature", "8"]);
    assert!(error.contains("'--sup' is missing"), "{error}");
}

#[test]
fn a_periodic_grid_satisfies_the_theorem_and_a_given_scale_is_kept() {
    let space = Workspace::new();
    let rows: String =
        (0..144).map(|i| format!("{},{}\n", (i % 12) as f64 / 12.0, (i / 12) as f64 / 12.0)).collect();
    std::fs::write(space.path("s.csv"), format!("x,y\n{rows}")).unwrap();
    let torus = ["--domain", "0:1,0:1", "--periodic", "all", "--curvature", "8"];
    let found = certify(&space, &torus);
    assert_eq!(found["certificate"]["assumptions"]["partition"]["kind"], "equal_volume");
    assert_eq!(found["fill_distance_bounds_certain"], true);
    let theorem = &found["theorem"];
    let [bias, quadrature, bound, ell] = ["smoothing_bias", "quadrature_error", "bound", "length_scale"]
        .map(|key| theorem[key].as_f64().unwrap());
    // No error is larger than the states vary.
    let range = found["certificate"]["regularity"]["oscillation"].as_f64().unwrap();
    assert!(
        (bias - 8.0 * ell * ell).abs() < 1e-12 && bound <= bias + quadrature + 1e-6 && bound <= range + 1e-6
    );
    assert!((bound - range.min(bias + quadrature)).abs() < 1e-6, "{theorem}");
    assert!(found["weights"][0]["bound"].as_f64().unwrap() < 0.1 * (bias + quadrature));
    // So narrow a kernel is not what the theorem is about; the weights are.
    let asked = certify(&space, &[&torus[..], &["--length-scale", "0.06"]].concat());
    assert_eq!((&asked["theorem"], &asked["weights"][1]["length_scale"]), (&Value::Null, &0.06.into()));
    assert!(asked["weights"][1]["bound"].as_f64() >= found["weights"][1]["bound"].as_f64());
}

#[test]
fn data_gives_estimates_that_say_so() {
    let space = Workspace::new();
    sensors(&space);
    space.succeed(&[
        "data",
        "generate",
        "heat",
        "-n",
        "2",
        "--resolution",
        "32",
        "--frames",
        "3",
        "-o",
        "heat.hdf5",
        "--quiet",
    ]);
    let found = certify(&space, &["--data", "heat.hdf5"]);
    assert_eq!(found["certain"], false);
    assert_eq!(found["certificate"]["regularity"]["origin"], "estimated");
    assert_eq!(found["data"]["shape"], serde_json::json!([32, 32]));
    assert_eq!(found["domain"]["axes"][0]["periodic"], true);
    assert_eq!(
        (&found["data"]["n_fields"], &found["data"]["n_available"], &found["data"]["resolved"]),
        (&6.into(), &6.into(), &true.into())
    );
    let text = space.succeed(&["certify", "s.csv", "--data", "heat.hdf5"]);
    assert!(text.contains("not certified") && text.contains("estimated from data"), "{text}");
    assert!(text.contains("6 of 6 fields on 32 × 32 points"), "{text}");
    // A margin scales what was found, and with it the bound.
    let wide = certify(&space, &["--data", "heat.hdf5", "--margin", "1.5", "--length-scale", "0.1"]);
    let plain = certify(&space, &["--data", "heat.hdf5", "--length-scale", "0.1"]);
    for path in
        ["/certificate/regularity/curvature_bound", "/certificate/regularity/oscillation", "/weights/1/bound"]
    {
        let [wide, plain] = [&wide, &plain].map(|found| found.pointer(path).unwrap().as_f64().unwrap());
        assert!((wide / plain - 1.5).abs() < 1e-9, "{path}");
    }
    // Every fourth point does not resolve the bumps.
    let coarse = certify(&space, &["--data", "heat.hdf5", "--stride", "4"]);
    assert_eq!(coarse["data"]["resolved"], false, "{}", coarse["data"]);
}

/// The domain is that of the data, or a part of it, and never more.
#[test]
fn a_domain_that_the_data_do_not_cover_is_refused() {
    let space = Workspace::new();
    sensors(&space);
    space.generate("heat", 1, "heat.hdf5", &[]);
    let axes =
        |further: &[&str]| certify(&space, &[&["--data", "heat.hdf5"], further].concat())["domain"].clone();
    let own = axes(&[]);
    assert_eq!(axes(&["--domain", "0:1"]), own);
    assert_eq!(axes(&["--domain", "0:1", "--periodic", "all"]), own);
    let cut = axes(&["--domain", "0:1,-0.01:0.999"]);
    let periodic = |d: usize| cut["axes"][d]["periodic"].as_bool().unwrap();
    assert!(periodic(0) && !periodic(1), "{cut}");
    for (further, parts) in [
        (&["--domain", "0:100"][..], &["--domain", "0:100", "heat.hdf5", "[0, 1]"][..]),
        (&["--domain", "-1:2,0:1"], &["-1:2,0:1", "[0, 1]"]),
        (&["--domain", "0:0.999", "--periodic", "all"], &["--periodic", "period"]),
    ] {
        let error = space.fail(2, &[&["certify", "s.csv", "--data", "heat.hdf5"], further].concat());
        parts.iter().for_each(|part| assert!(error.contains(part), "{part}: {error}"));
    }
}

/// Sensors on a diagonal determine no plane; what is said of each estimate follows from what is proved.
#[test]
fn what_is_not_proved_everywhere_is_not_called_certified() {
    let space = Workspace::new();
    let row = |i: u32| format!("{0},{0}\n", f64::from(i) / 12.0);
    std::fs::write(space.path("s.csv"), format!("x,y\n{}", (0..12).map(row).collect::<String>())).unwrap();
    let torus = ["--domain", "0:1,0:1", "--periodic", "all", "--curvature", "8", "--sup", "1"];
    let found = certify(&space, &torus);
    let weights = found["weights"].as_array().unwrap();
    let unproved = weights.iter().filter(|weights| weights["everywhere"].is_null()).count();
    let text = space.succeed(&[&["certify", "s.csv", "-o", "page.html"], &torus[..]].concat());
    let html = std::fs::read_to_string(space.path("page.html")).unwrap();
    assert_eq!(html.matches("Nothing is proved between the places shown.").count(), unproved);
    assert_eq!(html.matches("Everywhere, even between the places shown").count(), weights.len() - unproved);
    assert_eq!(text.matches("not proved").count(), unproved, "{text}");
    let proved =
        weights.iter().filter_map(|weights| weights["everywhere"].as_f64()).fold(f64::INFINITY, f64::min);
    let headline = text.lines().next().unwrap();
    assert_eq!(headline.contains("; certified."), proved.is_finite(), "{headline}");
}

#[test]
fn the_scale_and_the_domain_of_a_trained_twin_are_taken() {
    let space = Workspace::new();
    let folder = "twin.safetensors";
    common::model::write(&space.path(folder), 1, true, false);
    std::fs::write(space.path("s.csv"), "x\n0.1\n0.4\n0.7\n").unwrap();
    let info: Value = serde_json::from_str(&space.succeed(&["info", folder, "--json"])).unwrap();
    let found = certify(&space, &["--run", folder, "--curvature", "8", "--sup", "1"]);
    let encoder =
        info["length_scales"].as_array().unwrap().iter().find(|scale| scale["part"] == "encoder").unwrap();
    assert_eq!(found["weights"][0]["length_scale"], encoder["value"]);
    assert_eq!(found["domain"], info["problem"]["domain"]);
    // Its density floor too: far from the sensors a floor of 0.3 takes a part of the values.
    common::model::write_with_floor(&space.path("floor.safetensors"), 1, true, false, 0.3);
    let floored = certify(&space, &["--run", "floor.safetensors", "--curvature", "8", "--sup", "1"]);
    let of = |found: &Value, key: &str| found["weights"][0][key].as_f64().unwrap();
    assert_eq!((of(&found, "density_floor"), of(&floored, "density_floor")), (1e-8, 0.3));
    assert!(of(&floored, "bound") > of(&found, "bound") + 0.1, "{floored}");
    let theorem = |found: &Value| found["scales"][24]["theorem"].as_f64().unwrap();
    assert!(theorem(&floored) > theorem(&found) + 0.01);
}

#[test]
fn a_model_without_a_set_convolution_is_named() {
    let space = Workspace::new();
    common::model::write_interpolation(&space.path("plain.safetensors"));
    std::fs::write(space.path("s.csv"), "x\n0.1\n0.4\n").unwrap();
    let error = space.fail(1, &["certify", "s.csv", "--run", "plain.safetensors", "--curvature", "8"]);
    assert!(error.contains("plain.safetensors") && error.contains("--length-scale"), "{error}");
}

#[test]
fn the_page_has_its_maps_and_parts() {
    let space = Workspace::new();
    sensors(&space);
    let text = space.succeed(&[&["certify", "s.csv", "-o", "out"], &SQUARE[..]].concat());
    for part in
        ["the paper's theorem", "from the actual weights", "local linear", "matters least", "certified"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let html = std::fs::read_to_string(space.path("out/page.html")).unwrap();
    let json: Value =
        serde_json::from_slice(&std::fs::read(space.path("out/certificate.json")).unwrap()).unwrap();
    assert!(json["n_places"].as_u64().unwrap() > 1000);
    for heading in [
        "Where the estimate is uncertain",
        "The bounds",
        "The length scale",
        "What it rests on",
        "Adding and losing",
    ] {
        assert!(html.contains(&format!("<h2>{heading}")), "{heading}");
    }
    assert_eq!(html.matches("<svg ").count(), 3);
    assert!(html.contains("lto certify s.csv -o out --domain 0:1,0:1 --curvature 8 --sup 1"));
    if let Some(shown) = common::browser::show(&space, "out/page.html") {
        assert_eq!((shown.count("<figure>"), shown.count("<svg ")), (3, 3), "maps and the curve over ℓ");
        assert!(shown.count("<table>") >= 5 && shown.colors > 200, "{} colors", shown.colors);
    }
    let again = space.fail(1, &[&["certify", "s.csv", "-o", "out"], &SQUARE[..]].concat());
    assert!(again.contains("--force"), "{again}");
}

#[test]
fn what_is_wrong_is_named() {
    let space = Workspace::new();
    sensors(&space);
    for (code, args, said) in [
        (2, &["s.csv", "--curvature", "8"][..], "'--domain' is missing"),
        (2, &["s.csv", "--domain", "0:1,0:1"], "'--curvature' is missing"),
        (2, &["s.csv", "--domain", "0:1,0:1", "--curvature", "-8"], "above 0"),
        (2, &["s.csv", "--domain", "0:1,0:1", "--curvature", "8", "--sup", "1", "--margin", "2"], "--data"),
        (
            2,
            &["s.csv", "--domain", "0:1,0:1", "--curvature", "8", "--sup", "1.5e308"],
            "for '--sup': is too large",
        ),
        (1, &["s.csv", "--domain", "0:0.5,0:1", "--curvature", "8", "--sup", "1"], "outside the domain"),
        (1, &["missing.csv", "--domain", "0:1,0:1", "--curvature", "8", "--sup", "1"], "missing.csv"),
        (2, &["s.csv", "--data", "a.npz", "--curvature", "8"], "cannot be used with"),
        (1, &["s.csv", "--domain", "0:1,0:1", "--curvature", "8", "--sup", "1", "-o", "a.png"], ".html"),
    ] {
        let error = space.fail(code, &[&["certify"], args].concat());
        assert!(error.contains(said), "{args:?}: {error}");
    }
}
