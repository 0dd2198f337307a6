//! The configuration of a factorized Fourier neural operator.

use crate::baseline::modes::Modes;
use crate::error::Result;
use crate::problem::Problem;
use crate::size::at_least_1;
use serde::{Deserialize, Serialize};

/// Configuration of a factorized Fourier neural operator, the `[model]` of a configuration file with
/// `kind = "f_fno"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FFnoConfig {
    /// Channels w of the hidden states.
    pub width: usize,
    /// Wavenumbers `0 ≤ k < modes` kept along each axis.
    pub modes: Modes,
    /// Number of layers.
    #[serde(default = "default_layers")]
    pub layers: usize,
    /// The perceptron of a layer has this many times w hidden channels.
    #[serde(default = "default_expansion")]
    pub expansion: usize,
    /// Whether all layers have the same spectral weights.
    #[serde(default = "default_share")]
    pub share: bool,
    /// Width of the hidden layer of the projection.
    #[serde(default = "default_hidden")]
    pub hidden: usize,
}

fn default_layers() -> usize {
    4
}

fn default_expansion() -> usize {
    4
}

fn default_share() -> bool {
    true
}

fn default_hidden() -> usize {
    128
}

impl FFnoConfig {
    /// Checks what the types cannot express.
    ///
    /// # Errors
    /// A size of zero, the wrong number of modes, or more modes than the training grid has.
    pub fn validate(&self, problem: &Problem) -> Result<()> {
        self.modes.validate(problem.domain.dim())?;
        at_least_1([
            ("width", self.width),
            ("layers", self.layers),
            ("expansion", self.expansion),
            ("hidden", self.hidden),
        ])?;
        self.modes.fit(&problem.native)
    }

    /// Sets of spectral weights: one, or one for each layer.
    pub fn n_spectral(&self) -> usize {
        if self.share { 1 } else { self.layers }
    }
}
