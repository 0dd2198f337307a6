//! The field from readings.

use super::Name;
use crate::error::{ErrorBody, Result};
use crate::service::Service;
use crate::wire::{FieldAnswer, Form, PredictRequest, parse};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

/// The field at any times and places, from sensors anywhere. `Accept` chooses JSON, `application/x-npy`,
/// `application/octet-stream` (float32, with the shape in the header `x-shape`) or `application/vnd.apache.arrow.stream`.
#[utoipa::path(
    post, path = "/v1/models/{m}/predict", params(("m" = String, Path, description = "the model's name")),
    request_body = PredictRequest,
    responses((status = 200, body = FieldAnswer), (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody)),
)]
pub async fn predict(
    State(service): State<Service>,
    Name(name): Name,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response> {
    let (served, form) = (service.model(&name)?, Form::of(&headers));
    let read = move || Ok((parse(&body)?, form));
    let answer = service.predict(served, read, FieldAnswer::into_answer).await?;
    service.respond(answer)
}
