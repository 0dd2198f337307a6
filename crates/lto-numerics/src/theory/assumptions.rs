//! Which assumptions of the discretization theorem a layout of points satisfies.

use crate::error::Result;
use crate::geometry::{EqualVolume, VoronoiVolumes, equal_volume, fill_distance, voronoi_volumes};
use crate::points::Points;
use serde::Serialize;

/// Total number of samples for the volumes of cells.
const SAMPLES: usize = 1 << 20;

/// The cells that the points represent in the sums.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Partition {
    /// Equal volumes, of diameter at most 2δ: Assumption assum:reg (c) holds.
    EqualVolume {
        /// R: how far a cell reaches from its point at most. At most 2δ; δ if the points are centers of
        /// boxes.
        reach: f64,
    },
    /// Voronoi cells, each within δ of its point, of unequal volumes |V_j|.
    Voronoi {
        /// Whether the equal-volume partition is known not to exist, or merely was not found.
        equal_volume: EqualVolume,
        /// θ = max_j | |Ω|/(N |V_j|) − 1 |: how far the volumes are from equal.
        deviation: f64,
        /// r = min_j |Ω|/(N |V_j|).
        least_ratio: f64,
        /// Whether the volumes are exact, as on lines and grids. Otherwise they are sampled, and what rests
        /// on them is an estimate.
        exact: bool,
    },
}

/// Which parts of Assumption assum:reg hold. Part (a), states in C² with curvature at most M, is asserted by
/// [`super::Regularity`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumptions {
    /// (b): every axis is periodic.
    pub periodic: bool,
    /// Number of axes that are not.
    pub n_open_axes: usize,
    /// (c), or its substitute.
    pub partition: Partition,
}

impl Assumptions {
    /// Checks (b) and (c).
    ///
    /// # Errors
    /// As [`fill_distance`], with its tolerance.
    pub fn check(points: &Points, tolerance: f64) -> Result<Self> {
        Self::with_fill_distance(points, fill_distance(points, tolerance)?.upper)
    }

    /// The same, for a known fill distance.
    pub(super) fn with_fill_distance(points: &Points, fill_distance: f64) -> Result<Self> {
        let n_open_axes = points.domain().axes().iter().filter(|axis| !axis.periodic).count();
        let partition = match equal_volume(points, fill_distance) {
            EqualVolume::Holds { reach } => Partition::EqualVolume { reach },
            equal_volume => {
                let per_point = (SAMPLES / points.len()).clamp(8, 1024);
                let VoronoiVolumes { deviation, least_ratio, relative_error, .. } =
                    voronoi_volumes(points, per_point)?;
                Partition::Voronoi { equal_volume, deviation, least_ratio, exact: relative_error == 0.0 }
            }
        };
        Ok(Self { periodic: n_open_axes == 0, n_open_axes, partition })
    }

    /// Whether (b) and (c) both hold.
    pub fn hold(&self) -> bool {
        self.periodic && matches!(self.partition, Partition::EqualVolume { .. })
    }
}
