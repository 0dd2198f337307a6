//! The description of the routes is true, and the documents name each.

use crate::client::Client;
use serde_json::Value;

#[tokio::test]
async fn every_route_is_described_and_documented() {
    let client = Client::new();
    let described = client.get("/openapi.json").await.json();
    assert_eq!(described["openapi"].as_str().unwrap().split('.').next(), Some("3"));
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() >= 17, "{}", paths.len());
    let document = include_str!("../../../../docs/server.md");
    for (path, methods) in paths {
        assert!(document.contains(path), "docs/server.md does not name {path}");
        for (method, operation) in methods.as_object().unwrap() {
            assert!(operation["summary"].is_string(), "{path} says nothing");
            // It exists: anything but "no route" and "method".
            // A stream would never end.
            let path = path.replace("{m}", "heat").replace("/stream", "/stream?leads=x");
            let answer = client.send(&method.to_uppercase(), &path, &[], "").await;
            assert_ne!(answer.status, 405, "{path}");
            if answer.status == 404 {
                assert!(answer.json()["error"]["kind"] != "no_route", "{path}");
            }
        }
    }
    // Every reference leads somewhere.
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    references(&described, &mut found);
    assert!(found.len() > 20);
    for reference in found {
        assert!(described.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
}

#[tokio::test]
async fn requests_are_counted_and_named() {
    let client = Client::new();
    let answer = client.send("GET", "/v1/models", &[("x-request-id", "mine")], "").await;
    assert_eq!(answer.headers["x-request-id"], "mine");
    let (one, two) = (client.get("/v1/models").await, client.get("/nothing").await);
    assert_ne!(one.headers["x-request-id"], two.headers["x-request-id"]);
    let text = String::from_utf8(client.get("/metrics").await.body.to_vec()).unwrap();
    for line in [
        "lto_request_seconds_count{route=\"/v1/models\",status=\"200\"} 2",
        "lto_request_seconds_count{route=\"other\",status=\"404\"} 1",
        "lto_requests_under_way 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}
