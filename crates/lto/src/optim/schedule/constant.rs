//! A learning rate that stays.

use super::Schedule;
use serde::{Deserialize, Serialize};

/// Always 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {}

impl Schedule for Constant {
    fn check(&self) -> Result<(), &'static str> {
        Ok(())
    }

    fn factor(&self, _progress: f64) -> f64 {
        1.0
    }
}
