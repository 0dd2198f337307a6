//! How many wavenumbers a spectral model keeps along each axis.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// One number for all axes, or one for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Modes {
    /// The same along every axis.
    All(usize),
    /// One for each axis.
    Each(Vec<usize>),
}

impl Modes {
    /// Wavenumbers along axis `d`.
    pub fn along(&self, d: usize) -> usize {
        match self {
            Modes::All(modes) => *modes,
            Modes::Each(each) => each.get(d).copied().unwrap_or(0),
        }
    }

    /// The first axis of a grid that does not have all these wavenumbers.
    pub fn coarse_axis(&self, shape: &[usize]) -> Option<usize> {
        (0..shape.len()).find(|&d| self.along(d) > wavenumbers(shape[d]))
    }

    /// Checks that there is a number for each of `dim` axes, and none is zero.
    ///
    /// # Errors
    /// [`Error::Config`], naming the value.
    pub fn validate(&self, dim: usize) -> Result<()> {
        let refuse = |value: String, requirement: String| {
            Err(Error::Config { key: "model.modes".into(), value, requirement })
        };
        match self {
            Modes::Each(each) if each.len() != dim => {
                refuse(format!("{each:?}"), format!("one number, or one for each of {dim} axes"))
            }
            _ if (0..dim).any(|d| self.along(d) == 0) => refuse("0".into(), "must be at least 1".into()),
            _ => Ok(()),
        }
    }

    /// Checks that a training grid has all these wavenumbers.
    ///
    /// # Errors
    /// [`Error::Config`], naming how many there are.
    pub fn fit(&self, native: &[usize]) -> Result<()> {
        let Some(d) = self.coarse_axis(native) else { return Ok(()) };
        let has = wavenumbers(native[d]);
        Err(Error::Config {
            key: "model.modes".into(),
            value: self.along(d).to_string(),
            requirement: format!("a training grid of {} points has {has} wavenumbers", native[d]),
        })
    }
}

/// The wavenumbers 0, 1, … of a real signal on `n` points.
pub fn wavenumbers(n: usize) -> usize {
    n / 2 + 1
}
