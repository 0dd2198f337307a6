//! What watches over the service.

use crate::service::Service;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

/// Counts and times for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "text/plain", body = String)))]
pub async fn metrics(State(service): State<Service>) -> Response {
    ([("content-type", "text/plain; version=0.0.4")], service.metrics_text()).into_response()
}
