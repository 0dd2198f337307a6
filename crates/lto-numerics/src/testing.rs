//! What tests share.

use std::ops::Range;

/// Fits `error ~ spacing^slope` and asserts the slope.
pub(crate) fn assert_slope(errors: &[(f64, f64)], band: Range<f64>) {
    let logs: Vec<(f64, f64)> = errors.iter().map(|(h, e)| (h.ln(), e.ln())).collect();
    let n = logs.len() as f64;
    let (mean_h, mean_e) = logs.iter().fold((0.0, 0.0), |(a, b), (h, e)| (a + h / n, b + e / n));
    let covariance: f64 = logs.iter().map(|(h, e)| (h - mean_h) * (e - mean_e)).sum();
    let variance: f64 = logs.iter().map(|(h, _)| (h - mean_h).powi(2)).sum();
    let slope = covariance / variance;
    assert!(band.contains(&slope), "slope {slope} is not in {band:?}: {errors:?}");
}
