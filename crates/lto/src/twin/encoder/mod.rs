//! Encoders: a context of any size and placement becomes a latent state on the fixed grid.

pub mod attention;
pub mod channels;
pub mod setconv;

use serde::{Deserialize, Serialize};

/// What the density channel holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// ρ itself: grows with N.
    Raw,
    /// `ρ |Ω| / (N κ̄)`: about 1 wherever the points are evenly spread, whatever N.
    #[default]
    PerPoint,
    /// `1 − e^{−ρ}`: between 0 (no point near) and 1.
    Coverage,
}
