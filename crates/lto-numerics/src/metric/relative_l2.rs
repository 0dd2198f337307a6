//! Relative L² error.

use super::differences;
use crate::error::Result;

/// `‖prediction − truth‖₂ / ‖truth‖₂` of one example. If the truth is zero: 0 if the prediction is too, else
/// infinite.
///
/// # Errors
/// Slices of different lengths, or empty ones.
pub fn relative_l2(prediction: &[f64], truth: &[f64]) -> Result<f64> {
    let error = differences(prediction, truth)?.map(|d| d * d).sum::<f64>().sqrt();
    let norm = truth.iter().filter(|t| !t.is_nan()).map(|t| t * t).sum::<f64>().sqrt();
    Ok(if error == 0.0 { 0.0 } else { error / norm })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_both_changes_nothing_and_a_zero_truth_has_no_scale() {
        let scaled = relative_l2(&[9e9, 4e9], &[6e9, 8e9]).unwrap();
        assert!((scaled - 0.5).abs() < 1e-15);
        assert_eq!(relative_l2(&[1.0], &[0.0]).unwrap(), f64::INFINITY);
        assert_eq!(relative_l2(&[0.0], &[0.0]).unwrap(), 0.0);
    }
}
