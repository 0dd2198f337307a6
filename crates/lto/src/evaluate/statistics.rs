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

impl Default for ErrorStatistics {
    /// Of no example: an error that was not measured.
    fn default() -> Self {
        Self { errors: Vec::new(), mean: f64::INFINITY, standard_error: f64::INFINITY, interval: None }
    }
}

impl ErrorStatistics {
    /// The same if it was measured: files written before a metric existed do not have it.
    pub fn measured(&self) -> Option<&Self> {
        Some(self).filter(|_| !self.errors.is_empty())
    }

    /// The median of the errors, between the two in the middle if their number is even; `None` without any.
    pub fn median(&self) -> Option<f64> {
        let mut sorted = self.errors.clone();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted.get(sorted.len().saturating_sub(1) / 2)?, sorted.get(sorted.len() / 2)?);
        Some(if low == high { *low } else { (low + high) / 2.0 })
    }

    /// The number of the largest error, the first of several, and the error; `None` without any.
    pub fn worst(&self) -> Option<(usize, f64)> {
        let each = self.errors.iter().copied().enumerate();
        each.reduce(|worst, other| if other.1 > worst.1 { other } else { worst })
    }

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
        let interval = Some(bootstrap(n, |drawn| drawn.iter().map(|&i| errors[i]).sum::<f64>() / n as f64));
        let standard_error = if mean.is_finite() { (variance / n as f64).sqrt() } else { f64::INFINITY };
        Some(Self { mean, standard_error, interval, errors })
    }

    /// The interval to draw; without one the mean twice, which draws no bar.
    pub fn bar(&self) -> [f64; 2] {
        self.interval.unwrap_or([self.mean; 2])
    }
}

/// 2.5 % and 97.5 % quantiles of a statistic of n examples over random draws of n of them, each possibly several times. The
/// draws depend on n only, so that statistics of the same examples are resampled alike.
pub(super) fn bootstrap(n: usize, statistic: impl Fn(&[usize]) -> f64) -> [f64; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut drawn = vec![0; n];
    let mut resample = || {
        drawn.fill_with(|| rng.random_range(0..n));
        statistic(&drawn)
    };
    let mut values: Vec<f64> = (0..RESAMPLINGS).map(|_| resample()).collect();
    values.sort_by(f64::total_cmp);
    [0.025, 0.975].map(|q| values[((RESAMPLINGS - 1) as f64 * q).round() as usize])
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

    #[test]
    fn median_and_worst_are_those_by_hand() {
        let of = |errors: &[f64]| ErrorStatistics::of(errors.to_vec()).unwrap();
        assert_eq!(of(&[3.0, 1.0, 9.0]).median(), Some(3.0));
        assert_eq!(of(&[3.0, 1.0, 9.0, 4.0]).median(), Some(3.5));
        assert_eq!(of(&[1.0, f64::INFINITY, f64::INFINITY]).median(), Some(f64::INFINITY));
        assert_eq!(of(&[3.0, 9.0, 1.0, 9.0]).worst(), Some((1, 9.0)));
        let none = ErrorStatistics::default();
        assert!(none.median().is_none() && none.worst().is_none() && none.measured().is_none());
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
