//! Every limit is a clear refusal that names it.

use crate::client::{Client, request, with};
use axum::body::Body;
use futures_util::stream;
use lto_server::Limits;
use serde_json::{Value, json};

const PREDICT: &str = "/v1/models/heat/predict";

async fn refused(limits: Limits, body: &Value) -> (u16, String, Option<u64>) {
    let answer = Client::with_limits(limits).post(PREDICT, body).await;
    (answer.status, answer.kind(), answer.json()["error"]["limit"].as_u64())
}

#[tokio::test]
async fn sizes_are_limited() {
    let usual = Limits::default;
    for (limits, kind, limit) in [
        (Limits { sensors: 3, ..usual() }, "too_many_sensors", 3),
        (Limits { points: 19, ..usual() }, "too_many_points", 19),
        (Limits { times: 1, ..usual() }, "too_many_times", 1),
        (Limits { values: 39, ..usual() }, "too_many_values", 39),
        (Limits { steps: 7, ..usual() }, "too_many_steps", 7),
        (Limits { body_kb: 0, ..usual() }, "body", 0),
    ] {
        assert_eq!(refused(limits, &request()).await, (413, kind.into(), Some(limit)));
    }
    // A grid whose size overflows is only too large.
    let absurd = with(request(), "query", json!({"grid": [u64::MAX, u64::MAX]}));
    assert_eq!(refused(usual(), &absurd).await, (413, "too_many_points".into(), Some(1_048_576)));
    let exact = Limits { sensors: 4, points: 20, times: 2, values: 40, steps: 8, body_kb: 1, ..usual() };
    assert_eq!(Client::with_limits(exact).post(PREDICT, &request()).await.status, 200);
    // A body of unknown length is limited while it is read.
    let client = Client::with_limits(Limits { body_kb: 1, ..usual() });
    let pieces = stream::iter((0..100).map(|_| Ok::<_, std::io::Error>(vec![b' '; 100])));
    let endless = client.send("POST", PREDICT, &[], Body::from_stream(pieces)).await;
    assert_eq!((endless.status, endless.kind().as_str()), (413, "body"));
}

#[tokio::test]
async fn studies_are_limited() {
    let client = Client::with_limits(Limits { study_sensors: 5, ..Limits::default() });
    let sensors = request()["sensors"].clone();
    let design = json!({"sensors": sensors, "n": 2});
    assert_eq!(client.post("/v1/models/heat/design", &design).await.kind(), "too_many_sensors");
    let design = json!({"sensors": sensors, "n": u64::MAX});
    assert_eq!(client.post("/v1/models/heat/design", &design).await.status, 413);
    let six: Vec<[f64; 2]> = (0..6).map(|i| [f64::from(i) / 6.0, 0.5]).collect();
    let certify = json!({"sensors": six, "curvature": 30});
    assert_eq!(client.post("/v1/models/heat/certify", &certify).await.kind(), "too_many_sensors");
}

#[tokio::test]
async fn what_does_not_fit_now_is_busy() {
    let full = Client::with_limits(Limits { waiting: 0, ..Limits::default() });
    let busy = full.post(PREDICT, &request()).await;
    assert_eq!(
        (busy.status, busy.kind().as_str(), &busy.headers["retry-after"]),
        (503, "busy", &"1".parse().unwrap())
    );
    // Signs of life need no processor.
    assert_eq!(full.get("/v2/health/live").await.status, 200);
    let poor = Client::with_limits(Limits { memory_mb: 0, ..Limits::default() });
    let answer = poor.post(PREDICT, &request()).await;
    assert_eq!(answer.status, 503, "{:?}", answer.body);
}

#[tokio::test]
async fn a_request_that_takes_too_long_ends() {
    let hasty = Client::with_limits(Limits { seconds: 1, ..Limits::default() });
    let pending = Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let begun = std::time::Instant::now();
    let answer = hasty.send("POST", PREDICT, &[], pending).await;
    assert_eq!((answer.status, answer.kind().as_str()), (408, "timeout"));
    assert!(begun.elapsed().as_secs() < 10);
    // Nothing of it is left.
    assert!(
        hasty.service.metrics_text().contains("lto_budget_used_bytes 0\n"),
        "{}",
        hasty.service.metrics_text()
    );
}

#[tokio::test]
async fn states_expire() {
    let client = Client::with_limits(Limits { state_seconds: 0, ..Limits::default() });
    let readings = json!({"sensors": request()["sensors"], "values": request()["values"], "s": 0.0});
    let kept = client.post("/v1/models/heat/encode", &readings).await.json();
    let asked = json!({"state": kept["state"], "times": [0.004]});
    assert_eq!(client.post("/v1/models/heat/decode", &asked).await.kind(), "no_state");
}
