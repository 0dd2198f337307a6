//! A straight rise, then half a cosine.

use super::{Schedule, check_warmup, half_cosine};
use serde::{Deserialize, Serialize};

/// Straight from 0 up to 1 over the warm-up, then down to `floor` along half a cosine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cosine {
    /// Share of the training spent rising.
    pub warmup: f64,
    /// Where it ends.
    pub floor: f64,
}

impl Schedule for Cosine {
    fn check(&self) -> Result<(), &'static str> {
        check_warmup(self.warmup)?;
        if (0.0..=1.0).contains(&self.floor) { Ok(()) } else { Err("floor must be in [0, 1]") }
    }

    fn factor(&self, progress: f64) -> f64 {
        if progress < self.warmup {
            return progress / self.warmup;
        }
        half_cosine(1.0, self.floor, (progress - self.warmup) / (1.0 - self.warmup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_rises_straight_and_ends_at_its_floor() {
        let schedule = Cosine { warmup: 0.5, floor: 0.2 };
        for (progress, exact) in [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 0.6), (1.0, 0.2)] {
            assert!((schedule.factor(progress) - exact).abs() < 1e-12, "{progress}");
        }
        assert!(Cosine { warmup: 1.0, floor: 0.0 }.check().is_err());
        assert!(Cosine { warmup: 0.0, floor: 2.0 }.check().is_err());
    }
}
