//! New weights without a pause.

use super::Name;
use crate::error::{ErrorBody, Result};
use crate::service::Service;
use crate::wire::{Answer, ModelSummary};
use axum::extract::State;
use axum::response::Response;

/// Reads a model again. Requests under way end with the weights they began with; a damaged file changes nothing.
#[utoipa::path(
    post, path = "/v1/models/{m}/reload", params(("m" = String, Path, description = "the model's name")),
    responses((status = 200, body = ModelSummary), (status = "4XX", body = ErrorBody)),
)]
pub async fn reload(State(service): State<Service>, Name(name): Name) -> Result<Response> {
    let served = service.model(&name)?;
    let work = move || {
        served.reload()?;
        Answer::json(&served.now().summary)
    };
    service.respond(service.slow(work).await?)
}
