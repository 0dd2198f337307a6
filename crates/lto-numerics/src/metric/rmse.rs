//! Root mean square error.

use super::differences;
use crate::error::Result;

/// `√(mean (prediction − truth)²)` of one example, in the units of the values.
///
/// # Errors
/// Slices of different lengths, or empty ones.
pub fn rmse(prediction: &[f64], truth: &[f64]) -> Result<f64> {
    let (n, sum) = differences(prediction, truth)?.fold((0.0, 0.0), |(n, sum), d| (n + 1.0, sum + d * d));
    Ok((sum / n).sqrt())
}
