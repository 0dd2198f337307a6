//! The Open Inference Protocol, version 2: what other serving systems and their clients speak.

mod tensor;

use super::Name;
use crate::error::{Error, ProtocolErrorBody, Result};
use crate::service::Service;
use crate::wire::{Answer, FieldAnswer, PredictRequest, Query, Rows};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use tensor::{Input, Inputs, Output, split};
use utoipa::ToSchema;

/// The header with the length of the JSON before binary tensors.
const HEADER_LENGTH: &str = "inference-header-content-length";
/// The only version of a model.
const VERSION: &str = "1";
/// What the result is called.
const FIELD: &str = "field";

/// The service.
#[derive(Serialize, ToSchema)]
pub struct ServerMetadata {
    name: &'static str,
    version: &'static str,
    extensions: Vec<&'static str>,
}

/// Whether the service lives.
#[derive(Serialize, ToSchema)]
pub struct Live {
    live: bool,
}

/// Whether it is ready.
#[derive(Serialize, ToSchema)]
pub struct Ready {
    ready: bool,
}

/// Whether a model is ready.
#[derive(Serialize, ToSchema)]
pub struct ModelReady {
    name: String,
    ready: bool,
}

/// A model and its tensors.
#[derive(Serialize, ToSchema)]
pub struct ModelMetadata {
    name: String,
    versions: Vec<&'static str>,
    platform: &'static str,
    inputs: Vec<TensorMetadata>,
    outputs: Vec<TensorMetadata>,
}

/// A tensor; −1 is any size.
#[derive(Serialize, ToSchema)]
pub struct TensorMetadata {
    name: &'static str,
    datatype: &'static str,
    shape: Vec<i64>,
}

/// Tensors in.
#[derive(Deserialize, ToSchema)]
pub struct InferRequest {
    /// Given back with the answer.
    id: Option<String>,
    /// `force`, `skip_missing` and `merge_duplicates`, as for `predict`.
    #[serde(default)]
    parameters: Parameters,
    /// `sensors`, `values`, `s`, `times`, `query`.
    inputs: Vec<Input>,
    /// `field`, in binary or not.
    #[serde(default)]
    outputs: Vec<OutputWish>,
}

/// What is tolerated, and the form of the answer.
#[derive(Default, Deserialize, ToSchema)]
pub struct Parameters {
    #[serde(default)]
    force: bool,
    #[serde(default)]
    skip_missing: bool,
    #[serde(default)]
    merge_duplicates: bool,
    #[serde(default)]
    binary_data_output: bool,
}

/// A tensor that is wanted.
#[derive(Deserialize, ToSchema)]
pub struct OutputWish {
    name: String,
    #[serde(default)]
    parameters: OutputParameters,
}

/// How it is wanted.
#[derive(Default, Deserialize, ToSchema)]
pub struct OutputParameters {
    binary_data: Option<bool>,
}

/// Tensors out.
#[derive(Serialize, ToSchema)]
pub struct InferResponse {
    model_name: String,
    model_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    outputs: Vec<Output>,
}

/// The same routes where a version is named, of which there is one; and with the slash that the protocol's description has.
pub fn versioned() -> Router<Service> {
    type Versioned = Path<(String, String)>;
    let known = |version: &str| match version {
        VERSION => Ok(()),
        other => Err(Error::missing("no_model", format!("there is no version {other:?}, only {VERSION}"))),
    };
    Router::new()
        .route("/v2/", get(server))
        .route(
            "/v2/models/{m}/versions/{v}",
            get(move |service: State<Service>, Path((name, version)): Versioned| async move {
                known(&version)?;
                model(service, Name(name)).await
            }),
        )
        .route(
            "/v2/models/{m}/versions/{v}/ready",
            get(move |service: State<Service>, Path((name, version)): Versioned| async move {
                known(&version)?;
                model_ready(service, Name(name)).await
            }),
        )
        .route(
            "/v2/models/{m}/versions/{v}/infer",
            post(
                move |service: State<Service>,
                      Path((name, version)): Versioned,
                      headers: HeaderMap,
                      body: Bytes| async move {
                    known(&version)?;
                    infer(service, Name(name), headers, body).await
                },
            ),
        )
}

/// What the service is.
#[utoipa::path(get, path = "/v2", responses((status = 200, body = ServerMetadata), (status = "4XX", body = ProtocolErrorBody)))]
pub async fn server(State(service): State<Service>) -> Result<Response> {
    let (version, extensions) = (env!("CARGO_PKG_VERSION"), vec!["binary_tensor_data"]);
    service.respond(Answer::json(&ServerMetadata { name: "lto", version, extensions })?)
}

/// Whether the service lives.
#[utoipa::path(get, path = "/v2/health/live", responses((status = 200, body = Live)))]
pub async fn live(State(service): State<Service>) -> Result<Response> {
    service.respond(Answer::json(&Live { live: true })?)
}

