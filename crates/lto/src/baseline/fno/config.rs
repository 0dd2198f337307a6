//! The configuration of a Fourier neural operator.

use crate::baseline::modes::Modes;
use crate::error::Result;
use crate::problem::Problem;
use crate::size::at_least_1;
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

impl FnoConfig {
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
        self.modes.validate(problem.domain.dim())?;
        at_least_1([("width", self.width), ("blocks", self.blocks), ("hidden", self.hidden())])?;
        self.needed().map_or(Ok(()), |modes| modes.fit(&problem.native))
    }

    /// The wavenumbers that a grid must have: only the published form needs all of them.
    pub fn needed(&self) -> Option<&Modes> {
        (self.form == FnoForm::Published).then_some(&self.modes)
    }
}
