//! The configuration of a DeepONet.

use crate::error::Result;
use crate::problem::Problem;
use crate::size::at_least_1;
use lto_numerics::{Grid, Placement};
use serde::{Deserialize, Serialize};

/// Configuration of a DeepONet, the `[model]` of a configuration file with `kind = "deeponet"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeepOnetConfig {
    /// Widths of the hidden layers of the branch.
    pub branch: Vec<usize>,
    /// Widths of the hidden layers of the trunk.
    pub trunk: Vec<usize>,
    /// Products summed for each target channel, K.
    pub basis: usize,
    /// Every k-th point of the training grid along each axis is a sensor.
    #[serde(default = "default_stride")]
    pub sensor_stride: usize,
    /// Where the points of the training grid lie; if not given, left on periodic axes and vertices on others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
}

fn default_stride() -> usize {
    1
}

impl DeepOnetConfig {
    /// The sensors: the grid whose values the branch takes.
    ///
    /// # Errors
    /// A size of zero, or a placement the domain does not allow.
    pub fn sensors(&self, problem: &Problem) -> Result<Grid> {
        let sizes = [("basis", self.basis), ("sensor_stride", self.sensor_stride)];
        let widths =
            self.branch.iter().map(|w| ("branch", *w)).chain(self.trunk.iter().map(|w| ("trunk", *w)));
        at_least_1(sizes.into_iter().chain(widths))?;
        let usual = |periodic: bool| if periodic { Placement::Left } else { Placement::Vertex };
        let axes: Vec<(usize, Placement)> = problem
            .native
            .iter()
            .zip(problem.domain.axes())
            .map(|(n, axis)| (*n, self.placement.unwrap_or_else(|| usual(axis.periodic))))
            .collect();
        Ok(Grid::uniform(problem.domain.clone(), &axes)?.strided(self.sensor_stride)?)
    }
}
