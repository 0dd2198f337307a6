//! The baselines made of a mean course, against closed forms: offsets on a rough mean state with a daily cycle.

#[path = "common/store.rs"]
mod store;

use lto::data::Data;
use lto::data::config::DataConfig;
use lto::evaluate::run::load;
use lto::experiment::Experiment;
use lto::model::{Model, ModelConfig};
use lto::train::{Silent, Trainer};
use lto::{Error, Result};
use lto_numerics::dataset::Context;
use lto_numerics::setconv::nearest_linear;
use lto_numerics::{Domain, Grid, Placement, Points};
use std::path::Path;
use std::sync::Arc;
use store::store;

/// Points of the grid, and hours of a day.
const N: usize = 16;
const DAY: usize = 6;

/// What single precision leaves of values about 280.
const EXACT: f64 = 1e-4;

/// A rough state in the course of a day: no interpolation of a few of its points finds it.
fn mean(x: f64, t: f64) -> f64 {
    280.0 + 3.0 * (97.0 * x).sin() * (std::f64::consts::TAU * t / DAY as f64).cos() + (41.0 * x).cos()
}

/// Offsets of the days of the record: the day decides, not the hour.
fn offset(day: usize) -> f64 {
    [1.0, -2.0, 4.0, 0.5, 7.0, -3.0][day]
}

/// Six days of hours, as windows of a day each: four train, the last tests.
fn record(path: &Path, extra: &str) -> DataConfig {
    let grid = Grid::cubic(Domain::unit(1, false).unwrap(), N, Placement::Vertex).unwrap();
    let times: Vec<f64> = (0..6 * DAY).map(|hour| hour as f64).collect();
    store(path, vec![grid], &times, 1, |_, x, t| mean(x[0], t) + offset(t as usize / DAY));
    let text = format!(
        "path = {path:?}\ngrid = 'vertex'\nperiodic = 'none'\nwindow = {{ frames = {DAY}, stride = {DAY} }}\n\
         split = {{ counts = {{ train = 4, validation = 1, test = 1 }} }}\n{extra}"
    );
    toml::from_str(&text).unwrap()
}

fn query() -> Arc<Points> {
    Arc::new(Points::grid(Grid::cubic(Domain::unit(1, false).unwrap(), N, Placement::Vertex).unwrap()))
}

/// Predicts t from the points `seen` of the last day at s: points of the grid, or stations that happen to stand there.
fn predict(model: &Model, seen: &[usize], scattered: bool, s: f64, t: f64) -> Result<Vec<f64>> {
    let grid = Grid::cubic(Domain::unit(1, false)?, N, Placement::Vertex)?;
    let values = seen.iter().map(|&i| mean(grid.coordinates(0)[i], s) + offset(5)).collect();
    let points = Points::masked(grid, seen.to_vec())?;
    let points = if scattered { points.to_scattered() } else { points };
    Ok(model.predict(&Context { points, n_channels: 1, values, deviations: None }, s, &[t], &query())?.values)
}

#[track_caller]
fn assert_offset(values: &[f64], t: f64, offset: f64) {
    for (i, value) in values.iter().enumerate() {
        let exact = mean(i as f64 / (N - 1) as f64, t) + offset;
        assert!((value - exact).abs() < EXACT, "{value} is not {exact}");
    }
}

/// Climatology is off by how unusual the day is, whatever is observed; anomaly persistence knows that from three points.
#[test]
fn the_course_is_the_mean_of_the_training_days_and_an_anomaly_holds() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::open(&record(&folder.path().join("days.npz"), ""), 1.0).unwrap();
    let usual = (0..4).map(offset).sum::<f64>() / 4.0;
    let [climatology, anomalies] =
        ["climatology", "anomaly_persistence"].map(|name| load(name, &data).unwrap());
    for (s, t) in [(0.0, 1.0), (1.0, 5.0), (4.0, 4.0)] {
        assert_offset(&predict(&climatology, &[3], false, s, t).unwrap(), t, usual);
        for seen in [&[0, 7, 12][..], &[5]] {
            assert_offset(&predict(&anomalies, seen, false, s, t).unwrap(), t, offset(5));
        }
        // At a station that is no point of the grid, the mean is interpolated too, by local lines.
        let whole: Vec<f64> = (0..N).map(|i| mean(i as f64 / (N - 1) as f64, s) + usual).collect();
        let station = Points::scattered(Domain::unit(1, false).unwrap(), vec![5.0 / (N - 1) as f64]).unwrap();
        let there = nearest_linear(&query(), &whole, &station).unwrap()[0];
        let anomaly = whole[5] - usual + offset(5) - there;
        assert_offset(&predict(&anomalies, &[5], true, s, t).unwrap(), t, usual + anomaly);
    }
    assert_eq!(anomalies.operator().n_parameters(), 0, "nothing is trained");
    // Between two hours, halfway.
    let values = predict(&climatology, &[3], false, 0.0, 1.5).unwrap();
    for (i, value) in values.iter().enumerate() {
        let x = i as f64 / (N - 1) as f64;
        let exact = (mean(x, 1.0) + mean(x, 2.0)) / 2.0 + usual;
        assert!((value - exact).abs() < EXACT);
    }
    // The means are in the file of the model.
    let path = folder.path().join("model.safetensors");
    anomalies.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    let [loaded, made] = [&loaded, &anomalies].map(|model| predict(model, &[0, 7], false, 1.0, 3.0).unwrap());
    assert_eq!(loaded, made);
}