/// Whether the service takes requests.
#[utoipa::path(get, path = "/v2/health/ready", responses((status = 200, body = Ready), (status = 503, body = ProtocolErrorBody)))]
pub async fn ready(State(service): State<Service>) -> Result<Response> {
    if *service.stopping().borrow() {
        return Err(Error::stopping());
    }
    service.respond(Answer::json(&Ready { ready: true })?)
}

/// A model and its tensors.
#[utoipa::path(
    get, path = "/v2/models/{m}", params(("m" = String, Path, description = "the model's name")),
    responses((status = 200, body = ModelMetadata), (status = "4XX", body = ProtocolErrorBody)),
)]
pub async fn model(State(service): State<Service>, Name(name): Name) -> Result<Response> {
    let loaded = service.model(&name)?.now();
    let problem = &loaded.model.card().problem;
    let (dim, p, q) =
        (problem.domain.dim() as i64, problem.source_channels as i64, problem.target_channels as i64);
    let input = |name, shape| TensorMetadata { name, datatype: "FP64", shape };
    let mut inputs =
        vec![input("sensors", vec![-1, dim]), input("values", vec![-1, p]), input("query", vec![-1, dim])];
    if problem.times.is_some() {
        inputs.extend([input("s", vec![1]), input("times", vec![-1])]);
    }
    let outputs = vec![TensorMetadata { name: FIELD, datatype: "FP32", shape: vec![-1, q, -1] }];
    service.respond(Answer::json(&ModelMetadata {
        name,
        versions: vec![VERSION],
        platform: "lto",
        inputs,
        outputs,
    })?)
}

/// Whether a model takes requests.
#[utoipa::path(
    get, path = "/v2/models/{m}/ready", params(("m" = String, Path, description = "the model's name")),
    responses((status = 200, body = ModelReady), (status = "4XX", body = ProtocolErrorBody)),
)]
pub async fn model_ready(State(service): State<Service>, Name(name): Name) -> Result<Response> {
    service.model(&name)?;
    service.respond(Answer::json(&ModelReady { name, ready: true })?)
}

/// The field from tensors, as JSON or with binary data after it.
#[utoipa::path(
    post, path = "/v2/models/{m}/infer", params(("m" = String, Path, description = "the model's name")),
    request_body = InferRequest,
    responses(
        (status = 200, body = InferResponse), (status = "4XX", body = ProtocolErrorBody),
        (status = 503, body = ProtocolErrorBody),
    ),
)]
pub async fn infer(
    State(service): State<Service>,
    Name(name): Name,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response> {
    let served = service.model(&name)?;
    let length = headers.get(HEADER_LENGTH).map(|value| value.to_str().unwrap_or_default().to_string());
    let read = move || {
        let (request, binary): (InferRequest, _) = split(&body, length.as_deref())?;
        let InferRequest { id, parameters, inputs, outputs } = request;
        if let Some(unknown) = outputs.iter().find(|wish| wish.name != FIELD) {
            return Err(Error::malformed(
                "tensor",
                format!("there is no output {:?}, only {FIELD}", unknown.name),
            ));
        }
        let wish = outputs.first().and_then(|wish| wish.parameters.binary_data);
        let in_binary = wish.unwrap_or(parameters.binary_data_output);
        Ok((request_of(Inputs::read(inputs, binary)?, &parameters)?, (id, in_binary)))
    };
    let write = move |field: FieldAnswer, (id, in_binary): (Option<String>, bool)| {
        // Grids are flat here: [T, C, M].
        let (leading, points) = field.shape.split_at(2);
        let shape = [leading, &[points.iter().product()]].concat();
        let (output, bytes) = Output::new(FIELD, shape, field.values, in_binary);
        let response = InferResponse { model_name: name, model_version: VERSION, id, outputs: vec![output] };
        let mut answer = Answer::json(&response)?;
        let header = answer.bytes.len();
        answer.bytes.extend(bytes);
        Ok((answer, in_binary.then_some(header)))
    };
    let (mut answer, header) = service.predict(served, read, write).await?;
    if header.is_some() {
        answer.content_type = "application/octet-stream";
    }
    let mut response = service.respond(answer)?;
    if let Some(header) = header {
        response.headers_mut().insert(HEADER_LENGTH, HeaderValue::from(header));
    }
    Ok(response)
}

/// The tensors as a request to predict.
fn request_of(mut inputs: Inputs, parameters: &Parameters) -> Result<PredictRequest> {
    let rows = |(numbers, width): (Vec<f64>, usize)| Rows::new(numbers, width);
    let request = PredictRequest {
        sensors: rows(inputs.required("sensors")?),
        values: rows(inputs.required("values")?),
        s: inputs.optional("s").and_then(|(numbers, _)| numbers.first().copied()),
        times: inputs.optional("times").map(|(numbers, _)| numbers).unwrap_or_default(),
        query: inputs.optional("query").map(|found| Query::Points(rows(found))),
        band: None,
        force: parameters.force,
        skip_missing: parameters.skip_missing,
        merge_duplicates: parameters.merge_duplicates,
    };
    inputs.nothing_left()?;
    Ok(request)
}
