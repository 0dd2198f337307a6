//! A client of the router, without a network.

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request};
use lto_server::{Config, Guard, Limits, Service, Source};
use serde_json::{Value, json};
use std::path::Path;
use tower::ServiceExt;

/// A service and its router.
pub struct Client {
    pub service: Service,
    pub router: Router,
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {:?}", self.body))
    }

    /// The kind of an error.
    pub fn kind(&self) -> String {
        self.json()["error"]["kind"].as_str().unwrap_or_else(|| panic!("{:?}", self.body)).into()
    }

    /// The values of a field.
    pub fn values(&self) -> Vec<f64> {
        assert_eq!(self.status, 200, "{:?}", self.body);
        numbers(&self.json()["values"])
    }
}

/// An array of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

impl Client {
    /// Serves the embedded twin.
    pub fn new() -> Self {
        Self::with(Config::default())
    }

    pub fn with_limits(limits: Limits) -> Self {
        Self::with(Config { limits, ..Config::default() })
    }

    pub fn with_guard(guard: Guard) -> Self {
        Self::with(Config { guard, ..Config::default() })
    }

    /// Serves files, each under the name of its file.
    pub fn of_files(folder: &Path, names: &[&str]) -> Self {
        let source = |name: &&str| {
            let path = folder.join(format!("{name}.safetensors"));
            Source::parse(&format!("{name}={}", path.display())).unwrap()
        };
        Self::with(Config { models: names.iter().map(source).collect(), ..Config::default() })
    }

    pub fn with(config: Config) -> Self {
        let service = Service::new(Config { workers: Some(1), ..config }).unwrap();
        Self { router: lto_server::router(&service), service }
    }

    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], Body::empty()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[], body.to_string()).await
    }
}

/// A request to the embedded twin: four sensors, two times, a grid of 5 × 4.
pub fn request() -> Value {
    json!({
        "sensors": [[0.1, 0.2], [0.6, 0.3], [0.4, 0.8], [0.9, 0.9]],
        "values": [[0.3], [0.1], [0.5], [0.2]],
        "s": 0.0,
        "times": [0.004, 0.008],
        "query": {"grid": [5, 4]},
    })
}

/// A value with another field.
pub fn with(mut value: Value, field: &str, other: Value) -> Value {
    value[field] = other;
    value
}
