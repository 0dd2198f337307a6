//! What is known about a dataset before any sample is read.

use crate::dataset::format::{ArrayInfo, Attribute, Format, TimeUnits};
use crate::dataset::layout::LayoutKind;
use crate::domain::Domain;
use crate::grid::{Grid, Placement};
use serde::Serialize;
use std::path::PathBuf;

/// Everything recognized in a file, and every assumption made about it.
#[derive(Clone, Debug, Serialize)]
pub struct DatasetInfo {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its layout; [`LayoutKind::Generic`] if no other fits.
    pub layout: LayoutKind,
    /// Number of samples.
    pub n_samples: usize,
    /// Evolution or steady pair, with channel names; `None` if the file does not say enough (then `problem`
    /// says what to add).
    pub kind: Option<DatasetKind>,
    /// The grid; `None` if the file does not say where its points lie (then `problem` says how to give them).
    pub grid: Option<GridInfo>,
    /// Number of points along each spatial axis, as read; known even if the grid is not.
    pub shape: Vec<usize>,
    /// Times of the frames; empty for a steady pair.
    pub times: Vec<f64>,
    /// The unit and origin of the times, if the file gives them; the times themselves are plain numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_units: Option<TimeUnits>,
    /// Finer genuine data of the same samples, by ascending resolution.
    pub finer: Vec<FinerResolution>,
    /// Attributes by `(owner, name)`, as in the file.
    pub attributes: Vec<(String, String, Attribute)>,
    /// All arrays of the file.
    pub arrays: Vec<ArrayInfo>,
    /// For people: what was recognized and from what, and every assumption with the option that overrides it.
    pub notes: Vec<String>,
    /// Why samples cannot be read, and what to give so that they can.
    pub problem: Option<String>,
}

/// What a sample of the dataset is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DatasetKind {
    /// A state at increasing times.
    Evolution {
        /// Channel names.
        channels: Vec<String>,
    },
    /// A field determined by another.
    Steady {
        /// Channel names of the source.
        source: Vec<String>,
        /// Channel names of the target.
        target: Vec<String>,
    },
}

/// A grid in brief, without coordinate lists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridInfo {
    /// Number of points along each axis.
    pub shape: Vec<usize>,
    /// The domain.
    pub domain: Domain,
    /// Where the points lie along each axis; `None` for coordinates that match no uniform placement.
    pub placements: Vec<Option<Placement>>,
}

impl From<&Grid> for GridInfo {
    fn from(grid: &Grid) -> Self {
        Self {
            shape: grid.shape(),
            domain: grid.domain().clone(),
            placements: (0..grid.dim()).map(|d| grid.placement(d)).collect(),
        }
    }
}

/// A group `resolution_<n>` of a multi-resolution file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FinerResolution {
    /// The number in its name, for [`OpenOptions::resolution`](crate::dataset::OpenOptions::resolution).
    pub resolution: usize,
    /// Arrays in the group with their shapes.
    pub arrays: Vec<(String, Vec<usize>)>,
}
