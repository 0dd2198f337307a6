//! Regions where no sensor may stand.

use crate::domain::Domain;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A part of the domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Region {
    /// Between two corners.
    Box {
        /// Lower corner.
        lower: Vec<f64>,
        /// Upper corner.
        upper: Vec<f64>,
    },
    /// Within a distance of a point, the shorter way round on periodic axes.
    Ball {
        /// The point.
        center: Vec<f64>,
        /// The distance.
        radius: f64,
    },
}

impl Region {
    /// Whether a point lies in the region or on its boundary.
    pub fn contains(&self, domain: &Domain, point: &[f64]) -> bool {
        match self {
            Region::Box { lower, upper } => {
                point.iter().zip(lower.iter().zip(upper)).all(|(x, (low, high))| low <= x && x <= high)
            }
            Region::Ball { center, radius } => domain.distance(center, point) <= *radius,
        }
    }

    /// Refuses a region of another dimension.
    pub(super) fn check(&self, dim: usize) -> Result<()> {
        let sizes = match self {
            Region::Box { lower, upper } => vec![lower.len(), upper.len()],
            Region::Ball { center, .. } => vec![center.len()],
        };
        match sizes.into_iter().find(|&size| size != dim) {
            None => Ok(()),
            Some(got) => {
                let what = "number of coordinates of a region to avoid".into();
                Err(Error::Mismatch { what, expected: dim, got })
            }
        }
    }
}
