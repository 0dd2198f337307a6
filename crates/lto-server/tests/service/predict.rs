//! Predictions are those of the library, in every form and by every way.

use crate::client::{Client, numbers, request, with};
use crate::model;
use lto::Model;
use lto_numerics::dataset::Context;
use lto_numerics::{Points, resample};
use serde_json::{Value, json};
use std::sync::Arc;

const PREDICT: &str = "/v1/models/heat/predict";

/// What the library says to [`request`], at points or on the grid.
fn expected(points: Option<Vec<f64>>) -> Vec<f64> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/twin/model.safetensors");
    let model = Model::load(file).unwrap();
    let problem = &model.card().problem;
    let sensors = vec![0.1, 0.2, 0.6, 0.3, 0.4, 0.8, 0.9, 0.9];
    let points = match points {
        Some(points) => Points::scattered(problem.domain.clone(), points).unwrap(),
        None => Points::grid(problem.query_grid(&[5, 4]).unwrap()),
    };
    let context = Context {
        points: Points::scattered(problem.domain.clone(), sensors).unwrap(),
        n_channels: 1,
        values: vec![0.3, 0.1, 0.5, 0.2],
        deviations: None,
    };
    model.predict(&context, 0.0, &[0.004, 0.008], &Arc::new(points)).unwrap().values
}

#[tokio::test]
async fn a_prediction_is_the_librarys_in_every_form() {
    let client = Client::new();
    let json = client.post(PREDICT, &request()).await;
    let wanted = expected(None);
    assert_eq!(json.values(), wanted);
    let body = json.json();
    assert_eq!((&body["shape"], &body["times"]), (&json!([2, 1, 5, 4]), &json!([0.004, 0.008])));
    assert_eq!(body["ways"].as_array().unwrap().len(), 2);
    assert!(body.get("lower").is_none() && body.get("doubt").is_none());

    let octets =
        client.send("POST", PREDICT, &[("accept", "application/octet-stream")], request().to_string()).await;
    assert_eq!(octets.headers["x-shape"], "2,1,5,4");
    let bytes: Vec<u8> = wanted.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    assert_eq!(octets.body, bytes);

    let npy = client.send("POST", PREDICT, &[("accept", "application/x-npy")], request().to_string()).await;
    assert_eq!(npy.headers["content-type"], "application/x-npy");
    assert!(npy.body.starts_with(b"\x93NUMPY") && npy.body[..128].windows(12).any(|w| w == b"(2, 1, 5, 4)"));
    assert!(npy.body.ends_with(&wanted.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()));

    let points = json!([[0.25, 0.5], [0.7, 0.1], [0.0, 0.99]]);
    let asked = with(request(), "query", json!({"points": points}));
    let there = client.post(PREDICT, &asked).await;
    assert_eq!(there.json()["shape"], json!([2, 1, 3]));
    assert_eq!(there.values(), expected(Some(vec![0.25, 0.5, 0.7, 0.1, 0.0, 0.99])));
    let training_grid = client.post(PREDICT, &with(request(), "query", Value::Null)).await;
    assert_eq!(training_grid.json()["shape"], json!([2, 1, 64, 64]));
}

#[tokio::test]
async fn a_state_is_decoded_as_it_was_predicted() {
    let client = Client::new();
    let readings = json!({"sensors": request()["sensors"], "values": request()["values"], "s": 0.0});
    let kept = client.post("/v1/models/heat/encode", &readings).await.json();
    assert_eq!(kept["expires_in"], 600);
    let asked = json!({"state": kept["state"], "times": [0.004, 0.008], "query": {"grid": [5, 4]}});
    for _ in 0..2 {
        assert_eq!(client.post("/v1/models/heat/decode", &asked).await.values(), expected(None));
    }
    let gone = client.post("/v1/models/heat/decode", &with(asked, "state", json!("0123"))).await;
    assert_eq!((gone.status, gone.kind().as_str()), (404, "no_state"));
}

