//! The configuration of a Latent Neural Operator.

use crate::error::{Error, Result};
use crate::size::at_least_1;
use serde::{Deserialize, Serialize};

/// Configuration of a Latent Neural Operator, the `[model]` of a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LnoConfig {
    /// Number of transformer blocks.
    pub blocks: usize,
    /// Number of modes.
    pub modes: usize,
    /// Size of the features of points and modes.
    pub dim: usize,
    /// Heads of the attention between modes; must divide `dim`.
    pub heads: usize,
    /// Residual steps of each of the four networks applied at points.
    #[serde(default = "default_layers")]
    pub layers: usize,
    /// Where it can predict.
    #[serde(default)]
    pub queries: LnoQueries,
}

fn default_layers() -> usize {
    2
}

/// Where a model can predict. The weights are the same: they may be trained one way and used the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LnoQueries {
    /// At observed points, as published: the scores that encode also decode.
    #[default]
    Observations,
    /// Anywhere: the same networks score the positions of the query.
    Any,
}

impl LnoConfig {
    /// Checks what the types cannot express.
    ///
    /// # Errors
    /// A size of zero, or heads that do not divide the dimension.
    pub fn validate(&self) -> Result<()> {
        at_least_1([
            ("blocks", self.blocks),
            ("modes", self.modes),
            ("dim", self.dim),
            ("heads", self.heads),
            ("layers", self.layers),
        ])?;
        if !self.dim.is_multiple_of(self.heads) {
            return Err(Error::Config {
                key: "model.heads".into(),
                value: self.heads.to_string(),
                requirement: format!("must divide dim = {}", self.dim),
            });
        }
        Ok(())
    }
}
