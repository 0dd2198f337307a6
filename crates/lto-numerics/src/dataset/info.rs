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
    /// Its layout; [`LayoutKind::Generic`] where no other fits.
    pub layout: LayoutKind,
    /// Number of samples.
    pub n_samples: usize,
    /// Evolution or steady pair, with channel names; `None` where the file does not say enough (then `problem` says
    /// what to add).
    pub kind: Option<DatasetKind>,
    /// The grid; `None` where the file does not say where its points lie (then `problem` says how to).
    pub grid: Option<GridInfo>,
    /// Number of points along each spatial axis, as read; known even where the grid is not.
    pub shape: Vec<usize>,
    /// Times of the frames; empty for a steady pair.
    pub times: Vec<f64>,
    /// What the times count, and from when, where the file says; the times are numbers all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_units: Option<TimeUnits>,
    /// Finer genuine data of the same samples, by ascending resolution.
    pub finer: Vec<FinerResolution>,
    /// Attributes by `(owner, name)`, as in the file.
    pub attributes: Vec<(String, String, Attribute)>,
    /// All arrays of the file.
    pub arrays: Vec<ArrayInfo>,
    /// For people: what was recognized from what, and every assumption with the option that overrides it.
    pub notes: Vec<String>,
    /// Why samples cannot be read, and what to say so that they can.
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
        /// Channel names of what is given.
        source: Vec<String>,
        /// Channel names of what is sought.
        target: Vec<String>,
    },
}

/// A grid in short: no coordinate lists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridInfo {
    /// Number of points along each axis.
    pub shape: Vec<usize>,
    /// The domain.
    pub domain: Domain,
    /// Where the points lie along each axis; `None` for coordinates that are no uniform placement.
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
