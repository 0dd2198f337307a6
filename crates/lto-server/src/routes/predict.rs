//! The field from readings.

use super::Name;
use crate::compute;
use crate::error::{ErrorBody, Result};
use crate::limits::Limits;
use crate::served::Loaded;
use crate::service::Service;
use crate::wire::{FieldAnswer, Form, PredictRequest, parse};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

/// The field at any times and places, from sensors anywhere. `Accept` chooses JSON, `application/x-npy` or
/// `application/octet-stream` (float32, with the shape in the header `x-shape`).
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
    let limits = service.limits().clone();
    let work = move || predicted(&served.now(), parse(&body)?, &limits)?.into_answer(form);
    service.respond(service.quick(work).await?)
}

/// The field that a request asks for.
///
/// # Errors
/// Whatever the model or the limits refuse.
pub fn predicted(loaded: &Loaded, request: PredictRequest, limits: &Limits) -> Result<FieldAnswer> {
    let (card, tolerance) = (loaded.model.card(), request.tolerance());
    limits.check_sensors(request.sensors.n)?;
    let observed = compute::observations(card, request.sensors, &request.values, request.s, tolerance)?;
    let encoded = compute::encode(loaded, &observed, tolerance.force)?;
    let field = compute::field(&encoded, card, &request.times, request.query, request.band, limits)?;
    Ok(FieldAnswer { doubt: observed.doubt, ..field })
}
