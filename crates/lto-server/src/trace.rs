//! What every request goes through: an id, a line in the log, a count, the guard, limits of its size and its time.

use crate::error::{Error, Result};
use crate::service::Service;
use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::Body as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The header that names a request.
const REQUEST_ID: &str = "x-request-id";

/// Logs and counts a request, and gives its answer an id.
pub async fn observe(State(service): State<Service>, request: Request, next: Next) -> Response {
    let _present = service.metrics().request();
    let begun = Instant::now();
    let id = request_id(request.headers());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("other", MatchedPath::as_str).to_string();
    let (method, protocol) = (request.method().clone(), request.uri().path().starts_with("/v2"));
    let mut response = next.run(request).await;
    let problem = response.extensions_mut().remove::<Error>();
    if let (Some(problem), true) = (&problem, protocol) {
        response = problem.clone().into_protocol_response();
    }
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    service.metrics().answered(&route, status, took);
    let problem = problem.map(|problem| problem.to_string()).unwrap_or_default();
    let ms = took.as_secs_f64() * 1e3;
    match status {
        500.. if status != 503 => tracing::error!(id, %method, route, status, ms, problem),
        400.. => tracing::info!(id, %method, route, status, ms, problem),
        _ => tracing::info!(id, %method, route, status, ms),
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The client's name of a request if it is harmless, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    static FIRST: LazyLock<u32> = LazyLock::new(rand::random);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let harmless = |id: &&str| {
        (1..=64).contains(&id.len()) && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(harmless);
    given.map_or_else(
        || format!("{:08x}-{}", *FIRST, NEXT.fetch_add(1, Ordering::Relaxed)),
        |id| id.to_string(),
    )
}

/// Lets through whoever may ask.
///
/// # Errors
/// As [`Guard::check`](crate::Guard::check).
pub async fn guard(State(service): State<Service>, request: Request, next: Next) -> Result<Response> {
    service.guard().check(request.uri().path(), request.headers())?;
    Ok(next.run(request).await)
}

/// Reads a request whole, within the limits of size and memory, and answers it within the limit of time.
///
/// # Errors
/// Too large, too slow, or too many at once.
pub async fn admit(State(service): State<Service>, request: Request, next: Next) -> Result<Response> {
    let seconds = service.limits().seconds;
    let most = service.limits().body_kb.saturating_mul(1024);
    let answer = async {
        let (parts, body) = request.into_parts();
        let announced = parts.headers.get(CONTENT_LENGTH).and_then(|n| n.to_str().ok()?.parse().ok());
        let expected = if body.is_end_stream() { 0 } else { announced.unwrap_or(most) };
        let too_long = |length| Error::too_many("body", "bytes in the body", length, most);
        if expected > most {
            return Err(too_long(expected));
        }
        let _share = service.budget().take(expected)?;
        let body = to_bytes(body, usize::try_from(most).unwrap_or(usize::MAX)).await.map_err(|error| {
            if announced.is_none() { too_long(most + 1) } else { Error::malformed("body", error.to_string()) }
        })?;
        Ok(next.run(Request::from_parts(parts, Body::from(body))).await)
    };
    timeout(Duration::from_secs(seconds), answer).await.unwrap_or_else(|_| Err(Error::timeout(seconds)))
}

/// Nothing has this path.
pub async fn no_route() -> Response {
    Error::missing("no_route", "there is nothing here; /openapi.json lists the routes").into_response()
}

/// Nothing has this method.
pub async fn no_method() -> Response {
    Error::method().into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_ids_are_kept() {
        let id = |text: &str| {
            request_id(&HeaderMap::from_iter([(REQUEST_ID.parse().unwrap(), text.parse().unwrap())]))
        };
        assert_eq!(id("a-1_b.c"), "a-1_b.c");
        let (first, second) = (id("a b"), request_id(&HeaderMap::new()));
        assert!(first != second && first != "a b");
        assert_ne!(id(&"x".repeat(65)), "x".repeat(65));
    }
}