/// A twin that moves its source begins with its estimate; if it learns departures from the mean course, with a persistent
/// anomaly. The course is in the file of the model, and values keep their usual range.
#[test]
fn departures_begin_as_a_persistent_anomaly() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let model = "kind = 'twin'\nlatent_points = 16\nlatent_channels = 4\noutput = 'gated'\ndecoder = { hidden = 8 }
        encoder = { kind = 'set_conv', hidden = 4, estimate = true }\nevolution = { kind = 'residual', width = 4 }";
    let experiment = Experiment {
        seed: 0,
        data: record(&folder.path().join("days.npz"), "anomalies = true"),
        model: toml::from_str(model).unwrap(),
        train: toml::from_str(
            "steps = 1\nlearning_rate = 1e-12\nobjective = { reconstruction_weight = 0.0 }",
        )
        .unwrap(),
    };
    Trainer::start(experiment, &run, false, &mut Silent).unwrap().run(&mut Silent).unwrap();
    let twin = Model::load(&run).unwrap();
    let whole: Vec<usize> = (0..N).collect();
    for (s, t) in [(0.0, 1.0), (1.0, 5.0)] {
        let values = predict(&twin, &whole, false, s, t).unwrap();
        for (i, value) in values.iter().enumerate() {
            let exact = mean(i as f64 / (N - 1) as f64, t) + offset(5);
            assert!((value - exact).abs() < 0.01, "{value} is not {exact}");
        }
    }
    let usual = twin.card().source_normalizer.mean()[0];
    assert!((usual - 280.0).abs() < 3.0, "{usual}");
    let steady = "generate = { pde = 'darcy', resolution = 9 }\nsamples = 10\nanomalies = true";
    let model = "kind = 'twin'\nlatent_points = 8\nlatent_channels = 2\ndecoder = { hidden = 4 }
        encoder = { kind = 'set_conv', hidden = 4 }\nevolution = { kind = 'steady', width = 4 }";
    let experiment = Experiment {
        seed: 0,
        data: toml::from_str(steady).unwrap(),
        model: toml::from_str(model).unwrap(),
        train: toml::from_str("steps = 1").unwrap(),
    };
    let refused =
        Trainer::start(experiment, &folder.path().join("steady"), false, &mut Silent).err().unwrap();
    assert!(refused.to_string().contains("data.anomalies"), "{refused}");
}

/// Windows of two days: with the period of a day, its hours are the same on the first and on the second.
#[test]
fn hours_a_day_apart_are_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("days.npz");
    let open = |extra: &str| {
        let mut config = record(&path, extra);
        config.window = Some(toml::from_str(&format!("frames = {}\nstride = {DAY}", 2 * DAY)).unwrap());
        config.split =
            toml::from_str::<DataConfig>("split = { counts = { train = 3, validation = 1, test = 1 } }")
                .unwrap()
                .split;
        load("climatology", &Data::open(&config, 1.0).unwrap()).unwrap()
    };
    // Windows of days 01, 12, 23; without a period, the first day of a window is another time than the second.
    let (apart, together) = (open(""), open("time_period = 6.0"));
    let days = |days: &[usize]| days.iter().map(|&day| offset(day)).sum::<f64>() / days.len() as f64;
    let at = |model: &Model, t: f64| predict(model, &[3], false, 0.0, t).unwrap();
    assert_offset(&at(&apart, 2.0), 2.0, days(&[0, 1, 2]));
    assert_offset(&at(&apart, 8.0), 2.0, days(&[1, 2, 3]));
    for t in [2.0, 8.0] {
        assert_offset(&at(&together, t), 2.0, days(&[0, 1, 1, 2, 2, 3]));
    }
}

#[test]
fn what_has_no_mean_or_no_anomaly_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = record(&folder.path().join("days.npz"), "");
    config.split = toml::from_str::<DataConfig>("split = 'test'").unwrap().split;
    let refused = load("climatology", &Data::open(&config, 1.0).unwrap()).err().unwrap().to_string();
    assert!(
        ["climatology", "training samples", "data.split"].iter().all(|part| refused.contains(part)),
        "{refused}"
    );
    let text = "generate = { pde = 'darcy', resolution = 9 }\nsamples = 10";
    let data = Data::open(&toml::from_str(text).unwrap(), 1.0).unwrap();
    let steady = Points::grid(data.layout().grid.as_ref().clone());
    let context =
        Context { values: vec![1.0; steady.len()], n_channels: 1, points: steady.clone(), deviations: None };
    let predict = |name| load(name, &data).unwrap().predict(&context, 0.0, &[0.0], &Arc::new(steady.clone()));
    assert!(matches!(predict("anomaly_persistence"), Err(Error::Unsupported { .. })));
    let pressure = predict("climatology").unwrap().values;
    assert!(pressure.len() == steady.len() && pressure[40] > 0.0, "the mean pressure: {pressure:?}");
    // Named alone, without data, it is nothing yet.
    let bare: ModelConfig = serde_json::from_value(serde_json::json!({"kind": "climatology"})).unwrap();
    let refused = bare.init(&data.problem(), 0, lto::Device::cpu()).err().unwrap().to_string();
    assert!(refused.contains("lto evaluate"), "{refused}");
}
