//! `lto predict` of the real binary, with tiny models.

mod common;

use common::{Workspace, model, stderr};
use lto::model::Model;
use lto_numerics::dataset::{Context, format};
use lto_numerics::{Domain, Grid, Placement, Points};
use serde_json::{Value, json};
use std::sync::Arc;

const SENSORS: &str = "x,y,u\n0.1,0.2,9.5\n0.7,0.4,10.5\n0.3,0.9,12\n0.5,0.5,8\n";
const POINTS: [f64; 8] = [0.1, 0.2, 0.7, 0.4, 0.3, 0.9, 0.5, 0.5];
const VALUES: [f64; 4] = [9.5, 10.5, 12.0, 8.0];

fn space() -> Workspace {
    let space = Workspace::new();
    model::write(&space.path("model.safetensors"), 2, true, false);
    std::fs::write(space.path("sensors.csv"), SENSORS).unwrap();
    space
}

/// The usual command line with the output and further flags.
fn args<'a>(output: &'a str, further: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["predict", "--model", ".", "--context", "sensors.csv", "-o", output];
    args.extend(further);
    args
}

fn grid(shape: [usize; 2]) -> Grid {
    let axes = shape.map(|n| (n, Placement::Left));
    Grid::uniform(Domain::unit(2, true).unwrap(), &axes).unwrap()
}

/// What the library says at the points of a grid.
fn expected(space: &Workspace, shape: [usize; 2], times: &[f64]) -> Vec<f64> {
    let model = Model::load(space.path("model.safetensors")).unwrap();
    let points = Points::scattered(Domain::unit(2, true).unwrap(), POINTS.to_vec()).unwrap();
    let context = Context { points, n_channels: 1, values: VALUES.to_vec(), deviations: None };
    model.predict(&context, 0.0, times, &Arc::new(Points::grid(grid(shape)))).unwrap().values
}

#[test]
fn npz_and_csv_hold_what_the_model_says_and_where() {
    let space = space();
    let times = ["--from", "0", "--to", "0.25,1", "--query", "grid:5x7"];
    let json: Value =
        serde_json::from_str(&space.succeed(&args("a.npz", &[&times[..], &["--json"]].concat()))).unwrap();
    assert_eq!(json["query"], json!({"points": 35, "shape": [5, 7]}));
    assert_eq!(json["context"]["points"], 4);
    assert_eq!(json["times"], json!([0.25, 1.0]));
    let expected = expected(&space, [5, 7], &[0.25, 1.0]);
    let mean: f64 = expected[..35].iter().sum::<f64>() / 35.0;
    assert!((json["values"][0]["mean"].as_f64().unwrap() - mean).abs() < 1e-12);
    let mut store = format::open(&space.path("a.npz")).unwrap();
    assert_eq!(store.read("values", &[0; 4], &[2, 1, 5, 7]).unwrap(), expected);
    assert_eq!(store.read("y", &[0], &[7]).unwrap(), grid([5, 7]).coordinates(1));

    space.succeed(&args("a.csv", &times));
    let csv = std::fs::read_to_string(space.path("a.csv")).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("t,x,y,u"));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect();
    assert_eq!(rows.iter().map(|row| row[3]).collect::<Vec<_>>(), expected);
    assert_eq!(rows[35 + 8][..3], [1.0, 0.2, 1.0 / 7.0]);

    // The points of that table are a query like any other.
    let header_and_first_time: String = csv.lines().take(36).map(|line| format!("{line}\n")).collect();
    std::fs::write(space.path("where.csv"), header_and_first_time).unwrap();
    space.succeed(&args("b.npz", &["--from", "0", "--to", "0.25", "--query", "where.csv"]));
    let mut store = format::open(&space.path("b.npz")).unwrap();
    let scattered = store.read("values", &[0; 3], &[1, 1, 35]).unwrap();
    assert!(scattered.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5));
}

