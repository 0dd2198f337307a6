//! Records read from CSV files: what they hold, and what is said about faulty rows.

use super::*;
use crate::dataset::options::DomainOption;
use crate::pde::sample_rng;
use rand::RngExt;

fn open_bytes(bytes: &[u8], options: &RecordOptions) -> Result<Records> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.csv");
    std::fs::write(&path, bytes).unwrap();
    Records::open(&path, options)
}

fn open_with(text: &str, options: &RecordOptions) -> Result<Records> {
    open_bytes(text.as_bytes(), options)
}

fn open(text: &str) -> Result<Records> {
    open_with(text, &RecordOptions::default())
}

fn skip() -> RecordOptions {
    RecordOptions { faults: FaultPolicy::Skip, ..RecordOptions::default() }
}

const WIDE: &str = "\u{feff}time;Station;LON;Latitude;t2m [K];t2m_sd;wind;comment
2019-03-01T12:00Z;b;-1.5;51;280;0.2;;calm
2019-03-01T12:00Z;a;0.5;52;281;;3.5;x
2019-03-01T12:00+01:00;a;0.5;52;279;0.1;NaN;x
";

#[test]
fn a_wide_table_becomes_frames_in_the_order_of_time() {
    let records = open(WIDE).unwrap();
    assert_eq!(records.times().len(), 2);
    assert_eq!(records.times()[1] - records.times()[0], 1.0);
    assert!(records.has_calendar() && records.time_unit() == "hours");
    let kinds: Vec<_> = records.variables().iter().map(|v| (v.name.as_str(), v.unit.as_deref())).collect();
    assert_eq!(kinds, [("t2m", Some("K")), ("wind", None)]);
    let names: Vec<&str> = records.axes().iter().map(|axis| axis.name.as_str()).collect();
    assert_eq!((names, records.axes()[0].geographic), (vec!["lat", "lon"], true));
    assert_eq!(records.stations()[0], Station { name: "b".into(), coordinates: vec![51.0, -1.5] });
    let first = records.frame(0).unwrap();
    assert_eq!((first.stations, first.coordinates), (vec![1], vec![52.0, 0.5]));
    assert!(first.values[0] == 279.0 && first.values[1].is_nan());
    assert_eq!(first.deviations.unwrap()[0], 0.1);
    let second = records.frame(1).unwrap();
    assert_eq!(second.stations, [0, 1]);
    assert_eq!(second.values[..2], [280.0, 281.0]);
    assert!(second.values[2].is_nan() && second.values[3] == 3.5);
    let deviations = second.deviations.unwrap();
    assert!(deviations[0] == 0.2 && deviations[1..].iter().all(|d| d.is_nan()));
    assert_eq!(records.domain().to_string(), "lat in [51, 52], lon in [-1.5, 0.5]");
    assert!(records.frame(2).is_err());
}

#[test]
fn the_long_form_holds_the_same() {
    let long = "time,station,lat,lon,variable,value,unit,noise
2019-03-01T12:00Z,b,51,-1.5,t2m,280,K,0.2
2019-03-01T12:00Z,a,52,0.5,wind,3.5,,
2019-03-01T12:00Z,a,52,0.5,t2m,281,K,
2019-03-01T11:00Z,a,52,0.5,t2m,279,K,0.1
";
    let (long, wide) = (open(long).unwrap(), open(WIDE).unwrap());
    assert_eq!(long.times(), wide.times());
    assert_eq!(long.variables(), wide.variables());
    for i in 0..2 {
        let same =
            |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
        let (a, b) = (long.frame(i).unwrap(), wide.frame(i).unwrap());
        assert_eq!((a.stations, a.coordinates), (b.stations, b.coordinates));
        assert!(same(a.values, b.values) && same(a.deviations.unwrap(), b.deviations.unwrap()));
    }
}

#[test]
fn places_may_stand_in_a_table_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("stations.csv");
    std::fs::write(&table, "id,name,lat,lon,elevation\n7,North,60,10,100\n8,South,50,10,20\n").unwrap();
    let options = RecordOptions { stations: Some(table), ..RecordOptions::default() };
    let records = open_with("t,id,u\n0,8,1\n0,7,2\n", &options);
    // `station_name` and the like come before `id`, but a bare `name` does not.
    let records = records.unwrap();
    assert_eq!(records.frame(0).unwrap().coordinates, [60.0, 10.0, 50.0, 10.0]);
    let error = open_with("t,id,u\n0,9,1\n", &options).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("line 2: station \"9\" is not in the table"), "{error}");
    let error = open("t,id,u\n0,9,1\n").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("--stations FILE"), "{error}");
}

#[test]
fn platforms_move_and_unnamed_stations_are_known_by_their_place() {
    let records = open("t,id,x,y,u\n0,ship,0,0,1\n1,ship,1,0.5,2\n1,buoy,3,3,4\n2,buoy,,,5\n").unwrap();
    assert_eq!(records.stations().len(), 2);
    assert_eq!(records.frame(1).unwrap().coordinates, [1.0, 0.5, 3.0, 3.0]);
    assert_eq!(records.frame(2).unwrap().coordinates, [3.0, 3.0]);
    assert_eq!(records.domain().to_string(), "x in [0, 3], y in [0, 3]");
    let records = open("t,x,u\n0,0,1\n0,1,2\n1,-0,3\n").unwrap();
    assert_eq!((records.stations().len(), records.frame(1).unwrap().stations), (2, vec![0]));
    assert_eq!(records.stations()[1].name, "1");
}

