//! Readings come in, forecasts go out.

use crate::client::{Client, request, with};
use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use futures_util::StreamExt;
use lto_server::Limits;
use serde_json::{Value, json};
use tower::ServiceExt;

const STREAM: &str = "/v1/models/heat/forecast/stream";

/// An open stream of events.
struct Events {
    body: BodyDataStream,
    text: String,
}

impl Events {
    async fn open(client: &Client, query: &str) -> Self {
        let request = Request::get(format!("{STREAM}?{query}")).body(Body::empty()).unwrap();
        let response = client.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next event: its name and its data; `None` when the stream ends.
    async fn next(&mut self) -> Option<(String, Value)> {
        while !self.text.contains("\n\n") {
            let piece = self.body.next().await?.unwrap();
            self.text.push_str(std::str::from_utf8(&piece).unwrap());
        }
        let (event, rest) = self.text.split_once("\n\n").unwrap();
        let field =
            |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_string();
        let found = (field("event:"), serde_json::from_str(&field("data:")).unwrap());
        self.text = rest.to_string();
        Some(found)
    }
}

fn readings(time: f64) -> Value {
    json!({"time": time, "sensors": request()["sensors"], "values": request()["values"]})
}

#[tokio::test]
async fn each_new_time_is_forecast() {
    let client = Client::new();
    let mut events = Events::open(&client, "leads=0.004,0.008&grid=5x4").await;
    let kept = client.post("/v1/models/heat/observations", &readings(0.0)).await;
    assert_eq!(kept.json(), json!({"time": 0.0, "sensors": 4}));
    let (name, first) = events.next().await.unwrap();
    assert_eq!(
        (name.as_str(), &first["s"], &first["times"]),
        ("forecast", &json!(0.0), &json!([0.004, 0.008]))
    );
    assert_eq!(first["values"], client.post("/v1/models/heat/predict", &request()).await.json()["values"]);

    // Readings at the same time are added.
    let further = json!({"time": 0.0, "sensors": [[0.5, 0.5]], "values": [0.4]});
    assert_eq!(client.post("/v1/models/heat/observations", &further).await.json()["sensors"], 5);
    let (_, second) = events.next().await.unwrap();
    assert_ne!(second["values"], first["values"]);

    client.post("/v1/models/heat/observations", &readings(0.002)).await;
    assert_eq!(events.next().await.unwrap().1["times"], json!([0.006, 0.01]));
    let older = client.post("/v1/models/heat/observations", &readings(0.001)).await;
    assert_eq!((older.status, older.kind().as_str()), (409, "older"));
    // Later than the model knows.
    client.post("/v1/models/heat/observations", &readings(0.012)).await;
    let (name, problem) = events.next().await.unwrap();
    assert_eq!((name.as_str(), &problem["error"]["kind"]), ("problem", &json!("data")));

    // Whoever asks for it is told the readings.
    let mut told = Events::open(&client, "leads=0&grid=2x2&readings=true").await;
    let (_, with_readings) = told.next().await.unwrap();
    assert_eq!((&with_readings["s"], &with_readings["sensors"]), (&json!(0.012), &request()["sensors"]));
    assert_eq!(with_readings["readings"], request()["values"]);
    assert!(first.get("sensors").is_none());
    drop(told);

    // Whoever comes later begins with the newest.
    let mut late = Events::open(&client, "leads=0.001&grid=3x3").await;
    assert_eq!(late.next().await.unwrap().1["s"], json!(0.012));
    assert!(
        client.get("/metrics").await.status == 200
            && client.service.metrics_text().contains("lto_streams 2\n")
    );
    drop((events, late));
    assert!(client.service.metrics_text().contains("lto_streams 0\n"));
}

/// Of several readings that come while nobody looks, only the newest is forecast.
#[tokio::test]
async fn a_slow_reader_gets_the_newest() {
    let client = Client::new();
    let mut events = Events::open(&client, "leads=0.001&grid=3x3").await;
    for time in [0.0, 0.001, 0.002, 0.003] {
        client.post("/v1/models/heat/observations", &readings(time)).await;
    }
    assert_eq!(events.next().await.unwrap().1["s"], json!(0.003));
}

#[tokio::test]
async fn bad_readings_and_streams_are_refused() {
    let client = Client::with_limits(Limits { streams: 1, sensors: 4, ..Limits::default() });
    for (body, status) in [
        (with(readings(0.0), "values", json!([1e9, 0, 0, 0])), 422),
        (with(readings(0.0), "time", json!(7)), 422),
        (with(readings(0.0), "values", json!([[1, 2], [1, 2], [1, 2], [1, 2]])), 422),
        (with(readings(0.0), "force", json!(true)), 400),
    ] {
        assert_eq!(client.post("/v1/models/heat/observations", &body).await.status, status, "{body}");
    }
    assert_eq!(client.post("/v1/models/heat/observations", &readings(0.0)).await.status, 200);
    let fifth = json!({"time": 0.0, "sensors": [[0.5, 0.5]], "values": [0.4]});
    assert_eq!(client.post("/v1/models/heat/observations", &fifth).await.kind(), "too_many_sensors");
    for query in ["leads=x", "leads=0.001&grid=ax3", "lead=0.001", "leads=0.001&band=x"] {
        let refused = client.get(&format!("{STREAM}?{query}")).await;
        assert_eq!((refused.status, refused.kind().as_str()), (400, "query"), "{query}");
    }
    let open = Events::open(&client, "leads=0.001").await;
    let second = client.get(&format!("{STREAM}?leads=0.001")).await;
    assert_eq!((second.status, second.kind().as_str()), (503, "busy"));
    drop(open);
    let mut again = Events::open(&client, "leads=0.001&band=0.9").await;
    assert!(again.next().await.unwrap().1["lower"].is_array());
}