#[test]
fn observations_may_be_arrays_in_two_forms() {
    let space = space();
    let mut write = lto_numerics::dataset::write::NpzArchive::create(&space.path("a.npz")).unwrap();
    write.numbers("points", &[4, 2], &POINTS).unwrap();
    write.numbers("values", &[4, 1], &VALUES).unwrap();
    write.finish().unwrap();
    let mut write = lto_numerics::dataset::write::NpzArchive::create(&space.path("b.npz")).unwrap();
    for (name, d) in [("y", 1), ("x", 0)] {
        let axis: Vec<f64> = POINTS.iter().skip(d).step_by(2).copied().collect();
        write.numbers(name, &[4], &axis).unwrap();
    }
    write.numbers("u", &[4], &VALUES).unwrap();
    write.finish().unwrap();
    let times = ["--from", "0", "--to", "1", "--query", "grid:4", "-o", "out.npz", "--force"];
    for file in ["a.npz", "b.npz"] {
        space.succeed(&[&["predict", "--model", ".", "--context", file][..], &times].concat());
        let mut store = format::open(&space.path("out.npz")).unwrap();
        assert_eq!(
            store.read("values", &[0; 4], &[1, 1, 4, 4]).unwrap(),
            expected(&space, [4, 4], &[1.0]),
            "{file}"
        );
    }
}

#[test]
fn pictures_and_image_data_are_written_for_every_dimension_and_kind() {
    for (dim, steady) in [(1, false), (1, true), (2, false), (2, true)] {
        let space = Workspace::new();
        model::write(&space.path("model.safetensors"), dim, !steady, steady);
        let sensors = if dim == 1 { "x,u\n0.1,9\n0.6,11\n0.8,10\n" } else { SENSORS };
        std::fs::write(space.path("sensors.csv"), sensors).unwrap();
        std::fs::write(space.path("where.csv"), sensors).unwrap();
        let times: &[&str] = if steady { &[] } else { &["--from", "0", "--to", "0.2,0.5,1"] };
        for (output, query) in [("a.png", "grid:20"), ("b.png", "where.csv"), ("c.vti", "grid:6")] {
            space.succeed(&args(output, &[times, &["--query", query]].concat()));
        }
        let begins = |file: &str, with: &[u8]| std::fs::read(space.path(file)).unwrap().starts_with(with);
        assert!(begins("a.png", b"\x89PNG") && begins("b.png", b"\x89PNG"));
        if steady {
            assert!(std::fs::read_to_string(space.path("c.vti")).unwrap().contains("ImageData"));
            let error = space.fail(1, &args("d.gif", &[]));
            assert!(error.contains("several times"), "{error}");
        } else {
            space.succeed(&args("d.gif", times));
            assert!(begins("d.gif", b"GIF89a"));
            let collection = std::fs::read_to_string(space.path("c.pvd")).unwrap();
            assert!(collection.contains("timestep=\"0.5\" part=\"0\" file=\"c_001.vti\""), "{collection}");
            assert!(space.path("c_002.vti").exists() && !space.path("c.vti").exists());
        }
        let error = space.fail(1, &args("e.vti", &[times, &["--query", "where.csv"]].concat()));
        assert!(error.contains("a grid"), "{error}");
    }
}

#[test]
fn times_go_forward_and_stay_in_the_trained_range_unless_forced() {
    let space = space();
    let error = space.fail(2, &args("a.npz", &["--from", "0.75", "--to", "1,0.5"]));
    assert!(error.contains("'0.5' for '--to'") && error.contains("observations at 0.75"), "{error}");
    let beyond = ["--from", "0", "--to", "0.5,1.5"];
    let error = space.fail(1, &args("a.npz", &beyond));
    assert!(error.contains("0 to 1; 1.5 is outside") && error.contains("--force"), "{error}");
    let error = space.fail(1, &args("a.npz", &["--from", "-2", "--to", "0.5"]));
    assert!(error.contains("-2 is outside"), "{error}");
    assert!(!space.path("a.npz").exists());
    let forced = space.run(&args("a.npz", &[&beyond[..], &["--force"]].concat()));
    assert!(forced.status.success() && stderr(&forced).starts_with("warning"), "{}", stderr(&forced));
    let silent = space.run(&args("b.npz", &[&beyond[..], &["--allow-extrapolation"]].concat()));
    assert!(silent.status.success() && stderr(&silent).is_empty(), "{}", stderr(&silent));
}

