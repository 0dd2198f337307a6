//! Published numbers to show beside ours.

use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A kind of results of an evaluation; one table each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    /// One native step at native resolution.
    OneStep,
    /// The same, channel by channel.
    Channel,
    /// Other resolutions.
    Resolution,
    /// Fewer or more observations.
    Context,
    /// Noise on the observations.
    Noise,
    /// Many steps, each prediction fed back.
    Rollout,
    /// Many steps, each predicted directly.
    Direct,
    /// Many steps, without decoding on the way.
    Chain,
}

impl ResultKind {
    /// All, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::OneStep,
        Self::Channel,
        Self::Resolution,
        Self::Context,
        Self::Noise,
        Self::Rollout,
        Self::Direct,
        Self::Chain,
    ];

    /// Name as in files of published numbers and in CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneStep => "one_step",
            Self::Channel => "channel",
            Self::Resolution => "resolution",
            Self::Context => "context",
            Self::Noise => "noise",
            Self::Rollout => "rollout",
            Self::Direct => "direct",
            Self::Chain => "chain",
        }
    }
}

/// Published numbers for the cases of a table: a column beside ours.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Heading of the column.
    pub name: String,
    /// Which table.
    #[serde(rename = "table")]
    pub kind: ResultKind,
    /// Relative L2 by row label, without the part in brackets: `64`, `64x64`, `k=5`, `average`.
    pub relative_l2: BTreeMap<String, f64>,
}

impl Published {
    /// Reads published numbers from a TOML file of `[[published]]`.
    ///
    /// # Errors
    /// A file that cannot be read or is not of this form.
    pub fn read(path: &Path) -> Result<Vec<Self>> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            published: Vec<Published>,
        }
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        let file: File = toml::from_str(&text)
            .map_err(|e| Error::bad_file(path, format!("holds no published numbers: {}", e.message())))?;
        Ok(file.published)
    }

    /// The number for a row.
    pub fn of(&self, label: &str) -> Option<f64> {
        let bare = label.split(" (").next().unwrap_or(label);
        self.relative_l2.get(bare).copied()
    }
}
