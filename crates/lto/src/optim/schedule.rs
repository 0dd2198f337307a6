//! The learning rate over the course of training.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// How the learning rate rises and falls, as factors of its largest value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ScheduleConfig {
    /// From `1/start_divisor` up to 1 over the warm-up, then down to `1/(start_divisor · final_divisor)`, both along
    /// half a cosine.
    OneCycle {
        /// Share of the training spent rising.
        #[serde(default = "default_one_cycle_warmup")]
        warmup: f64,
        /// What the rate starts below its largest value by.
        #[serde(default = "default_divisor")]
        start_divisor: f64,
        /// What it ends below its start by.
        #[serde(default = "default_divisor")]
        final_divisor: f64,
    },
    /// Straight from 0 up to 1 over the warm-up, then down to `floor` along half a cosine.
    Cosine {
        /// Share of the training spent rising.
        #[serde(default)]
        warmup: f64,
        /// Where it ends.
        #[serde(default)]
        floor: f64,
    },
    /// Always 1.
    Constant,
}

fn default_one_cycle_warmup() -> f64 {
    0.2
}

fn default_divisor() -> f64 {
    1e4
}

impl Default for ScheduleConfig {
    /// The published one.
    fn default() -> Self {
        let (warmup, divisor) = (default_one_cycle_warmup(), default_divisor());
        ScheduleConfig::OneCycle { warmup, start_divisor: divisor, final_divisor: divisor }
    }
}

impl ScheduleConfig {
    /// Checks what types cannot say.
    ///
    /// # Errors
    /// A warm-up outside [0, 1), a divisor below 1, or a floor outside [0, 1].
    pub fn validate(&self) -> Result<()> {
        let (warmup, good, requirement) = match *self {
            ScheduleConfig::OneCycle { warmup, start_divisor, final_divisor } => {
                let good = [start_divisor, final_divisor].iter().all(|d| *d >= 1.0 && d.is_finite());
                (warmup, good, "divisors must be at least 1")
            }
            ScheduleConfig::Cosine { warmup, floor } => {
                (warmup, (0.0..=1.0).contains(&floor), "floor must be in [0, 1]")
            }
            ScheduleConfig::Constant => return Ok(()),
        };
        let requirement = if (0.0..1.0).contains(&warmup) { requirement } else { "warmup must be in [0, 1)" };
        if good && (0.0..1.0).contains(&warmup) {
            return Ok(());
        }
        let key = "train.schedule".into();
        Err(Error::Config { key, value: format!("{self:?}"), requirement: requirement.into() })
    }

    /// The factor at `progress` in [0, 1].
    pub fn factor(&self, progress: f64) -> f64 {
        let progress = progress.clamp(0.0, 1.0);
        // Half a cosine from `from` at share 0 to `to` at share 1.
        let cosine = |from: f64, to: f64, share: f64| to + (from - to) * 0.5 * (1.0 + (PI * share).cos());
        match *self {
            ScheduleConfig::OneCycle { warmup, start_divisor, final_divisor } => {
                let start = 1.0 / start_divisor;
                if progress < warmup {
                    cosine(start, 1.0, progress / warmup)
                } else {
                    cosine(1.0, start / final_divisor, (progress - warmup) / (1.0 - warmup))
                }
            }
            ScheduleConfig::Cosine { warmup, floor } => {
                if progress < warmup {
                    progress / warmup
                } else {
                    cosine(1.0, floor, (progress - warmup) / (1.0 - warmup))
                }
            }
            ScheduleConfig::Constant => 1.0,
        }
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
        let schedule = ScheduleConfig::OneCycle { warmup: 0.192, start_divisor: 1e4, final_divisor: 1e4 };
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
        let published = ScheduleConfig::default();
        assert!(
            (published.factor(0.2) - 1.0).abs() < 1e-12 && (published.factor(0.1) - 0.50005).abs() < 1e-9
        );
        assert!((published.factor(0.6) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn cosine_rises_straight_and_ends_at_its_floor() {
        let schedule = ScheduleConfig::Cosine { warmup: 0.5, floor: 0.2 };
        for (progress, exact) in [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 0.6), (1.0, 0.2), (2.0, 0.2)] {
            assert!((schedule.factor(progress) - exact).abs() < 1e-12, "{progress}");
        }
        assert!(ScheduleConfig::Cosine { warmup: 1.0, floor: 0.0 }.validate().is_err());
        assert!(ScheduleConfig::Cosine { warmup: 0.0, floor: 2.0 }.validate().is_err());
    }
}
