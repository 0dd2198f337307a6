//! From a table of stations to a forecast, by the program.

mod common;

use common::Workspace;
use std::fmt::Write;

const CONFIG: &str = "
[data]
path = 'stations.csv'
records = { noise = [0.1], points = [6, 6] }
domain = '50:52,0:3'
time_period = 24.0
calendar = [24.0]
anomalies = true
split = { records = { test = 0.3, stations = 0.25 } }
[model]
kind = 'twin'
latent_points = 6
latent_channels = 2
output = 'gated'
source = 'best_linear'
encoder = { kind = 'set_conv', hidden = 2, estimate = true }
evolution = { kind = 'residual', width = 3 }
decoder = { hidden = 4, interpolation = 'cubic' }
[train]
batch = 2
steps = 3
pairs = { max_steps = 3 }
context = { fraction = [0.5, 1.0], designs = { random = 1 } }
objective = { reconstruction_weight = 0.0 }
validation = { every = 0, leads = [1] }
";

/// Twelve stations, four days, now and then no reading.
fn table() -> String {
    let mut text = String::from("time,station,lat,lon,t2m\n");
    for hour in 0..96 {
        for j in (0..12).filter(|j| (hour + 5 * j) % 13 != 0) {
            let (lat, lon) = (50.1 + 0.15 * f64::from(j), (0.2 + 0.7 * f64::from(j)) % 3.0);
            let value = 280.0 + (f64::from(hour) / 24.0 * std::f64::consts::TAU).sin() + lon;
            let (day, of_day) = (1 + hour / 24, hour % 24);
            writeln!(text, "2021-06-{day:02}T{of_day:02}:00Z,s{j},{lat},{lon},{value:.2}").unwrap();
        }
    }
    text
}

#[test]
fn a_table_is_trained_on_evaluated_and_forecast_from() {
    let space = Workspace::new();
    std::fs::write(space.path("stations.csv"), table()).unwrap();
    std::fs::write(space.path("run.toml"), CONFIG).unwrap();
    space.succeed(&["train", "run.toml", "-o", "run"]);
    let tables = space.succeed(&[
        "evaluate",
        "run",
        "persistence",
        "climatology",
        "--leads",
        "1,3",
        "--truth",
        "stations.csv",
    ]);
    for part in
        ["held-out times, stations trained on (9)", "held-out stations (3)", "12 places", "persistence"]
    {
        assert!(tables.contains(part), "{part}: {tables}");
    }
    let forecast = ["predict", "--model", "run", "--context", "stations.csv", "--query", "grid:4"];
    let said = space.succeed(&[&forecast[..], &["--to", "+1,2021-06-05T01:00Z", "-o", "a.csv"]].concat());
    assert!(said.contains("2021-06-04T23:00Z") && said.contains("2021-06-05T01:00Z"), "{said}");
    let csv = std::fs::read_to_string(space.path("a.csv")).unwrap();
    assert!(csv.starts_with("t,lat,lon,t2m\n2021-06-05T00:00Z,50,0,"), "{csv}");
    space.succeed(&[&forecast[..], &["--from", "2021-06-03T06:00Z", "--to", "+3", "-o", "a.png"]].concat());
    for (more, part) in [
        (&["--to", "+4", "-o", "b.csv"][..], "leads up to 3"),
        (&["--from", "2021-07-01", "--to", "+1", "-o", "b.csv"], "2021-07-01T00:00Z"),
    ] {
        let error = space.fail(1, &[&forecast[..], more].concat());
        assert!(error.contains(part), "{error}");
    }
}
