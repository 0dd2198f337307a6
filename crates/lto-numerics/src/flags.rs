//! Parsers for numbers on a command line; errors say what is expected.

use std::str::FromStr;

/// A whole number, 0 or more.
///
/// # Errors
/// Anything else.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "must be a whole number, 0 or more".into())
}

/// A finite number.
///
/// # Errors
/// Anything else.
pub fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err("must be finite".into()),
        Err(_) => Err("must be a number".into()),
    }
}