#[test]
fn longitudes_turn_into_the_box() {
    let records = open("t,id,lat,lon,u\n0,a,0,179,1\n0,b,1,-178,2\n1,b,1,-177,2\n").unwrap();
    assert_eq!(records.domain().to_string(), "lat in [0, 1], lon in [179, 183]");
    assert_eq!(records.frame(0).unwrap().coordinates, [0.0, 179.0, 1.0, 182.0]);
    assert_eq!(records.frame(1).unwrap().coordinates, [1.0, 183.0]);
}

#[test]
fn every_fault_names_its_line_its_value_and_a_remedy() {
    let head = "time,id,lat,lon,u\n2019-03-01,a,50,1,7\n";
    for (kind, row, told) in [
        (
            FaultKind::Fields,
            "2019-03-01,b,50,1",
            "line 3: \"2019-03-01,b,50,1\" has 4 fields, but the header names 5; is it cut off?",
        ),
        (
            FaultKind::Fields,
            "2019-03-01,b,50,1,7,5",
            "6 fields, but the header names 5; is there a decimal comma",
        ),
        (
            FaultKind::Fields,
            "2019-03-01,\"b,50,1,7",
            "2 fields, but the header names 5; a quotation mark is not closed",
        ),
        (
            FaultKind::Time,
            "01/03/2019,b,50,1,7",
            "line 3: \"01/03/2019\" is not a time; write 2019-03-01T12:00Z",
        ),
        (FaultKind::Coordinate, "2019-03-01,b,95,1,7", "line 3: lat = 95 is not in [-90, 90] degrees"),
        (
            FaultKind::Coordinate,
            "2019-03-01,b,5o,1,7",
            "line 3: column lat: \"5o\" is not a finite number; correct it",
        ),
        (FaultKind::Coordinate, "2019-03-01,b,50,,7", "line 3: lon is missing; give all coordinates"),
        (FaultKind::Station, "2019-03-01,b,,,7", "line 3: station \"b\" has no coordinates"),
        (FaultKind::Station, "2019-03-01,,,,7", "line 3: has no station"),
        (FaultKind::Value, "2019-03-01,b,50,2,n/a", "line 3: column u: \"n/a\" is not a finite number"),
        (FaultKind::Value, "2019-03-01,b,50,2,inf", "line 3: column u: \"inf\" is not a finite number"),
        (
            FaultKind::Implausible,
            "2019-03-01,b,50,2,-9999",
            "line 3: u = -9999: does it stand for a missing value?",
        ),
        (FaultKind::Implausible, "2019-03-01,b,50,2,1e300", "line 3: u = 1"),
        (
            FaultKind::Contradicting,
            "2019-03-01,a,50,1,8",
            "line 3: the same station, time and variable has the value 8 here, but 7 in line 2",
        ),
    ] {
        let text = format!("{head}{row}\n2019-03-02,a,50,1,9\n");
        let error = open(&text).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
        let records = open_with(&text, &skip()).unwrap();
        assert_eq!((records.faults().count(kind), records.times().len()), (1, 2), "{row}");
        let first = records.faults().counts().next().unwrap().first.clone();
        assert!(first.contains(told), "{first}");
    }
    let comma = "time;id;x;u\n0;a;0;7\n1;a;0;7,5\n";
    let error = open(comma).map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("line 3: column u: \"7,5\" is not a finite number; write a decimal point"),
        "{error}"
    );
    let latin = open_bytes(b"time,id,x,u\n0,a,0,7\n1,K\xf6ln,0,7\n", &RecordOptions::default());
    let error = latin.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("line 3: station \"K\u{fffd}ln\" is not UTF-8; convert the file"), "{error}");
    let header = open_bytes(b"time,id,x,u [\xb0C]\n0,a,0,7\n", &RecordOptions::default());
    assert!(header.map(|_| ()).unwrap_err().to_string().contains("is not UTF-8"));
    let doubled = open(&format!("{head}2019-03-01,a,50,1,7\n")).unwrap();
    assert_eq!((doubled.faults().count(FaultKind::Doubled), doubled.n_rows()), (1, 2));
    let last = open_with(&format!("{head}2019-03-01,a,50,1,8\n"), &skip()).unwrap();
    assert_eq!(last.frame(0).unwrap().values, [8.0]);
    let missing = RecordOptions { missing: vec![-9999.0], ..RecordOptions::default() };
    let records = open_with(&format!("{head}2019-03-01,b,50,2,-9999\n"), &missing).unwrap();
    assert!(records.frame(0).unwrap().values[1].is_nan());
    let unit = "t,id,x,variable,value,unit\n0,a,0,u,280,K\n1,a,0,u,7,degC\n";
    let error = open(unit).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("line 3: u is in degC here, but in K before"), "{error}");
    let domain: DomainOption = "49:51,0:1".parse().unwrap();
    let options = RecordOptions { domain: Some(domain), ..RecordOptions::default() };
    let records = open_with(&format!("{head}2019-03-01,far,10,1,7\n"), &options).unwrap();
    assert_eq!((records.stations().len(), records.faults().count(FaultKind::Outside)), (1, 1));
}

