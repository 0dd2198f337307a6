//! The configuration of a Fourier neural operator.

use crate::error::{Error, Result};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// Configuration of a Fourier neural operator, the `[model]` of a configuration file with `kind = "fno"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FnoConfig {
    /// Which of the two common forms.
    #[serde(default)]
    pub form: FnoForm,
    /// Channels w of the hidden states.
    pub width: usize,
    /// Wavenumbers kept along each axis.
    pub modes: Modes,
    /// Number of blocks.
    #[serde(default = "default_blocks")]
    pub blocks: usize,
    /// Width of the hidden layer of the projection: if not given, 128 in the published form, 2w in
    /// `neuraloperator`'s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<usize>,
}

fn default_blocks() -> usize {
    4
}

/// The forms of Fourier neural operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FnoForm {
    /// As first published: `modes` are `0 ≤ k < modes` along the last axis and `−modes ≤ k < modes` along the first of two.
    #[default]
    Published,
    /// The default of the Python package `neuraloperator` (2.0): MLPs for lifting and projection, and one
    /// with a gated skip in each block. `modes` are its `n_modes`: that many along the first of two axes,
    /// `modes/2 + 1` non-negative ones along the last.
    NeuralOperator,
}

/// One number for all axes, or one for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Modes {
    /// The same along every axis.
    All(usize),
    /// One for each axis.
    Each(Vec<usize>),
}

impl FnoConfig {
    /// Wavenumbers along axis `d`.
    pub fn modes(&self, d: usize) -> usize {
        match &self.modes {
            Modes::All(modes) => *modes,
            Modes::Each(each) => each.get(d).copied().unwrap_or(0),
        }
    }

    /// Width of the hidden layer of the projection.
    pub fn hidden(&self) -> usize {
        self.hidden.unwrap_or(match self.form {
            FnoForm::Published => 128,
            FnoForm::NeuralOperator => self.width.saturating_mul(2),
        })
    }

    /// Checks what the types cannot express.
    ///
    /// # Errors
    /// A size of zero, the wrong number of modes, or more modes than the training grid has.
    pub fn validate(&self, problem: &Problem) -> Result<()> {
        let refuse = |key: &str, value: String, requirement: String| {
            Err(Error::Config { key: format!("model.{key}"), value, requirement })
        };
        let dim = problem.domain.dim();
        if let Modes::Each(each) = &self.modes
            && each.len() != dim
        {
            return refuse(
                "modes",
                format!("{each:?}"),
                format!("one number, or one for each of {dim} axes"),
            );
        }
        let sizes = [("width", self.width), ("blocks", self.blocks), ("hidden", self.hidden())];
        let modes = (0..dim).map(|d| ("modes", self.modes(d)));
        if let Some((key, _)) = sizes.into_iter().chain(modes).find(|(_, size)| *size == 0) {
            return refuse(key, "0".into(), "must be at least 1".into());
        }
        match self.coarse_axis(&problem.native) {
            Some(d) => {
                let n = problem.native[d];
                let most = format!("a training grid of {n} points has {} wavenumbers", n / 2 + 1);
                refuse("modes", self.modes(d).to_string(), most)
            }
            None => Ok(()),
        }
    }

    /// The first axis of a grid with too few points for the modes; only the published form needs all of them.
    pub fn coarse_axis(&self, shape: &[usize]) -> Option<usize> {
        let needs_all = self.form == FnoForm::Published;
        (0..shape.len()).find(|&d| needs_all && self.modes(d) > shape[d] / 2 + 1)
    }
}
