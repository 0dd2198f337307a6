//! Up and down along half a cosine each.

use super::{Schedule, check_warmup, half_cosine};
use serde::{Deserialize, Serialize};

/// From `1/start_divisor` up to 1 over the warm-up, then down to `1/(start_divisor · final_divisor)`, both along half a
/// cosine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OneCycle {
    /// Share of the training spent rising.
    pub warmup: f64,
    /// What the rate starts below its largest value by.
    pub start_divisor: f64,
    /// What it ends below its start by.
    pub final_divisor: f64,
}

impl Default for OneCycle {
    /// The published one.
    fn default() -> Self {
        Self { warmup: 0.2, start_divisor: 1e4, final_divisor: 1e4 }
    }
}

impl Schedule for OneCycle {
    fn check(&self) -> Result<(), &'static str> {
        check_warmup(self.warmup)?;
        let sound = [self.start_divisor, self.final_divisor].iter().all(|d| *d >= 1.0 && d.is_finite());
        if sound { Ok(()) } else { Err("divisors must be at least 1") }
    }

    fn factor(&self, progress: f64) -> f64 {
        let (warmup, start) = (self.warmup, 1.0 / self.start_divisor);
        if progress < warmup {
            return half_cosine(start, 1.0, progress / warmup);
        }
        half_cosine(1.0, start / self.final_divisor, (progress - warmup) / (1.0 - warmup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: `torch.optim.lr_scheduler.OneCycleLR(AdamW([p], lr=1), max_lr=1, total_steps=101, pct_start=0.2,
    /// div_factor=1e4, final_div_factor=1e4)`, whose warm-up ends at step 0.2·101 − 1 of 100, is the same curve with
    /// `warmup = 0.192`; values at steps 0, 5, 10, 40, 70, 100.
    #[test]
    fn one_cycle_is_pytorchs() {
        let schedule = OneCycle { warmup: 0.192, ..OneCycle::default() };
        for (step, exact) in [
            (0, 1.0e-4),
            (5, 0.158288029),
            (10, 0.532748294),
            (40, 0.845210012),
            (70, 0.303283212),
            (100, 1.0e-8),
        ] {
            let factor = schedule.factor(f64::from(step) / 100.0);
            assert!((factor - exact).abs() < 1e-6 * (1.0 + exact), "{step}: {factor} {exact}");
        }
        let published = OneCycle::default();
        assert!(
            (published.factor(0.2) - 1.0).abs() < 1e-12 && (published.factor(0.1) - 0.50005).abs() < 1e-9
        );
        assert!((published.factor(0.6) - 0.5).abs() < 1e-6);
    }
}
