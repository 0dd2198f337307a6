//! Forecasts as readings come in.

use super::Name;
use crate::compute::{self, Wanted};
use crate::error::{Error, ErrorBody, Result};
use crate::limits::Limits;
use crate::served::{Newest, Served};
use crate::service::Service;
use crate::wire::{FieldAnswer, Query, Rows, Tolerance, parse_grid, parse_numbers};
use axum::extract::{Query as Asked, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::watch::Receiver;
use utoipa::IntoParams;

/// What a stream forecasts.
#[derive(Clone, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct StreamQuery {
    /// How far ahead of the readings, comma-separated; not for steady models.
    #[serde(default)]
    leads: String,
    /// The grid, `64x64`; without it, the training grid.
    grid: Option<String>,
    /// The probability of a band.
    band: Option<f64>,
    /// Whether the readings are wanted too, as `sensors` and `readings`.
    #[serde(default)]
    readings: bool,
}

/// A forecast, and the readings it is made from if they are wanted.
#[derive(Serialize)]
struct Forecast<'a> {
    #[serde(flatten)]
    field: FieldAnswer,
    #[serde(flatten)]
    seen: Option<Seen<'a>>,
}

#[derive(Serialize)]
struct Seen<'a> {
    sensors: &'a Rows,
    readings: &'a Rows,
}

/// What a stream needs for its next event.
struct Watched {
    service: Service,
    served: Arc<Served>,
    newest: Receiver<Option<Arc<Newest>>>,
    stopping: Receiver<bool>,
    leads: Vec<f64>,
    grid: Option<Vec<usize>>,
    band: Option<f64>,
    readings: bool,
}

/// Server-sent events: a forecast now, if there are readings, and after each new ones. Events are named `forecast`, or
/// `problem` with an error.
#[utoipa::path(
    get, path = "/v1/models/{m}/forecast/stream",
    params(("m" = String, Path, description = "the model's name"), StreamQuery),
    responses(
        (status = 200, content_type = "text/event-stream", body = String),
        (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody),
    ),
)]
pub async fn stream(
    State(service): State<Service>,
    Name(name): Name,
    asked: Result<Asked<StreamQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response> {
    let served = service.model(&name)?;
    let Asked(asked) = asked.map_err(|error| Error::malformed("query", error.to_string()))?;
    let place = service.streams().try_acquire_owned().map_err(|_| Error::busy())?;
    let kept = (place, service.metrics().stream());
    let mut newest = served.newest();
    newest.mark_changed();
    let watched = Watched {
        stopping: service.stopping(),
        newest,
        leads: parse_numbers("leads", &asked.leads)?,
        grid: asked.grid.as_deref().map(parse_grid).transpose()?,
        band: asked.band,
        readings: asked.readings,
        service,
        served,
    };
    let events = unfold((watched, kept), |(mut watched, kept)| async move {
        let event = watched.next().await?;
        Some((Ok::<_, Infallible>(event), (watched, kept)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

impl Watched {
    /// The next event; `None` when the service stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            tokio::select! {
                changed = self.newest.changed() => changed.ok()?,
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            }
            let Some(readings) = self.newest.borrow_and_update().clone() else { continue };
            return Some(match self.forecast(readings).await {
                Ok(text) => Event::default().event("forecast").data(text),
                Err(error) => {
                    let text = serde_json::to_string(&error.body()).unwrap_or_default();
                    Event::default().event("problem").data(text)
                }
            });
        }
    }

    async fn forecast(&self, readings: Arc<Newest>) -> Result<String> {
        let (served, limits) = (self.served.clone(), self.service.limits().clone());
        let (leads, grid, band, wanted) = (self.leads.clone(), self.grid.clone(), self.band, self.readings);
        let work = move || {
            let field = forecast(&served, &readings, &leads, grid, band, &limits)?;
            let seen = wanted.then(|| Seen { sensors: &readings.sensors, readings: &readings.values });
            serde_json::to_string(&Forecast { field, seen })
                .map_err(|error| Error::internal(error.to_string()))
        };
        self.service.quick(work).await
    }
}

/// The field at some leads after readings.
fn forecast(
    served: &Served,
    readings: &Newest,
    leads: &[f64],
    grid: Option<Vec<usize>>,
    band: Option<f64>,
    limits: &Limits,
) -> Result<FieldAnswer> {
    let loaded = served.now();
    let (card, s) = (loaded.model.card(), readings.time);
    let observed = compute::observations(
        card,
        readings.sensors.clone(),
        &readings.values,
        Some(s),
        Tolerance::default(),
    )?;
    let encoded = compute::encode(&loaded, &observed, false)?;
    let times: Vec<f64> = leads.iter().map(|lead| s + lead).collect();
    let wanted = Wanted::new(&loaded.model, s, times, grid.map(Query::Grid), band, limits)?;
    let field = wanted.of(&encoded)?;
    Ok(FieldAnswer { s: Some(s), ..field })
}
