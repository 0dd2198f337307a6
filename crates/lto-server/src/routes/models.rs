//! Which models there are, and what they are.

use super::Name;
use crate::error::{ErrorBody, Result};
use crate::service::Service;
use crate::wire::{Answer, ModelSummary};
use axum::extract::State;
use axum::response::Response;
use lto::description::Description;
use serde::Serialize;
use utoipa::ToSchema;

/// All models.
#[derive(Serialize, ToSchema)]
pub struct Models {
    models: Vec<ModelSummary>,
}

/// One model with everything that is known about it.
#[derive(Serialize, ToSchema)]
pub struct Model {
    #[serde(flatten)]
    summary: ModelSummary,
    /// What `lto info --json` says.
    #[schema(value_type = Object)]
    card: Description,
}

/// The models that are served.
#[utoipa::path(get, path = "/v1/models", responses((status = 200, body = Models), (status = "4XX", body = ErrorBody)))]
pub async fn list(State(service): State<Service>) -> Result<Response> {
    let models = service.models().map(|served| served.now().summary.clone()).collect();
    service.respond(Answer::json(&Models { models })?)
}

/// One model, with its card.
#[utoipa::path(
    get, path = "/v1/models/{m}", params(("m" = String, Path, description = "the model's name")),
    responses((status = 200, body = Model), (status = "4XX", body = ErrorBody)),
)]
pub async fn one(State(service): State<Service>, Name(name): Name) -> Result<Response> {
    let served = service.model(&name)?;
    let work = move || Answer::json(&Model { summary: served.now().summary.clone(), card: served.card() });
    service.respond(service.quick(work).await?)
}