#[tokio::test]
async fn what_a_model_does_not_take_is_refused_with_the_remedy() {
    let client = Client::new();
    for (field, value, told) in [
        ("sensors", json!([[0.1, 0.2]]), "there are 1 sensors and 4 rows of values"),
        ("sensors", json!([[0.1], [0.6], [0.4], [0.9]]), "must have 2: one for each axis"),
        ("sensors", json!([[0.1, 0.2], [0.1, 0.2], [0.4, 0.8], [0.9, 0.9]]), "merge_duplicates"),
        ("values", json!([[0.3, 1], [0.1, 1], [0.5, 1], [0.2, 1]]), "one for each source channel"),
        ("values", json!([[0.3], [null], [0.5], [0.2]]), "skip_missing"),
        ("values", json!([[0.3], [1e6], [0.5], [0.2]]), "\"force\": true"),
        ("times", json!([0.5]), "\"force\": true"),
        ("times", json!([]), "times is missing"),
        ("s", Value::Null, "s is missing"),
        ("s", json!(0.006), "forward in time"),
        ("query", json!({"grid": [5, 4, 3]}), "2 axes"),
        ("query", json!({"grid": [5, 0]}), ""),
        ("query", json!({"grid": []}), "2 axes"),
        ("query", json!({"points": []}), "empty"),
        ("query", json!({"points": [[0.5, 0.5], [2.5, 0.5]]}), "outside the domain"),
        ("band", json!(1.5), ""),
    ] {
        let refused = client.post(PREDICT, &with(request(), field, value.clone())).await;
        let text = String::from_utf8_lossy(&refused.body).replace("\\\"", "\"");
        assert!(refused.status == 422 && text.contains(told), "{field} = {value}: {} {text}", refused.status);
    }
    let none = json!({"sensors": [], "values": [], "s": 0, "times": [0.004]});
    assert_eq!(client.post(PREDICT, &none).await.status, 422);
    for (body, told) in [
        ("", "EOF"),
        ("[1]", "invalid type"),
        (r#"{"sensors": [[0, 0]], "values": [[1]], "grid": 3}"#, "unknown field `grid`"),
        (r#"{"values": [[1]]}"#, "missing field `sensors`"),
        (r#"{"sensors": [[0, 0], [1]], "values": [[1]]}"#, "row 1 has 1 numbers"),
    ] {
        let refused = client.send("POST", PREDICT, &[], body.to_string()).await;
        assert_eq!((refused.status, refused.kind().as_str()), (400, "json"), "{body}");
        assert!(String::from_utf8_lossy(&refused.body).contains(told), "{:?}", refused.body);
    }
    let lost = client.post("/v1/models/none/predict", &request()).await;
    assert_eq!((lost.status, lost.kind().as_str()), (404, "no_model"));
}

#[tokio::test]
async fn what_is_tolerated_is_accepted_when_asked() {
    let client = Client::new();
    let missing = with(request(), "values", json!([0.3, null, 0.5, 0.2]));
    let skipped = client.post(PREDICT, &with(missing, "skip_missing", json!(true))).await.values();
    let mut fewer = request();
    fewer["sensors"].as_array_mut().unwrap().remove(1);
    fewer["values"].as_array_mut().unwrap().remove(1);
    assert_eq!(skipped, client.post(PREDICT, &fewer).await.values());
    let far = with(with(request(), "values", json!([0.3, 1e3, 0.5, 0.2])), "force", json!(true));
    let doubted = client.post(PREDICT, &far).await;
    assert!(
        doubted.status == 200 && doubted.json()["doubt"].as_str().unwrap().contains("far from"),
        "{:?}",
        doubted.body
    );
    let later = with(with(request(), "times", json!([0.02])), "force", json!(true));
    assert_eq!(client.post(PREDICT, &later).await.status, 200);
}

#[tokio::test]
async fn steady_and_one_dimensional_models_are_served_alike() {
    let folder = tempfile::tempdir().unwrap();
    model::write(&folder.path().join("line.safetensors"), 1, true, false);
    model::write(&folder.path().join("still.safetensors"), 2, false, true);
    let client = Client::of_files(folder.path(), &["line", "still"]);
    let listed = client.get("/v1/models").await.json();
    let (line, still) = (&listed["models"][0], &listed["models"][1]);
    assert_eq!(
        (&line["name"], &line["dimension"], &line["axes"]),
        (&json!("line"), &json!(1), &json!(["x"]))
    );
    assert_eq!(line["times"], json!({"start": 0.0, "end": 1.0, "native_interval": 0.25}));
    assert_eq!(
        (&still["times"], &still["example"], &still["truth"]),
        (&Value::Null, &Value::Null, &json!(false))
    );
    assert_eq!(still["domain"]["periodic"], json!([false, false]));
    let nested = json!({"sensors": [[0.1], [0.5]], "values": [[10.0], [11.0]], "s": 0, "times": [0.5], "query": {"grid": [6]}});
    let flat = json!({"sensors": [0.1, 0.5], "values": [10.0, 11.0], "s": 0, "times": [0.5], "query": {"grid": [6]}});
    let (nested, flat) = (
        client.post("/v1/models/line/predict", &nested).await,
        client.post("/v1/models/line/predict", &flat).await,
    );
    assert_eq!(nested.json()["shape"], json!([1, 1, 6]));
    assert_eq!(nested.values(), flat.values());
    let still =
        json!({"sensors": [[0.1, 0.1], [0.5, 0.9]], "values": [10.0, 11.0], "query": {"grid": [3, 2]}});
    let answer = client.post("/v1/models/still/predict", &still).await;
    assert_eq!((&answer.json()["shape"], answer.values().len()), (&json!([1, 1, 3, 2]), 6));
    let outside = with(still.clone(), "sensors", json!([[0.1, 0.1], [0.5, 1.9]]));
    let answer = client.post("/v1/models/still/predict", &outside).await;
    assert!(answer.status == 422 && String::from_utf8_lossy(&answer.body).contains("outside the domain"));
    let timed = client.post("/v1/models/still/predict", &with(still.clone(), "times", json!([1]))).await;
    assert_eq!(timed.status, 422);
    let banded = client.post("/v1/models/still/predict", &with(still, "band", json!(0.9))).await;
    assert_eq!((banded.status, banded.kind().as_str()), (422, "no_band"));
    assert_eq!(client.get("/v1/models/still/truth?grid=3x2").await.kind(), "no_truth");
}

/// The example lies on the truth, and the truth's later states are those of the equation: less rough than before.
#[tokio::test]
async fn the_example_is_a_state_of_the_truth() {
    let client = Client::new();
    let summary = client.get("/v1/models/heat").await.json();
    assert!(summary["truth"] == true && summary["card"]["parameters"]["total"] == summary["parameters"]);
    let truth = client.get("/v1/models/heat/truth?times=0,0.0085&grid=64x64").await;
    assert_eq!(truth.json()["shape"], json!([2, 1, 64, 64]));
    let values = truth.values();
    let problem = Model::load(concat!(env!("CARGO_MANIFEST_DIR"), "/twin/model.safetensors")).unwrap();
    let grid = Arc::new(problem.card().problem.query_grid(&[64]).unwrap());
    let field = lto_numerics::Field::new(grid, 1, values[..4096].to_vec()).unwrap();
    let example = &summary["example"];
    let places: Vec<f64> = example["sensors"].as_array().unwrap().iter().flat_map(numbers).collect();
    let readings: Vec<f64> = example["values"].as_array().unwrap().iter().flat_map(numbers).collect();
    let points = Points::scattered(problem.card().problem.domain.clone(), places).unwrap();
    for (read, true_value) in readings.iter().zip(resample::at_points(&field, &points)) {
        assert!((read - true_value).abs() < 1e-6);
    }
    let spread = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    assert!(spread(&values[4096..]) < 0.9 * spread(&values[..4096]));
    for (query, status) in
        [("times=0&grid=axb", 400), ("times=x", 400), ("grid=4x4", 400), ("times=9", 422), ("time=0", 400)]
    {
        assert_eq!(client.get(&format!("/v1/models/heat/truth?{query}")).await.status, status, "{query}");
    }
}

/// A band of 90 % holds most of the truth, a wider one more; a state gives the same bands as a prediction.
#[tokio::test]
async fn bands_hold_the_truth() {
    let client = Client::new();
    let summary = client.get("/v1/models/heat").await.json();
    assert_eq!(summary["bands"], true);
    let readings = &summary["example"];
    let truth = client.get("/v1/models/heat/truth?times=0.004,0.008&grid=32x32").await.values();
    let mut asked = json!({"times": [0.004, 0.008], "query": {"grid": [32, 32]}});
    for field in ["sensors", "values", "s"] {
        asked[field] = readings[field].clone();
    }
    let plain = client.post(PREDICT, &asked).await.values();
    let mut held = Vec::new();
    for level in [0.5, 0.9] {
        let asked = with(asked.clone(), "band", json!(level));
        let answer = client.post(PREDICT, &asked).await;
        assert_eq!(answer.values(), plain);
        let (lower, upper) = (numbers(&answer.json()["lower"]), numbers(&answer.json()["upper"]));
        assert!(lower.len() == plain.len() && upper.len() == plain.len());
        let within = |i: &usize| (lower[*i]..=upper[*i]).contains(&truth[*i]);
        held.push((0..truth.len()).filter(within).count() as f64 / truth.len() as f64);

        let octets =
            client.send("POST", PREDICT, &[("accept", "application/octet-stream")], asked.to_string()).await;
        assert_eq!(
            (&octets.headers["x-shape"], octets.body.len()),
            (&"3,2,1,32,32".parse().unwrap(), 4 * 3 * 2048)
        );
        let state = client.post("/v1/models/heat/encode", readings).await.json();
        let decode =
            json!({"state": state["state"], "times": asked["times"], "query": asked["query"], "band": level});
        assert_eq!(
            client.post("/v1/models/heat/decode", &decode).await.json()["upper"],
            answer.json()["upper"]
        );
    }
    assert!(held[0] < held[1] && held[1] > 0.8, "{held:?}");
}

/// Many requests at once to one worker, some of them bad: everybody gets what it gets alone.
#[tokio::test]
async fn requests_that_wait_together_get_what_each_gets_alone() {
    let client = Client::new();
    let asked = |i: usize| {
        let mut asked = with(request(), "values", json!([[0.3], [0.1 * i as f64], [0.5], [0.2]]));
        match i % 6 {
            // At one time instead of two, at other points, before the readings, with a value missing, with a band.
            1 => asked["times"] = json!([0.0005 * i as f64]),
            2 => asked["query"] = json!({"points": [[0.1, 0.1 * i as f64 % 1.0]]}),
            3 => asked["s"] = json!(0.006),
            4 => asked["values"][1] = json!(null),
            5 => asked["band"] = json!(0.9),
            _ => {}
        }
        asked
    };
    let mut alone = Vec::new();
    for i in 0..24 {
        let answer = client.post(PREDICT, &asked(i)).await;
        alone.push((answer.status, answer.body));
    }
    assert!(alone.iter().filter(|(status, _)| *status == 200).count() == 16);
    let all = (0..24).map(|i| {
        let client = &client;
        async move {
            let answer = client.post(PREDICT, &asked(i)).await;
            (answer.status, answer.body)
        }
    });
    assert_eq!(futures_util::future::join_all(all).await, alone);
}
