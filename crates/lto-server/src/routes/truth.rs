//! What really happened, where it is known.

use super::Name;
use crate::compute;
use crate::error::{Error, ErrorBody, Result};
use crate::service::Service;
use crate::wire::{FieldAnswer, Form, parse_grid, parse_numbers};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use lto_numerics::{Grid, Points};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

/// Which states of the truth.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct TruthQuery {
    /// Times, comma-separated; not for steady models.
    #[serde(default)]
    times: String,
    /// The grid, `64x64`; without it, the training grid.
    grid: Option<String>,
}

/// The true course of the model's example; `Accept` as for `predict`.
#[utoipa::path(
    get, path = "/v1/models/{m}/truth", params(("m" = String, Path, description = "the model's name"), TruthQuery),
    responses((status = 200, body = FieldAnswer), (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody)),
)]
pub async fn truth(
    State(service): State<Service>,
    Name(name): Name,
    asked: Result<Query<TruthQuery>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
) -> Result<Response> {
    let (served, form) = (service.model(&name)?, Form::of(&headers));
    let Query(asked) = asked.map_err(|error| Error::malformed("query", error.to_string()))?;
    let limits = service.limits().clone();
    let work = move || {
        let loaded = served.now();
        let card = loaded.model.card();
        let problem = &card.problem;
        let truth = loaded.truth.as_ref().ok_or_else(|| {
            Error::missing("no_truth", "no data of this model are at hand; start with --data NAME=FILE")
        })?;
        let times = parse_numbers("times", &asked.times)?;
        if times.is_empty() && problem.times.is_some() {
            return Err(Error::malformed("query", "times is missing: times=0,0.5"));
        }
        let shape = asked.grid.as_deref().map(parse_grid).transpose()?;
        let grid = Arc::new(compute::grid(shape.as_deref().unwrap_or(&problem.native), problem, &limits)?);
        limits.check_answer(times.len(), problem.target_channels, grid.len())?;
        let values = truth.at(&times, &grid)?;
        let n = if problem.times.is_some() { times.len() } else { 1 };
        let shape = [&[n, problem.target_channels][..], &grid.shape()].concat();
        let (places, channels) =
            (Some(Arc::new(Points::grid(Grid::clone(&grid)))), card.channel_names.clone());
        FieldAnswer { times, shape, values, places, channels, ..FieldAnswer::default() }.into_answer(form)
    };
    service.respond(service.quick(work).await?)
}
