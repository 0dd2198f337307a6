//! Statistics over several examples.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Number of bootstrap resamplings.
const RESAMPLINGS: usize = 2000;

/// The errors of several examples, and their mean with a 95 % interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorStatistics {
    /// One error per example; infinite if a prediction is not finite.
    #[serde(with = "super::number::several")]
    pub errors: Vec<f64>,
    /// Their mean.
    #[serde(with = "super::number")]
    pub mean: f64,
    /// Standard error of the mean; infinite for a single example.
    #[serde(with = "super::number")]
    pub standard_error: f64,
    /// 2.5 % and 97.5 % bootstrap quantiles of the mean; too narrow for few examples, `None` for a single
    /// one.
    #[serde(with = "super::number::pair")]
    pub interval: Option<[f64; 2]>,
}

impl ErrorStatistics {
    /// The statistics of at least one example; the same for the same errors. `None` without any.
    pub fn of(errors: Vec<f64>) -> Option<Self> {
        let n = errors.len();
        if n == 0 {
            return None;
        }
        let mean = errors.iter().sum::<f64>() / n as f64;
        if n == 1 {
            return Some(Self { errors, mean, standard_error: f64::INFINITY, interval: None });
        }
        let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut resample = || (0..n).map(|_| errors[rng.random_range(0..n)]).sum::<f64>() / n as f64;
        let mut means: Vec<f64> = (0..RESAMPLINGS).map(|_| resample()).collect();
        means.sort_by(f64::total_cmp);
        let quantile = |q: f64| means[((RESAMPLINGS - 1) as f64 * q).round() as usize];
        let interval = Some([quantile(0.025), quantile(0.975)]);
        let standard_error = if mean.is_finite() { (variance / n as f64).sqrt() } else { f64::INFINITY };
        Some(Self { mean, standard_error, interval, errors })
    }

    /// The interval to draw; without one the mean twice, which draws no bar.
    pub fn bar(&self) -> [f64; 2] {
        self.interval.unwrap_or([self.mean; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_standard_error_are_those_by_hand() {
        let statistics = ErrorStatistics::of(vec![1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!(statistics.mean, 3.0);
        // Sum of squares 4 + 1 + 0 + 9, over 3 and over 4.
        assert!((statistics.standard_error - (14.0f64 / 12.0).sqrt()).abs() < 1e-15);
        let [low, high] = statistics.interval.unwrap();
        assert!((1.0..3.0).contains(&low) && (3.0..=6.0).contains(&high), "{low} {high}");
        let single = ErrorStatistics::of(vec![0.5]).unwrap();
        assert_eq!((single.mean, single.standard_error, single.interval), (0.5, f64::INFINITY, None));
        assert!(ErrorStatistics::of(vec![]).is_none());
    }

    /// JSON has no infinite numbers: they are `null`, and come back.
    #[test]
    fn infinite_errors_survive_json() {
        let statistics = ErrorStatistics::of(vec![0.25, f64::INFINITY]).unwrap();
        assert_eq!((statistics.mean, statistics.standard_error), (f64::INFINITY, f64::INFINITY));
        let json = serde_json::to_string(&statistics).unwrap();
        assert!(json.contains("[0.25,null]"), "{json}");
        assert_eq!(serde_json::from_str::<ErrorStatistics>(&json).unwrap(), statistics);
        let single = ErrorStatistics::of(vec![0.5]).unwrap();
        let back = serde_json::from_str::<ErrorStatistics>(&serde_json::to_string(&single).unwrap());
        assert_eq!(back.unwrap(), single);
        assert!(
            serde_json::from_str::<ErrorStatistics>(&json.replace("\"interval\":[", "\"interval\":[1,"))
                .is_err()
        );
    }

    /// For many examples of a known spread the interval is the normal one: ±1.96 σ/√n.
    #[test]
    fn the_interval_is_the_normal_one_for_many_examples() {
        let n = 400;
        let errors: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
        let statistics = ErrorStatistics::of(errors).unwrap();
        let half = 1.96 * (1.0f64 / 12.0 / n as f64).sqrt();
        for (end, sign) in statistics.interval.unwrap().iter().zip([-1.0, 1.0]) {
            assert!((end - (0.5 + sign * half)).abs() < 0.15 * half, "{:?} {half}", statistics.interval);
        }
    }
}
