//! Largest error.

use super::differences;
use crate::error::Result;

/// `max |prediction − truth|` of one example, in the units of the values; NaN if any difference is.
///
/// # Errors
/// Slices of different lengths, or empty ones.
pub fn max_error(prediction: &[f64], truth: &[f64]) -> Result<f64> {
    // `f64::max` would drop a NaN.
    let larger = |m: f64, d: f64| if d.is_nan() || d > m { d } else { m };
    Ok(differences(prediction, truth)?.map(f64::abs).fold(0.0, larger))
}
