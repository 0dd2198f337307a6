//! The ways by which a model reaches a later time.

use serde::{Deserialize, Serialize};

/// How a model goes from time s to time t.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Way {
    /// Encoded once, evolved once, decoded once
    Direct,
    /// Encoded once, evolved step by step, decoded once
    Chain,
    /// Step by step, each prediction encoded again
    Rollout,
}

impl Way {
    /// All ways.
    pub const ALL: [Way; 3] = [Way::Direct, Way::Chain, Way::Rollout];

    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Way::Direct => "direct",
            Way::Chain => "chain",
            Way::Rollout => "rollout",
        }
    }
}

/// The best way over a lead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestWay {
    /// The lead, in native intervals.
    pub lead: f64,
    /// The way whose error was smallest.
    pub way: Way,
}
