//! What goes over the wire: requests, answers, and the forms they take.

mod answer;
mod arrow;
mod paid;
mod requests;
mod rows;
mod summary;

pub use answer::{Answer, FieldAnswer, Form};
pub use paid::Paid;
pub use requests::{
    CertifyRequest, DecodeRequest, DesignRequest, EncodeRequest, ObservationsRequest, PredictRequest, Query,
    Tolerance,
};
pub use rows::Rows;
pub use summary::{Example, ModelSummary};

use crate::error::{Error, Result};
use serde::de::DeserializeOwned;

/// The value of a JSON text.
///
/// # Errors
/// Text that is not JSON, or not of this form; the message says where.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| Error::malformed("json", error.to_string()))
}

/// A grid as written in a query string: `64x64`.
///
/// # Errors
/// Anything else.
pub fn parse_grid(text: &str) -> Result<Vec<usize>> {
    let sizes = text.split(['x', '×']).map(|n| n.trim().parse().ok().filter(|&n: &usize| n > 0));
    sizes.collect::<Option<_>>().ok_or_else(|| {
        Error::malformed("query", format!("grid = {text}: a grid is written 64x64, or 64 for all axes"))
    })
}

/// Numbers as written in a query string: `0,0.008`.
///
/// # Errors
/// Anything else; `name` says which.
pub fn parse_numbers(name: &str, text: &str) -> Result<Vec<f64>> {
    let numbers = text.split(',').filter(|part| !part.trim().is_empty()).map(|part| part.trim().parse().ok());
    numbers
        .collect::<Option<_>>()
        .ok_or_else(|| Error::malformed("query", format!("{name} = {text}: numbers are written 0,0.5,1")))
}
