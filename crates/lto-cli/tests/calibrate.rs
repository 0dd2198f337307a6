//! `lto calibrate`, and what it adds to `lto predict` and `lto evaluate`, of the real binary with tiny models.

mod common;

use common::{Workspace, model};
use lto::model::Model;
use lto_numerics::dataset::format;
use serde_json::Value;

/// A twin trained for one step on tiny heat, and two files of new samples.
fn space() -> Workspace {
    let space = Workspace::new();
    let config = format!(
        "[data]\ngenerate = {{ pde = 'heat', resolution = 8, n_frames = 3 }}\nsamples = 40\n\
         split = {{ counts = {{ train = 12, validation = 24, test = 4 }} }}\n{}\n[train]\nsteps = 1\n",
        model::TWIN
    );
    std::fs::write(space.path("heat.toml"), config).unwrap();
    space.succeed(&["train", "heat.toml", "-o", "run", "-q"]);
    space.generate("heat", 30, "new.hdf5", &["--seed", "5"]);
    space.generate("heat", 12, "test.hdf5", &["--seed", "6"]);
    std::fs::write(space.path("sensors.csv"), "x,y,u\n0.1,0.2,0.5\n0.7,0.4,0.5\n0.3,0.9,0.2\n0.5,0.5,0.8\n")
        .unwrap();
    space
}

const PREDICT: [&str; 9] =
    ["predict", "--model", "run", "--context", "sensors.csv", "--from", "0", "--to", "0.008,0.016"];

#[test]
fn calibrated_models_give_bands_in_every_format() {
    let space = space();
    let refused = space.fail(1, &[&PREDICT[..], &["--band", "0.9", "-o", "a.npz"]].concat());
    assert!(refused.contains("lto calibrate") && !space.path("a.npz").exists(), "{refused}");
    let said = space.succeed(&["calibrate", "run", "--data", "new.hdf5"]);
    assert!(said.contains("10 samples for the scale") && said.contains("20 for the quantiles"), "{said}");
    let card = Model::load(space.path("run")).unwrap().card().clone();
    assert_eq!(card.calibration.as_ref().unwrap().leads, [0.0, 1.0, 2.0]);

    for suffix in lto_report::prediction::FORMATS.iter().map(|format| format.suffix()) {
        let (plain, banded) = (format!("plain.{suffix}"), format!("banded.{suffix}"));
        space.succeed(&[&PREDICT[..], &["-o", &plain]].concat());
        let said =
            space.succeed(&[&PREDICT[..], &["--band", "0.9", "--samples", "2", "-o", &banded]].concat());
        assert!(
            said.contains("90 % band") && said.contains("no proof") && said.contains("2 samples"),
            "{said}"
        );
        let size = |name: &str| {
            let name = if suffix == "vti" { name.replace(".vti", "_000.vti") } else { name.into() };
            std::fs::metadata(space.path(&name)).unwrap().len()
        };
        assert!(size(&banded) > size(&plain), "{suffix}");
    }
    let mut store = format::open(&space.path("banded.npz")).unwrap();
    let mut read = |name: &str| store.read(name, &[0; 4], &[2, 1, 8, 8]).unwrap();
    let (lower, values, upper) = (read("lower"), read("values"), read("upper"));
    assert!(lower.iter().zip(&values).zip(&upper).all(|((l, v), u)| l < v && v < u));
    assert_eq!(store.read("samples", &[0; 5], &[2, 2, 1, 8, 8]).unwrap().len(), 256);
    assert_eq!(store.read("level", &[0], &[1]).unwrap(), [0.9]);
    let csv = std::fs::read_to_string(space.path("banded.csv")).unwrap();
    assert_eq!(csv.lines().next(), Some("t,x,y,u,u_lower,u_upper,u_sample_0,u_sample_1"));
    let row: Vec<f64> = csv.lines().nth(1).unwrap().split(',').map(|field| field.parse().unwrap()).collect();
    assert_eq!(row[3..6], [values[0], lower[0], upper[0]]);
    let vti = std::fs::read_to_string(space.path("banded_000.vti")).unwrap();
    assert!(vti.contains("Name=\"u_lower\"") && vti.contains("Name=\"u_upper\""));
    let too_high = space.fail(1, &[&PREDICT[..], &["--band", "0.99", "-o", "b.npz"]].concat());
    assert!(too_high.contains("20 samples") && !space.path("b.npz").exists(), "{too_high}");

    let flags = ["--fractions", "0.2,1", "--designs", "random", "--noise", "0.1", "--horizon", "0"];
    let args = [&["evaluate", "run", "--data", "test.hdf5", "--json", "-o", "report"][..], &flags].concat();
    let json: Value = serde_json::from_str(&space.succeed(&args)).unwrap();
    let coverage = &json[0]["coverage"];
    assert_eq!(coverage["cases"].as_array().unwrap().len(), 4 * 3, "{coverage}");
    assert!(coverage["all"]["covered"][5].as_f64().unwrap() > 0.6, "{coverage}");
    let page = std::fs::read_to_string(space.path("report/report.html")).unwrap();
    assert!(page.contains("Bands: what they cover") && page.contains("Reliability of the bands of run"));
    let table = space.succeed(&["compare", "report", "--tables", "coverage"]);
    assert!(table.contains("random 20 %") && table.contains("distance to the nearest sensor"), "{table}");
}

#[test]
fn calibrations_use_samples_that_were_held_out() {
    let space = space();
    let refused = space.fail(1, &["calibrate", "run", "--split", "all"]);
    assert!(refused.contains("training samples"), "{refused}");
    let refused = space.fail(1, &["calibrate", "run", "--split", "test"]);
    assert!(refused.contains("at least 15"), "{refused}");
    let before = std::fs::read(space.path("run/model.safetensors")).unwrap();
    let json: Value =
        serde_json::from_str(&space.succeed(&["calibrate", "run", "--json", "-o", "calibrated.safetensors"]))
            .unwrap();
    assert_eq!(json["samples"], serde_json::json!([8, 16]), "the validation samples");
    assert_eq!(std::fs::read(space.path("run/model.safetensors")).unwrap(), before);
    let refused = space.fail(1, &["calibrate", "run", "-o", "calibrated.safetensors"]);
    assert!(refused.contains("--force"), "{refused}");
    let shown = space.succeed(&["info", "calibrated.safetensors"]);
    assert!(shown.contains("calibrated on"), "{shown}");
}
