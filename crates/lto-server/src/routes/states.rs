//! Readings encoded once, decoded often.

use super::Name;
use crate::compute::{self, Wanted};
use crate::error::{Error, ErrorBody, Result};
use crate::service::Service;
use crate::wire::{Answer, DecodeRequest, EncodeRequest, FieldAnswer, Form, parse};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

/// A state that is kept.
#[derive(Serialize, ToSchema)]
pub struct Kept {
    /// Its name, for `decode`.
    state: String,
    /// Seconds it is kept without being used.
    expires_in: u64,
    /// What is wrong with readings that were accepted anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
}

/// Encodes readings and keeps the state for `decode`.
#[utoipa::path(
    post, path = "/v1/models/{m}/encode", params(("m" = String, Path, description = "the model's name")),
    request_body = EncodeRequest,
    responses((status = 200, body = Kept), (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody)),
)]
pub async fn encode(State(service): State<Service>, Name(name): Name, body: Bytes) -> Result<Response> {
    let (served, keeper) = (service.model(&name)?, service.clone());
    let work = move || {
        let request: EncodeRequest = parse(&body)?;
        let (loaded, tolerance) = (served.now(), request.tolerance());
        keeper.limits().check_sensors(request.sensors.n)?;
        let card = loaded.model.card();
        let observed = compute::observations(card, request.sensors, &request.values, request.s, tolerance)?;
        let encoded = compute::encode(&loaded, &observed, tolerance.force)?;
        let states = keeper.states();
        let state = states.keep(served.name(), encoded, compute::bytes(&loaded, &observed));
        Answer::json(&Kept { state, expires_in: states.seconds(), doubt: observed.doubt })
    };
    service.respond(service.quick(work).await?)
}

/// The field of a kept state at any times and places; `Accept` as for `predict`.
#[utoipa::path(
    post, path = "/v1/models/{m}/decode", params(("m" = String, Path, description = "the model's name")),
    request_body = DecodeRequest,
    responses((status = 200, body = FieldAnswer), (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody)),
)]
pub async fn decode(
    State(service): State<Service>,
    Name(name): Name,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response> {
    let (served, form, keeper) = (service.model(&name)?, Form::of(&headers), service.clone());
    let work = move || {
        let request: DecodeRequest = parse(&body)?;
        let encoded = keeper.states().find(served.name(), &request.state).ok_or_else(|| {
            Error::missing(
                "no_state",
                format!("there is no state {:?} (any more): encode again", request.state),
            )
        })?;
        let DecodeRequest { times, query, band, .. } = request;
        let wanted = Wanted::new(encoded.model(), encoded.time(), times, query, band, keeper.limits())?;
        wanted.of(&encoded)?.into_answer(form)
    };
    service.respond(service.quick(work).await?)
}