#[test]
fn times_without_a_zone_are_utc_and_said_to_be() {
    let text = "time,id,x,u\n2019-03-01T12:00Z,a,0,7\n2019-03-01 13:00,a,0,7\n";
    let records = open(text).unwrap();
    assert_eq!(records.times()[1] - records.times()[0], 1.0);
    let told = "line 3: \"2019-03-01 13:00\" has no zone and is taken as UTC";
    assert!(records.notes().iter().any(|note| note.contains(told)), "{:?}", records.notes());
    for time in ["2019-03-01", "2019-03-01T12:00+01:00", "20190301T1200Z", "2019-03-01 12:00 UTC"] {
        assert!(open(&format!("time,id,x,u\n{time},a,0,7\n")).unwrap().notes().is_empty(), "{time}");
    }
}

#[test]
fn headers_that_are_not_understood_say_what_is_missing() {
    for (header, row, told) in [
        ("station,lat,lon,u", "a,1,2,3", "no column time"),
        ("time,u", "0,1", "neither coordinates"),
        ("time,lat,u", "0,1,1", "only lat is there"),
        ("time,lat,lon,latitude,u", "0,1,1,1,1", "two columns hold lat"),
        ("time,x,x,u", "0,1,1,1", "two columns are named \"x\""),
        ("time,x,name", "0,1,abc", "no column with values"),
        ("date,time,x,u", "2019-03-01,12:00,1,1", "join them into one time"),
        ("0,1,2", "0,1,2", "must name the columns"),
    ] {
        let error = open(&format!("{header}\n{row}\n")).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(told), "{header}: {error}");
    }
    let wanted = RecordOptions { variables: vec!["v".into()], ..RecordOptions::default() };
    let error = open_with("t,x,u\n0,1,2\n", &wanted).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no variable \"v\"; it has u"), "{error}");
}

#[test]
fn an_inspection_finds_noise_gaps_silence_and_spikes() {
    let mut text = String::from("time,id,lat,lon,u\n");
    let mut rng = sample_rng(3, 0);
    let mut noise = || (rng.random::<f64>() - 0.5) * 12f64.sqrt() * 0.1;
    for t in 0..200u64 {
        if (100..110).contains(&t) {
            continue;
        }
        for s in 0..4u64 {
            if s == 3 && (20..60).contains(&t) {
                continue;
            }
            let spike = if s == 1 && t == 50 { 8.0 } else { 0.0 };
            let value = match s {
                2 if t > 150 => 7.5,
                _ => (t as f64 / 20.0).sin() + noise() + spike,
            };
            text += &format!("2019-03-{:02}T{:02}:00Z,s{s},{},{},{value}\n", 1 + t / 24, t % 24, 50 + s, s);
        }
    }
    let found = RecordInspection::new(&open(&text).unwrap()).unwrap();
    assert_eq!((found.times.count, found.times.n_gaps, found.times.step), (190, 1, Some(1.0)));
    assert_eq!((found.times.gaps[0].length, found.times.gaps[0].to.as_str()), (11.0, "2019-03-05T14:00Z"));
    let u = &found.variables[0];
    // Uniform noise of deviation 0.1; its second differences are nearly normal.
    assert!((u.noise.unwrap() / 0.1 - 1.0).abs() < 0.15, "{:?}", u.noise);
    assert_eq!((u.n_suspicious, u.suspicious[0].station.as_str()), (1, "s1"));
    assert_eq!(u.suspicious[0].time, "2019-03-03T02:00Z");
    assert_eq!((found.stations[3].longest_silence, found.stations[3].n_times), (40, 150));
    assert_eq!(
        (found.stations[2].stuck.as_slice(), found.stations[0].stuck.len()),
        (&["u".to_string()][..], 0)
    );
    assert_eq!(found.coverage.len(), 60);
    assert!(found.coverage.iter().any(|bin| bin.share == 0.75) && found.coverage[0].share == 1.0);
    assert!(serde_json::to_string(&found).unwrap().contains("\"longest_silence\":40"));
}

#[test]
fn tables_of_readings_are_told_from_sets_of_points() {
    let folder = tempfile::tempdir().unwrap();
    for (text, record) in [
        ("time,station,x,u\n0,a,1,2\n", true),
        ("time,x,u\n2019-03-01,1,2\n", true),
        ("time,x,variable,value\n0,1,u,2\n", true),
        ("t,x,u\n0,1,2\n", false),
        ("x,y,u\n0,1,2\n", false),
    ] {
        let path = folder.path().join("r.csv");
        std::fs::write(&path, text).unwrap();
        assert_eq!(Records::recognizes(&path), record, "{text}");
    }
}