/// The model knows values of 10 ± 2.
#[test]
fn values_unlike_the_training_data_are_named_and_refused_unless_forced() {
    let space = space();
    let times = ["--from", "0", "--to", "1", "--query", "grid:4"];
    for value in ["283.15", "-9999", "1e300"] {
        std::fs::write(space.path("sensors.csv"), format!("{SENSORS}0.9,0.9,{value}\n")).unwrap();
        let error = space.fail(1, &args("a.npz", &times));
        let parts = ["line 6", "u = ", "10 ± 2 (-6 to 26", "--force"];
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        assert!(!space.path("a.npz").exists());
    }
    std::fs::write(space.path("sensors.csv"), format!("{SENSORS}0.9,0.9,27\n0.8,0.9,-7\n")).unwrap();
    let error = space.fail(1, &args("a.npz", &times));
    assert!(error.contains("u = 27") && error.contains("2 of 6 rows"), "{error}");
    let forced = space.run(&args("a.npz", &[&times[..], &["--force"]].concat()));
    assert!(forced.status.success() && stderr(&forced).contains("line 6: u = 27"), "{}", stderr(&forced));
}

#[test]
fn channels_are_found_by_name_or_named() {
    let space = space();
    let times = ["--from", "0", "--to", "1", "--query", "grid:4", "--force"];
    let read =
        |file: &str| format::open(&space.path(file)).unwrap().read("values", &[0; 4], &[1, 1, 4, 4]).unwrap();
    space.succeed(&args("u.npz", &times));
    for name in ["new", "elevation", "value"] {
        std::fs::write(space.path("sensors.csv"), SENSORS.replace('u', name)).unwrap();
        let error = space.fail(1, &args("a.npz", &times));
        let said = format!("channels are u; the file has the values {name}");
        assert!(error.contains(&said) && error.contains(&format!("--column {name}")), "{error}");
        space.succeed(&args("a.npz", &[&times[..], &["--column", name]].concat()));
        assert_eq!(read("a.npz"), read("u.npz"));
    }
    std::fs::write(space.path("sensors.csv"), SENSORS.replace("x,y,u", "X,y,U")).unwrap();
    space.succeed(&args("a.npz", &times));
    assert_eq!(read("a.npz"), read("u.npz"), "letters of any case");
}

#[test]
fn coordinates_wrap_on_periodic_axes() {
    let space = space();
    let times = ["--from", "0", "--to", "1", "--query", "grid:4"];
    space.succeed(&args("a.npz", &times));
    std::fs::write(space.path("sensors.csv"), SENSORS.replace("0.5,0.5,8", "-0.5,1.5,8")).unwrap();
    space.succeed(&args("b.npz", &times));
    let read =
        |file: &str| format::open(&space.path(file)).unwrap().read("values", &[0; 4], &[1, 1, 4, 4]).unwrap();
    assert_eq!(read("a.npz"), read("b.npz"));
}

#[test]
fn missing_values_and_duplicates_are_refused_by_line_unless_allowed() {
    let space = space();
    let with = |extra: &str| std::fs::write(space.path("sensors.csv"), format!("{SENSORS}{extra}")).unwrap();
    let times = ["--from", "0", "--to", "1", "--query", "grid:4", "--force"];
    with("0.9,0.9,NaN\n0.2,0.9,\n");
    let error = space.fail(1, &args("a.npz", &times));
    assert!(
        error.contains("line 6") && error.contains("2 of 6") && error.contains("--skip-missing"),
        "{error}"
    );
    let json: Value = serde_json::from_str(
        &space.succeed(&args("a.npz", &[&times[..], &["--skip-missing", "--json"]].concat())),
    )
    .unwrap();
    assert_eq!((&json["context"]["points"], &json["context"]["skipped"]), (&json!(4), &json!(2)));

    // The two ends of a periodic axis are one place; the mean of both values is observed there.
    with("0,0.3,10\n1,0.3,14\n");
    let error = space.fail(1, &args("a.npz", &times));
    assert!(error.contains("line 7") && error.contains("as line 6"), "{error}");
    assert!(error.contains("--merge-duplicates"), "{error}");
    space.succeed(&args("a.npz", &[&times[..], &["--merge-duplicates"]].concat()));
    with("0,0.3,12\n");
    space.succeed(&args("b.npz", &times));
    let read =
        |file: &str| format::open(&space.path(file)).unwrap().read("values", &[0; 4], &[1, 1, 4, 4]).unwrap();
    assert_eq!(read("a.npz"), read("b.npz"));
}

