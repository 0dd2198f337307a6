//! The Open Inference Protocol, with JSON and with binary tensors.

use crate::client::{Client, numbers, request};
use serde_json::{Value, json};

const INFER: &str = "/v2/models/heat/infer";

/// The points of the grid of [`request`].
fn query() -> Vec<f64> {
    (0..20).flat_map(|i| [f64::from(i / 4) / 5.0, f64::from(i % 4) / 4.0]).collect()
}

/// Name, shape and numbers of every tensor of [`request`].
fn tensors() -> Vec<(&'static str, Vec<usize>, Vec<f64>)> {
    let flat = |value: &Value| value.as_array().unwrap().iter().flat_map(numbers).collect::<Vec<f64>>();
    let request = request();
    vec![
        ("sensors", vec![4, 2], flat(&request["sensors"])),
        ("values", vec![4, 1], flat(&request["values"])),
        ("s", vec![1], vec![0.0]),
        ("times", vec![2], vec![0.004, 0.008]),
        ("query", vec![20, 2], query()),
    ]
}

#[tokio::test]
async fn the_service_and_its_models_describe_themselves() {
    let client = Client::new();
    let server = client.get("/v2").await.json();
    assert_eq!((&server["name"], &server["extensions"]), (&json!("lto"), &json!(["binary_tensor_data"])));
    assert_eq!(client.get("/v2/health/live").await.json(), json!({"live": true}));
    assert_eq!(client.get("/v2/health/ready").await.json(), json!({"ready": true}));
    for ready in
        ["/v2/", "/v2/models/heat/ready", "/v2/models/heat/versions/1/ready", "/v2/models/heat/versions/1"]
    {
        assert_eq!(client.get(ready).await.status, 200, "{ready}");
    }
    assert_eq!(client.get("/v2/models/heat/versions/2").await.status, 404);
    let model = client.get("/v2/models/heat").await.json();
    assert_eq!(model["inputs"][0], json!({"name": "sensors", "datatype": "FP64", "shape": [-1, 2]}));
    assert_eq!(model["outputs"], json!([{"name": "field", "datatype": "FP32", "shape": [-1, 1, -1]}]));
    let lost = client.get("/v2/models/none").await;
    assert!(lost.status == 404 && lost.json()["error"].as_str().unwrap().contains("none"));
}

#[tokio::test]
async fn tensors_in_json_and_in_binary_give_the_same_field() {
    let client = Client::new();
    let wanted: Vec<f32> =
        client.post("/v1/models/heat/predict", &request()).await.values().iter().map(|&x| x as f32).collect();
    let inputs: Vec<Value> = tensors()
        .into_iter()
        .map(|(name, shape, data)| json!({"name": name, "shape": shape, "datatype": "FP64", "data": data}))
        .collect();
    let answer = client.post("/v2/models/heat/versions/1/infer", &json!({"id": "7", "inputs": inputs})).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let answer = answer.json();
    let field = &answer["outputs"][0];
    assert_eq!(
        (&answer["id"], &answer["model_name"], &field["shape"]),
        (&json!("7"), &json!("heat"), &json!([2, 1, 20]))
    );
    let got: Vec<f32> = numbers(&field["data"]).iter().map(|&x| x as f32).collect();
    // The grid is decoded along its axes there, point by point here.
    for (got, wanted) in got.iter().zip(&wanted) {
        assert!((got - wanted).abs() < 1e-5, "{got} {wanted}");
    }

    let mut binary = Vec::new();
    let described: Vec<Value> = tensors()
        .into_iter()
        .map(|(name, shape, data)| {
            let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_le_bytes()).collect();
            binary.extend(&bytes);
            let parameters = json!({"binary_data_size": bytes.len()});
            json!({"name": name, "shape": shape, "datatype": "FP64", "parameters": parameters})
        })
        .collect();
    let outputs = json!([{"name": "field", "parameters": {"binary_data": true}}]);
    for wish in [
        json!({"inputs": described, "outputs": outputs}),
        json!({"inputs": described, "parameters": {"binary_data_output": true}}),
    ] {
        let header = wish.to_string();
        let length = header.len().to_string();
        let body = [header.as_bytes(), &binary].concat();
        let answer = client.send("POST", INFER, &[("inference-header-content-length", &length)], body).await;
        assert_eq!(
            (answer.status, &answer.headers["content-type"]),
            (200, &"application/octet-stream".parse().unwrap())
        );
        let at: usize = answer.headers["inference-header-content-length"].to_str().unwrap().parse().unwrap();
        let json: Value = serde_json::from_slice(&answer.body[..at]).unwrap();
        assert_eq!(json["outputs"][0]["parameters"]["binary_data_size"], 160);
        let numbers: Vec<f32> =
            answer.body[at..].as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        assert_eq!(numbers, got);
    }
}

#[tokio::test]
async fn wrong_tensors_are_refused_in_the_protocols_words() {
    let client = Client::new();
    let input = |name: &str, shape: Value, data: Value| json!({"name": name, "shape": shape, "datatype": "FP64", "data": data});
    let sensors = input("sensors", json!([1, 2]), json!([0.1, 0.2]));
    for (inputs, told) in [
        (json!([]), "sensors is missing"),
        (json!([sensors]), "values is missing"),
        (json!([sensors, sensors]), "is given twice"),
        (
            json!([
                sensors,
                input("values", json!([1]), json!([0.1])),
                input("more", json!([1]), json!([1]))
            ]),
            "no input",
        ),
        (json!([input("sensors", json!([9]), json!([0.1, 0.2]))]), "has 2 numbers"),
    ] {
        let answer = client.post(INFER, &json!({"inputs": inputs})).await;
        let text = answer.json()["error"].as_str().unwrap().to_string();
        assert!(answer.status == 400 && text.contains(told), "{} {text}", answer.status);
    }
    let other = json!({"inputs": [sensors], "outputs": [{"name": "other"}]});
    assert!(client.post(INFER, &other).await.json()["error"].as_str().unwrap().contains("no output"));
    let (values, late) = (input("values", json!([1]), json!([0.1])), input("times", json!([1]), json!([9])));
    let s = input("s", json!([1]), json!([0]));
    let answer = client.post(INFER, &json!({"inputs": [sensors, values, late, s]})).await;
    assert_eq!(answer.status, 422, "{:?}", answer.body);
}
