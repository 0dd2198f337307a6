//! What a measurement gives: errors over samples, or why there are none.

use super::scores::{BandErrors, Scores};
use super::statistics::ErrorStatistics;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Errors over samples. Each is the mean over the predictions of a sample, then over the samples: samples are
/// independent of each other, predictions of one sample are not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measures {
    /// Relative L2 error, with its interval.
    pub relative_l2: ErrorStatistics,
    /// Mean root mean square error.
    #[serde(with = "super::number")]
    pub rmse: f64,
    /// Mean largest error.
    #[serde(with = "super::number")]
    pub max_error: f64,
    /// Mean relative L2 error by wavenumber; none where points are not equally spaced.
    pub bands: Option<BandErrors>,
    /// Wall time of one prediction.
    pub seconds_per_prediction: f64,
}

/// A measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was made.
    Measured(Measures),
    /// The model is not made for it; the reason.
    Unsupported(String),
}

impl Outcome {
    /// A result, where what a model cannot do is an outcome and not an error.
    ///
    /// # Errors
    /// Any other error.
    pub fn of(result: Result<Measures>) -> Result<Self> {
        match result {
            Ok(measures) => Ok(Outcome::Measured(measures)),
            Err(unsupported @ Error::Unsupported { .. }) => Ok(Outcome::Unsupported(unsupported.to_string())),
            Err(other) => Err(other),
        }
    }

    /// The measures, where there are any.
    pub fn measures(&self) -> Option<&Measures> {
        match self {
            Outcome::Measured(measures) => Some(measures),
            Outcome::Unsupported(_) => None,
        }
    }
}

/// Collects the scores of predictions by sample.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    samples: BTreeMap<usize, Vec<Scores>>,
    /// Wall time of the predictions.
    pub seconds: f64,
}

impl Tally {
    /// Adds a prediction of a sample.
    pub fn add(&mut self, sample: usize, scores: Scores) {
        self.samples.entry(sample).or_default().push(scores);
    }

    /// The errors over the samples.
    ///
    /// # Errors
    /// Nothing was added.
    pub fn measures(&self) -> Result<Measures> {
        let per_sample = |value: &dyn Fn(&Scores) -> f64| -> Vec<f64> {
            self.samples.values().map(|scores| mean(scores.iter().map(value))).collect()
        };
        let over_samples = |value: &dyn Fn(&Scores) -> f64| mean(per_sample(value).into_iter());
        let has_bands = self.samples.values().flatten().all(|scores| scores.bands.is_some());
        let band = |value: fn(&BandErrors) -> f64| {
            over_samples(&|scores| scores.bands.as_ref().map_or(f64::INFINITY, value))
        };
        let none = || {
            Error::Numerics(lto_numerics::Error::Mismatch {
                what: "number of samples with something to predict (at least)".into(),
                expected: 1,
                got: 0,
            })
        };
        let n: usize = self.samples.values().map(Vec::len).sum();
        Ok(Measures {
            relative_l2: ErrorStatistics::of(per_sample(&|scores| scores.relative_l2)).ok_or_else(none)?,
            rmse: over_samples(&|scores| scores.rmse),
            max_error: over_samples(&|scores| scores.max_error),
            bands: has_bands.then(|| BandErrors {
                low: band(|b| b.low),
                mid: band(|b| b.mid),
                high: band(|b| b.high),
            }),
            seconds_per_prediction: self.seconds / n.max(1) as f64,
        })
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.sum::<f64>() / n
}
