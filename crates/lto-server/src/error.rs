//! Errors as answers: the one place where the libraries' errors become statuses.

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Seconds after which a client should try again.
const RETRY_SECONDS: u16 = 1;

/// An answer that is an error: `{"error": {"kind", "message", "limit"?}}`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    status: StatusCode,
    kind: &'static str,
    message: Cow<'static, str>,
    limit: Option<u64>,
}

/// The body of an error.
#[derive(Serialize, ToSchema)]
pub struct ErrorBody<'a> {
    error: ErrorDetail<'a>,
}

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub struct ErrorDetail<'a> {
    /// One word for programs.
    kind: &'a str,
    /// What is wrong, where, and what to do about it.
    message: &'a str,
    /// The limit that was exceeded, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
}

/// The body of an error under `/v2`, as the Open Inference Protocol has it.
#[derive(Serialize, ToSchema)]
pub struct ProtocolErrorBody<'a> {
    error: &'a str,
}

impl Error {
    fn new(status: StatusCode, kind: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, kind, message: message.into(), limit: None }
    }

    /// A request that cannot be understood.
    pub fn malformed(kind: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, kind, message)
    }

    /// Nobody known.
    pub fn unauthorized() -> Self {
        let message = "send a token of the service's token file: Authorization: Bearer …";
        Self::new(StatusCode::UNAUTHORIZED, "token", message)
    }

    /// Somebody who may not.
    pub fn forbidden(kind: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, kind, message)
    }

    /// Nothing there.
    pub fn missing(kind: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, kind, message)
    }

    /// Another method than the route has.
    pub fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this route takes another method")
    }

    /// Something that does not fit what is there.
    pub fn conflict(kind: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, kind, message)
    }

    /// A request that is understood, but that the model does not take.
    pub fn unfit(kind: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, kind, message)
    }

    /// More than the service takes.
    pub fn too_many(kind: &'static str, what: &str, got: u64, limit: u64) -> Self {
        let message = format!("{got} {what} are more than the limit of {limit}");
        Self { limit: Some(limit), ..Self::new(StatusCode::PAYLOAD_TOO_LARGE, kind, message) }
    }

    /// More than the time limit.
    pub fn timeout(seconds: u64) -> Self {
        let message = format!("the request took longer than {seconds} s");
        Self { limit: Some(seconds), ..Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", message) }
    }

    /// Too much to do at the moment; nothing was begun.
    pub fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many requests are waiting; try again soon")
    }

    /// The service is about to end.
    pub fn stopping() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the service is stopping")
    }

    /// A fault of the service.
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Its body, as JSON.
    pub fn body(&self) -> ErrorBody<'_> {
        ErrorBody { error: ErrorDetail { kind: self.kind, message: &self.message, limit: self.limit } }
    }

    /// The answer as the Open Inference Protocol has it: `{"error": "message"}`.
    pub fn into_protocol_response(self) -> Response {
        let body = serde_json::to_vec(&ProtocolErrorBody { error: &self.message }).unwrap_or_default();
        self.respond(body)
    }

    fn respond(self, body: Vec<u8>) -> Response {
        let mut response = (self.status, [("content-type", "application/json")], body).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert("www-authenticate", HeaderValue::from_static("Bearer"));
        }
        // For the log, and for routes whose errors look different.
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.body()).unwrap_or_default();
        self.respond(body)
    }
}

impl From<lto_numerics::Error> for Error {
    fn from(error: lto_numerics::Error) -> Self {
        use lto_numerics::Error as E;
        let text = in_json(&error.to_string());
        match error {
            E::Memory { needed, available, .. } => {
                let (what, limit) = ("bytes of memory", available);
                Self { message: text.into(), ..Self::too_many("memory", what, needed, limit) }
            }
            E::Unsupported { .. } | E::Resample { .. } => Self::unfit("unsupported", text),
            E::Io { .. }
            | E::Output { .. }
            | E::Corrupt { .. }
            | E::Diverged { .. }
            | E::NotConverged { .. }
            | E::Unsolved { .. } => Self::internal(text),
            _ => Self::unfit("data", text),
        }
    }
}

impl From<lto::Error> for Error {
    fn from(error: lto::Error) -> Self {
        use lto::Error as E;
        let text = in_json(&error.to_string());
        match error {
            E::Numerics(below) => below.into(),
            E::Config { .. }
            | E::ContextChannels { .. }
            | E::TimeOutsideRange { .. }
            | E::WrongDomain { .. } => Self::unfit("data", text),
            E::Unsupported { .. } => Self::unfit("unsupported", text),
            _ => Self::internal(text),
        }
    }
}

/// The libraries name remedies by the program's flags; here they are fields of the request.
fn in_json(text: &str) -> String {
    let fields = [
        ("--skip-missing", "\"skip_missing\": true"),
        ("--merge-duplicates", "\"merge_duplicates\": true"),
        ("--allow-extrapolation", "\"force\": true"),
        ("--force", "\"force\": true"),
        ("--from", "\"s\""),
    ];
    fields.iter().fold(text.to_string(), |text, (flag, field)| text.replace(flag, field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_are_fields_of_the_request() {
        let range = [0.0, 1.0];
        let error = Error::from(lto::Error::TimeOutsideRange { time: 2.0, range });
        assert_eq!((error.status, error.kind), (StatusCode::UNPROCESSABLE_ENTITY, "data"));
        assert!(error.message.contains("\"force\": true") && !error.message.contains("--"), "{error}");
        let memory = lto_numerics::Error::Memory { what: "all".into(), needed: 7, available: 5 };
        let error = Error::from(lto::Error::from(memory));
        assert_eq!((error.status, error.limit), (StatusCode::PAYLOAD_TOO_LARGE, Some(5)));
        assert!(error.message.contains("ask for less"), "{error}");
    }
}