#[test]
fn what_does_not_fit_the_model_is_told_before_anything_is_written() {
    let space = space();
    let before = space.files();
    let times = ["--from", "0", "--to", "1"];
    let refuse = |code: i32, sensors: &str, further: &[&str], part: &str| {
        std::fs::write(space.path("sensors.csv"), sensors).unwrap();
        let error = space.fail(code, &args("a.npz", further));
        assert!(error.contains(part), "{error}");
    };
    refuse(1, "x,u\n0.1,3\n", &times, "axes are x, y");
    refuse(1, "x,y,a,b\n0.1,0.2,3,4\n", &times, "--column a");
    refuse(1, "x,y\n0.1,0.2\n", &times, "no values");
    refuse(1, "x,y,u\n", &times, "no points");
    refuse(1, "x,y,t,u\n0.1,0.2,0.5,3\n", &times, "no observation at time 0");
    refuse(1, SENSORS, &["--to", "1"], "--from");
    refuse(2, SENSORS, &["--from", "0"], "--to");
    refuse(2, SENSORS, &["--from", "0", "--to", "later"], "a time is a number");
    refuse(2, SENSORS, &[&times[..], &["--query", "grid:3x3x3"]].concat(), "2 axes");
    refuse(2, SENSORS, &[&times[..], &["--query", "grid:0"]].concat(), "grid:128x128");
    refuse(1, SENSORS, &[&times[..], &["--query", "none.csv"]].concat(), "none.csv");
    assert_eq!(space.files(), before);
    std::fs::write(space.path("a.npz"), "precious").unwrap();
    refuse(1, SENSORS, &times, "--force");
    assert_eq!(std::fs::read(space.path("a.npz")).unwrap(), b"precious");
    assert!(space.fail(1, &args("a.txt", &times)).contains(".vti"));

    // Chosen by name, and by time.
    refuse(1, "x,y,a,b\n0.1,0.2,3,4\n", &[&times[..], &["--column", "c", "--force"]].concat(), "no column c");
    std::fs::write(space.path("sensors.csv"), "y,x,t,a,u\n0.1,0.2,0,3,4\n0.1,0.2,0.5,3,4\n").unwrap();
    space.succeed(&args("b.npz", &["--from", "0.5", "--to", "1"]));
}

#[test]
fn steady_models_have_no_times() {
    let space = Workspace::new();
    model::write(&space.path("model.safetensors"), 2, false, true);
    std::fs::write(space.path("sensors.csv"), SENSORS).unwrap();
    space.succeed(&args("a.npz", &["--query", "grid:3x2"]));
    let mut store = format::open(&space.path("a.npz")).unwrap();
    // Both bounds of an axis that is not periodic are points of the grid.
    assert_eq!(store.read("x", &[0], &[3]).unwrap(), [0.0, 0.5, 1.0]);
    assert_eq!(store.read("values", &[0; 3], &[1, 3, 2]).unwrap().len(), 6);
    assert!(space.fail(2, &args("b.npz", &["--to", "1"])).contains("steady"));
    std::fs::write(space.path("sensors.csv"), "x,y,u\n0.1,1.2,3\n").unwrap();
    assert!(space.fail(1, &args("b.npz", &[])).contains("line 2: y = 1.2"), "axes that are not periodic");
}

/// Without a model it is the twin of the service, whose own answers are tested there.
#[test]
fn without_a_model_the_twin_of_the_program_predicts() {
    let space = Workspace::new();
    std::fs::write(space.path("sensors.csv"), "x,y,u\n0.1,0.2,0.3\n0.7,0.4,0.5\n0.3,0.9,0.1\n").unwrap();
    let flags = ["--from", "0", "--to", "0.008", "--query", "grid:4x4", "-o", "a.npz"];
    space.succeed(&[&["predict", "--context", "sensors.csv"][..], &flags].concat());
    let points =
        Points::scattered(Domain::unit(2, true).unwrap(), vec![0.1, 0.2, 0.7, 0.4, 0.3, 0.9]).unwrap();
    let context = Context { points, n_channels: 1, values: vec![0.3, 0.5, 0.1], deviations: None };
    let query = Arc::new(Points::grid(grid([4, 4])));
    let expected = lto_server::twin().unwrap().predict(&context, 0.0, &[0.008], &query).unwrap().values;
    let mut store = format::open(&space.path("a.npz")).unwrap();
    assert_eq!(store.read("values", &[0; 4], &[1, 1, 4, 4]).unwrap(), expected);
}
