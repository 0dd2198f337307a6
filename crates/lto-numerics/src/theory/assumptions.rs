//! Which assumptions of the discretization theorem a layout of points satisfies.

use crate::error::Result;
use crate::geometry::{EqualVolume, equal_volume, voronoi_volumes};
use crate::points::Points;
use serde::Serialize;

/// Samples in all for the volumes of cells.
const SAMPLES: usize = 1 << 20;

/// The cells that stand behind the points in the sums.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Partition {
    /// Equal volumes, each cell within 2δ of its point: Assumption assum:reg (c) holds.
    EqualVolume,
    /// Voronoi cells, each within δ of its point, of unequal volumes |V_j|. The volumes are sampled: what rests on
    /// them is an estimate.
    Voronoi {
        /// Whether the equal-volume partition is known not to exist, or was only not found.
        equal_volume: EqualVolume,
        /// θ = max_j | |Ω|/(N |V_j|) − 1 |: how far the volumes are from equal.
        deviation: f64,
        /// r = min_j |Ω|/(N |V_j|).
        least_ratio: f64,
    },
}

/// What of Assumption assum:reg holds. Part (a), states in C² with curvature at most M, is what
/// [`super::Regularity`] asserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumptions {
    /// (b): every axis is periodic.
    pub periodic: bool,
    /// Number of axes that are not.
    pub n_open_axes: usize,
    /// (c), or what takes its place.
    pub partition: Partition,
}

impl Assumptions {
    /// Checks (b) and (c).
    ///
    /// # Errors
    /// As [`equal_volume`], whose tolerance it takes.
    pub fn check(points: &Points, tolerance: f64) -> Result<Self> {
        let n_open_axes = points.domain().axes().iter().filter(|axis| !axis.periodic).count();
        let partition = match equal_volume(points, tolerance)? {
            EqualVolume::Holds => Partition::EqualVolume,
            equal_volume => {
                let per_point = (SAMPLES / points.len()).clamp(8, 1024);
                let cells = voronoi_volumes(points, per_point)?;
                let mean = points.domain().volume() / points.len() as f64;
                let ratios = cells.volumes.iter().map(|volume| mean / volume);
                let (deviation, least_ratio) = ratios
                    .fold((0.0, f64::INFINITY), |(most, least): (f64, f64), r| {
                        (most.max((r - 1.0).abs()), least.min(r))
                    });
                Partition::Voronoi { equal_volume, deviation, least_ratio }
            }
        };
        Ok(Self { periodic: n_open_axes == 0, n_open_axes, partition })
    }

    /// Whether (b) and (c) both hold.
    pub fn hold(&self) -> bool {
        self.periodic && self.partition == Partition::EqualVolume
    }
}
