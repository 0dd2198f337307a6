//! Absolute times as phases of periods that repeat: hour of the day, day of the year.

use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// How a model sees the times s and t of an evolution whose clock runs on for ever: by the lead t − s and by the phases of both
/// times in some periods. No absolute time is outside what it was trained on; leads are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// The periods, in the unit of the times: 24 for hours of the day, 8766 for those of the year.
    pub periods: Vec<f64>,
    /// The longest lead it was trained on.
    pub longest_lead: f64,
}

impl Calendar {
    /// Number of inputs.
    pub fn n_inputs(&self) -> usize {
        1 + 4 * self.periods.len()
    }

    /// (t − s) / longest lead; then for every period P: sin 2πs/P, cos 2πs/P, sin 2πt/P, cos 2πt/P.
    pub fn inputs(&self, (s, t): (f64, f64)) -> Vec<f64> {
        let phases = self.periods.iter().flat_map(|period| {
            [s, t].into_iter().flat_map(move |time| {
                // The remainder first: hours since 1970 are large numbers.
                let (sine, cosine) = (TAU * time.rem_euclid(*period) / period).sin_cos();
                [sine, cosine]
            })
        });
        std::iter::once((t - s) / self.longest_lead).chain(phases).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At six in the morning of any day, a quarter of a day ahead.
    #[test]
    fn phases_by_hand() {
        let calendar = Calendar { periods: vec![24.0, 8766.0], longest_lead: 12.0 };
        assert_eq!(calendar.n_inputs(), 9);
        for day in [0.0, 20_000.0] {
            let s = 24.0 * day + 6.0;
            let found = calendar.inputs((s, s + 6.0));
            for (got, expected) in found.iter().zip([0.5, 1.0, 0.0, 0.0, -1.0]) {
                assert!((got - expected).abs() < 1e-9, "{found:?}");
            }
        }
        let year = calendar.inputs((8766.0 * 50.0, 8766.0 * 50.25));
        assert!((year[7] - 1.0).abs() < 1e-9 && year[5].abs() < 1e-9, "{year:?}");
    }
}
