//! The learning rate over the course of training.

mod constant;
mod cosine;
mod one_cycle;

pub use constant::Constant;
pub use cosine::Cosine;
pub use one_cycle::OneCycle;

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// One way for the learning rate to rise and fall.
trait Schedule {
    /// What its parameters must be, where they are not.
    fn check(&self) -> std::result::Result<(), &'static str>;

    /// The factor at `progress` in [0, 1].
    fn factor(&self, progress: f64) -> f64;
}

/// All schedules, one line each.
macro_rules! schedules {
    ($($(#[$doc:meta])* $kind:ident,)+) => {
        /// How the learning rate rises and falls, as factors of its largest value.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum ScheduleConfig {
            $($(#[$doc])* $kind($kind),)+
        }

        impl ScheduleConfig {
            /// Checks what types cannot say.
            ///
            /// # Errors
            /// A parameter out of its range.
            pub fn validate(&self) -> Result<()> {
                let (checked, value) = match self {
                    $(ScheduleConfig::$kind(schedule) => (schedule.check(), format!("{schedule:?}")),)+
                };
                let key = "train.schedule".into();
                checked.map_err(|requirement| Error::Config { key, value, requirement: requirement.into() })
            }

            /// The factor at `progress` in [0, 1].
            pub fn factor(&self, progress: f64) -> f64 {
                match self {
                    $(ScheduleConfig::$kind(schedule) => schedule.factor(progress.clamp(0.0, 1.0)),)+
                }
            }
        }
    };
}

schedules! {
    /// Up and down along half a cosine each.
    OneCycle,
    /// Straight up, then down along half a cosine.
    Cosine,
    /// Always 1.
    Constant,
}

impl Default for ScheduleConfig {
    /// The published one.
    fn default() -> Self {
        ScheduleConfig::OneCycle(OneCycle::default())
    }
}

/// Half a cosine from `from` at share 0 to `to` at share 1.
fn half_cosine(from: f64, to: f64, share: f64) -> f64 {
    to + (from - to) * 0.5 * (1.0 + (PI * share).cos())
}

fn check_warmup(warmup: f64) -> std::result::Result<(), &'static str> {
    if (0.0..1.0).contains(&warmup) { Ok(()) } else { Err("warmup must be in [0, 1)") }
}
