//! Error of what a field conserves: its mean over space.

use super::differences;
use crate::error::Result;
use crate::grid::expect;

/// `√(mean over the channels of (mean prediction − mean truth)²)`, the means over all points: for one channel the absolute
/// error of its mean, that of its total ÷ number of points, as in PDEBench (which then takes the root mean square over
/// examples, where reports here take the mean).
///
/// # Shapes
/// `[channel, axis 0, …]` with `shape` points along the axes.
///
/// # Errors
/// Slices of different lengths, empty ones, or values that do not fill the shape.
pub fn conserved_rmse(prediction: &[f64], truth: &[f64], shape: &[usize]) -> Result<f64> {
    expect("number of predicted values", truth.len().max(1), prediction.len())?;
    let n: usize = shape.iter().product::<usize>().max(1);
    expect("number of values beyond whole channels", 0, truth.len() % n)?;
    let mean = |(prediction, truth): (&[f64], &[f64])| -> Result<f64> {
        let (n, sum) = differences(prediction, truth)?.fold((0.0, 0.0), |(n, sum), d| (n + 1.0, sum + d));
        Ok(sum / n)
    };
    let means =
        prediction.chunks_exact(n).zip(truth.chunks_exact(n)).map(mean).collect::<Result<Vec<_>>>()?;
    Ok((means.iter().map(|mean| mean * mean).sum::<f64>() / means.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_cancel_conserve_and_channels_do_not_mix() {
        let zero = [0.0; 8];
        assert_eq!(conserved_rmse(&[1.0, -1.0, 2.0, -2.0, 0.0, 0.0, 0.0, 0.0], &zero, &[2, 2]).unwrap(), 0.0);
        // Means 3 and −4 of two channels: their average alone would be −½.
        let shifted = [3.0, 3.0, 3.0, 3.0, -4.0, -4.0, -4.0, -4.0];
        assert!((conserved_rmse(&shifted, &zero, &[4]).unwrap() - 12.5f64.sqrt()).abs() < 1e-15);
        assert!(conserved_rmse(&shifted, &zero, &[3]).is_err());
    }
}
