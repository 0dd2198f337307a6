//! What a measurement gives: errors over samples, or why there are none.

use super::scores::{BandErrors, Scores};
use super::statistics::ErrorStatistics;
use crate::error::{Error, Result};
use lto_numerics::metric::{ByMetric, MetricKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Errors over samples. Each is the mean over the predictions of a sample, then over the samples: samples are
/// independent of each other, predictions of one sample are not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measures {
    /// Errors by metric, with their intervals.
    #[serde(flatten)]
    pub errors: ByMetric<ErrorStatistics>,
    /// Mean relative L2 error by wavenumber; none where points are not equally spaced.
    pub bands: Option<BandErrors>,
    /// Wall time of one prediction: that of a batch of up to 16, shared out.
    pub seconds_per_prediction: f64,
    /// The same of each channel alone; empty where there is one only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<Measures>,
}

/// A measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was made.
    Measured(Box<Measures>),
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
            Ok(measures) => Ok(Outcome::Measured(Box::new(measures))),
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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

    /// Adds what another has collected.
    pub fn merge(&mut self, other: Tally) {
        for (sample, scores) in other.samples {
            self.samples.entry(sample).or_default().extend(scores);
        }
        self.seconds += other.seconds;
    }

    /// The errors over the samples.
    ///
    /// # Errors
    /// Nothing was added.
    pub fn measures(&self) -> Result<Measures> {
        let samples: Vec<Vec<&Scores>> =
            self.samples.values().map(|scores| scores.iter().collect()).collect();
        let n: usize = samples.iter().map(Vec::len).sum();
        over_samples(&samples, self.seconds / n.max(1) as f64).ok_or_else(|| {
            Error::Numerics(lto_numerics::Error::Mismatch {
                what: "number of samples with something to predict (at least)".into(),
                expected: 1,
                got: 0,
            })
        })
    }
}

/// The means of each sample, and what they say together; `None` without any.
fn over_samples(samples: &[Vec<&Scores>], seconds_per_prediction: f64) -> Option<Measures> {
    let errors = |metric: MetricKind| {
        let means = samples.iter().map(|scores| mean(scores.iter().map(|s| s.errors[metric])));
        ErrorStatistics::of(means.collect()).ok_or(())
    };
    let band = |value: fn(&BandErrors) -> Option<f64>| {
        let of_sample = |scores: &Vec<&Scores>| {
            let each: Option<Vec<f64>> = scores.iter().map(|s| s.bands.as_ref().and_then(value)).collect();
            each.map(|each| mean(each.into_iter()))
        };
        let each: Option<Vec<f64>> = samples.iter().map(of_sample).collect();
        each.map(|each| mean(each.into_iter()))
    };
    let channel = |c: usize| {
        let alone: Vec<Vec<&Scores>> =
            samples.iter().map(|scores| scores.iter().filter_map(|s| s.channels.get(c)).collect()).collect();
        over_samples(&alone, seconds_per_prediction)
    };
    let first = samples.first()?.first()?;
    Some(Measures {
        errors: ByMetric::try_of(errors).ok()?,
        bands: first.bands.map(|_| BandErrors {
            low: band(|b| b.low),
            mid: band(|b| b.mid),
            high: band(|b| b.high),
        }),
        seconds_per_prediction,
        channels: (0..first.channels.len()).map(channel).collect::<Option<_>>()?,
    })
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.sum::<f64>() / n
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In files the errors stand among the other keys, each under its metric's name, and nothing else may.
    #[test]
    fn files_name_every_metric_and_nothing_unknown() {
        let errors = ByMetric::try_of(|_| Ok::<f64, ()>(0.5)).unwrap();
        let mut tally = Tally::default();
        tally.add(3, Scores { errors, bands: None, channels: Vec::new() });
        let measures = tally.measures().unwrap();
        let mut file = serde_json::to_value(&measures).unwrap();
        assert_eq!(serde_json::from_value::<Measures>(file.clone()).unwrap(), measures);
        for metric in MetricKind::ALL {
            assert_eq!(file[metric.name()]["mean"], 0.5, "{metric:?}");
        }
        // A file from before a metric was added still opens; what it does not have was not measured.
        let mut older = file.clone();
        older.as_object_mut().unwrap().remove("boundary_rmse");
        let opened = serde_json::from_value::<Measures>(older).unwrap();
        assert_eq!(opened.errors.boundary_rmse.measured(), None);
        assert_eq!(opened.errors.rmse, measures.errors.rmse);
        file["colour"] = 1.into();
        let refused = serde_json::from_value::<Measures>(file).unwrap_err().to_string();
        assert!(refused.contains("colour"), "{refused}");
    }
}
