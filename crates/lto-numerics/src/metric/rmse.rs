//! Root mean square error.

use super::differences;
use crate::error::Result;

/// `√(mean (prediction − truth)²)` of one example, in the units of the values.
///
/// # Errors
/// Slices of different lengths, or empty ones.
pub fn rmse(prediction: &[f64], truth: &[f64]) -> Result<f64> {
    let squares: f64 = differences(prediction, truth)?.map(|d| d * d).sum();
    Ok((squares / truth.len() as f64).sqrt())
}
