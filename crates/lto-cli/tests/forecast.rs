//! `lto forecast` on readings that come in one by one.

mod common;

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// The events of readings on standard input.
fn follow(rows: &str, more: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.safetensors");
    common::model::write(&model, 1, false, false);
    let mut program = Command::new(env!("CARGO_BIN_EXE_lto"))
        .args(["forecast", model.to_str().unwrap(), "--records", "-", "--follow", "--lead", "0.25"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    program.stdin.take().unwrap().write_all(rows.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

/// Readings of eight stations at the times 0, 0.05, …; `value` may change them.
fn readings(times: usize, value: impl Fn(usize, usize) -> Option<f64>) -> String {
    let mut rows = String::from("t,id,x,u\n");
    for t in 0..times {
        for i in 0..8 {
            if let Some(value) = value(t, i) {
                rows += &format!("{},s{i},{},{value}\n", t as f64 / 20.0, i as f64 / 7.0);
            }
        }
    }
    rows
}

/// A slope with a little noise.
fn honest(t: usize, i: usize) -> f64 {
    10.0 + i as f64 / 7.0 + 0.1 * ((t * 8 + i) as f64 * 2.4).sin()
}

#[test]
fn every_time_gives_a_forecast_and_bad_rows_do_no_harm() {
    let good = readings(3, |t, i| Some(honest(t, i)));
    let broken =
        good.replace("0.1,s0,", "rubbish\n0.1,s7,2.5,10\n0.1,s0,") + "0.05,s3,0.4,99\n0.1,s7,1,-9999\n";
    let (plain, harmed) = (follow(&good, &[]), follow(&broken, &[]));
    for events in [&plain, &harmed] {
        let forecasts = of(events, "forecast");
        let times: Vec<f64> = forecasts.iter().map(|event| event["time"].as_f64().unwrap()).collect();
        assert_eq!(times, [0.0, 0.05, 0.1]);
        assert_eq!(forecasts[0]["times"][0], 0.25);
        assert_eq!(forecasts[0]["values"][0][0].as_array().unwrap().len(), 12);
    }
    for (a, b) in of(&plain, "forecast").iter().zip(of(&harmed, "forecast")) {
        assert_eq!(a["values"], b["values"]);
    }
    let kinds: Vec<&str> = of(&harmed, "fault").iter().map(|event| event["kind"].as_str().unwrap()).collect();
    for kind in ["fields", "late", "outside", "implausible"] {
        assert!(kinds.contains(&kind), "{kind} is not among {kinds:?}");
    }
    assert!(of(&plain, "fault").is_empty());
}

#[test]
fn stations_that_lie_fall_silent_and_come_back_are_named() {
    let rows = readings(18, |t, i| match (t, i) {
        (15, 4) => Some(honest(t, i) + 5.0),
        (16, 2) => None,
        _ => Some(honest(t, i)),
    });
    let events = follow(&rows, &[]);
    let alarms = of(&events, "alarm");
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!((&alarms[0]["station"], &alarms[0]["time"]), (&Value::from("s4"), &Value::from(0.75)));
    assert!(alarms[0]["text"].as_str().unwrap().starts_with("station s4 disagrees with its neighbors by "));
    let forecasts = of(&events, "forecast");
    assert_eq!(
        (&forecasts[15]["observations"], &forecasts[14]["observations"]),
        (&Value::from(7), &Value::from(8))
    );
    assert_eq!(of(&events, "silent")[0]["station"], "s2");
    assert_eq!(of(&events, "back")[0]["station"], "s2");
    let kept = follow(&rows, &["--keep-alarmed"]);
    assert_eq!(of(&kept, "forecast")[15]["observations"], 8);
}

#[test]
fn fields_go_into_files_named_after_their_time() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("fields");
    let events =
        follow(&readings(2, |t, i| Some(honest(t, i))), &["-o", out.to_str().unwrap(), "--format", "csv"]);
    for (event, name) in of(&events, "forecast").iter().zip(["0.csv", "0.05.csv"]) {
        assert!(event["file"].as_str().unwrap().ends_with(name) && event.get("values").is_none());
        assert!(std::fs::read_to_string(out.join(name)).unwrap().lines().count() == 13);
    }
}
