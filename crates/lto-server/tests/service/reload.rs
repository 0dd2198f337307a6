//! New weights without a pause, and old ones where the new are damaged.

use crate::client::Client;
use crate::model;
use lto_server::{Config, Guard, Source, Tokens};
use serde_json::{Value, json};

const ADMIN: [(&str, &str); 1] = [("authorization", "Bearer fedcba9876543210")];

#[tokio::test]
async fn a_reload_changes_what_is_predicted_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.safetensors");
    model::write(&file, 1, true, false);
    let tokens = Some(Tokens::parse("admin fedcba9876543210").unwrap());
    let models = vec![Source::parse(&file.display().to_string()).unwrap()];
    let client =
        Client::with(Config { models, guard: Guard { tokens, ..Guard::default() }, ..Config::default() });
    let post = |path: &'static str, body: Value| {
        let client = &client;
        async move { client.send("POST", path, &ADMIN, body.to_string()).await }
    };
    let readings = json!({"sensors": [0.1, 0.5], "values": [10.0, 11.0], "s": 0});
    let asked = json!({"sensors": [0.1, 0.5], "values": [10.0, 11.0], "s": 0, "times": [0.5], "query": {"grid": [6]}});
    let before = post("/v1/models/m/predict", asked.clone()).await.values();
    let state = post("/v1/models/m/encode", readings).await.json()["state"].clone();

    // A damaged file changes nothing.
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let refused = post("/v1/models/m/reload", Value::Null).await;
    assert_eq!((refused.status, refused.kind().as_str()), (409, "reload"));
    assert_eq!(post("/v1/models/m/predict", asked.clone()).await.values(), before);

    // Another density floor makes another prediction.
    model::write_with_floor(&file, 1, true, false, 0.5);
    assert_eq!(post("/v1/models/m/predict", asked.clone()).await.values(), before, "not asked to reload yet");
    let reloaded = post("/v1/models/m/reload", Value::Null).await;
    assert_eq!((reloaded.status, &reloaded.json()["name"]), (200, &json!("m")));
    assert_ne!(post("/v1/models/m/predict", asked).await.values(), before);
    // A state remembers the weights that encoded it.
    let decoded = json!({"state": state, "times": [0.5], "query": {"grid": [6]}});
    assert_eq!(post("/v1/models/m/decode", decoded).await.values(), before);

    std::fs::remove_file(&file).unwrap();
    client.service.reload_all();
    assert_eq!(client.send("GET", "/v1/models/m", &ADMIN, "").await.status, 200);
}
