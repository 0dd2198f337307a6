//! Numbers of others, to stand beside ours.

use super::rows::Kind;
use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Numbers that others published for cases of a table: a column beside ours.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Heading of the column.
    pub name: String,
    /// Which table.
    #[serde(rename = "table")]
    pub kind: Kind,
    /// Relative L2 by the label of the row: `64`, `64x64`, `k=5`, `average`. What stands in brackets after a label is not part of
    /// it.
    pub relative_l2: BTreeMap<String, f64>,
}

impl Published {
    /// The number for a row.
    pub fn of(&self, label: &str) -> Option<f64> {
        let bare = label.split(" (").next().unwrap_or(label);
        self.relative_l2.get(bare).copied()
    }
}

/// Reads published numbers from a TOML file of `[[published]]`.
///
/// # Errors
/// A file that cannot be read or is not of this form.
pub fn read_published(path: &Path) -> Result<Vec<Published>> {
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
