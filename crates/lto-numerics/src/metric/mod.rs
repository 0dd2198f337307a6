//! Numbers that say how far a prediction is from the truth. Each metric is one file and one variant of
//! [`MetricKind`].

pub mod max_error;
pub mod relative_l2;
pub mod rmse;
pub mod spectrum;

use crate::error::Result;
use crate::grid::expect;
use serde::{Deserialize, Serialize};

/// A metric of one example: its prediction against its truth. Reports average it over examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// [`relative_l2::relative_l2`].
    RelativeL2,
    /// [`rmse::rmse`].
    Rmse,
    /// [`max_error::max_error`].
    MaxError,
}

impl MetricKind {
    /// All metrics, for reports, help texts and tests.
    pub const ALL: [MetricKind; 3] = [MetricKind::RelativeL2, MetricKind::Rmse, MetricKind::MaxError];

    /// Name as written in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            MetricKind::RelativeL2 => "relative_l2",
            MetricKind::Rmse => "rmse",
            MetricKind::MaxError => "max_error",
        }
    }

    /// The metric of one example: all its values, in the same order in both slices.
    ///
    /// # Errors
    /// Slices of different lengths, or empty ones.
    pub fn evaluate(self, prediction: &[f64], truth: &[f64]) -> Result<f64> {
        let metric = match self {
            MetricKind::RelativeL2 => relative_l2::relative_l2,
            MetricKind::Rmse => rmse::rmse,
            MetricKind::MaxError => max_error::max_error,
        };
        metric(prediction, truth)
    }
}

/// The differences between prediction and truth.
///
/// # Errors
/// Slices of different lengths, or empty ones.
fn differences<'a>(prediction: &'a [f64], truth: &'a [f64]) -> Result<impl Iterator<Item = f64> + 'a> {
    expect("number of predicted values", truth.len().max(1), prediction.len())?;
    Ok(prediction.iter().zip(truth).map(|(p, t)| p - t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    /// Hand-computed for every metric: differences 3, −4, 0, 0 against a truth of norm 10.
    const PREDICTION: [f64; 4] = [9.0, 4.0, 0.0, 0.0];
    const TRUTH: [f64; 4] = [6.0, 8.0, 0.0, 0.0];

    fn by_hand(metric: MetricKind) -> f64 {
        match metric {
            MetricKind::RelativeL2 => 5.0 / 10.0,
            MetricKind::Rmse => 5.0 / 2.0,
            MetricKind::MaxError => 4.0,
        }
    }

    #[test]
    fn every_metric_is_zero_on_equality_and_right_by_hand() {
        for metric in MetricKind::ALL {
            let name = metric.name();
            assert_eq!(metric.evaluate(&TRUTH, &TRUTH).unwrap(), 0.0, "{name}");
            assert_eq!(metric.evaluate(&PREDICTION, &TRUTH).unwrap(), by_hand(metric), "{name}");
        }
    }

    #[test]
    fn every_metric_keeps_nan_and_refuses_unequal_or_empty_input() {
        for metric in MetricKind::ALL {
            let name = metric.name();
            let with_nan = [1.0, f64::NAN, 1.0, 1.0];
            assert!(metric.evaluate(&with_nan, &TRUTH).unwrap().is_nan(), "{name}");
            let err = metric.evaluate(&PREDICTION[1..], &TRUTH).unwrap_err();
            assert!(matches!(err, Error::Mismatch { expected: 4, got: 3, .. }), "{name}: {err}");
            assert!(metric.evaluate(&[], &[]).is_err(), "{name}");
        }
    }

    #[test]
    fn names_are_those_of_the_files() {
        for metric in MetricKind::ALL {
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
        }
    }
}
