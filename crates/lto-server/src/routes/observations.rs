//! Readings as they come in.

use super::Name;
use crate::compute;
use crate::error::{ErrorBody, Result};
use crate::served::Newest;
use crate::service::Service;
use crate::wire::{Answer, ObservationsRequest, Tolerance, parse};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

/// What is kept then.
#[derive(Serialize, ToSchema)]
pub struct Observed {
    /// The time of the newest readings.
    time: f64,
    /// How many sensors they are.
    sensors: usize,
}

/// Keeps the newest readings for the streams of forecasts. Those of the same time are added; older ones are refused.
#[utoipa::path(
    post, path = "/v1/models/{m}/observations", params(("m" = String, Path, description = "the model's name")),
    request_body = ObservationsRequest,
    responses((status = 200, body = Observed), (status = "4XX", body = ErrorBody), (status = 503, body = ErrorBody)),
)]
pub async fn observe(State(service): State<Service>, Name(name): Name, body: Bytes) -> Result<Response> {
    let (served, limits) = (service.model(&name)?, service.limits().clone());
    let work = move || {
        let ObservationsRequest { time, sensors, values } = parse(&body)?;
        limits.check_sensors(sensors.n)?;
        let loaded = served.now();
        loaded.model.check_times(&[time])?;
        // Whatever a forecast would refuse is refused here, where somebody hears of it.
        let tolerance = Tolerance::default();
        compute::observations(loaded.model.card(), sensors.clone(), &values, Some(time), tolerance)?;
        let sensors = served.observe(Newest { time, sensors, values }, limits.sensors)?;
        Answer::json(&Observed { time, sensors })
    };
    service.respond(service.quick(work).await?)
}
