//! What makes a DeepONet: everything but its weights and its problem.

use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::size::{Size, chain, points};
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
    /// Products that are summed for each target channel, K.
    pub basis: usize,
    /// Every so manieth point of the training grid along each axis is a sensor.
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
    /// How large it is for a problem.
    pub fn size(&self, problem: &Problem) -> Size {
        let stride = self.sensor_stride.max(1);
        let sensors: f64 = problem.native.iter().map(|n| n.div_ceil(stride) as f64).product();
        let output = problem.target_channels as f64 * self.basis as f64;
        let net = |input: f64, hidden: &[usize]| match (hidden.first(), hidden.last()) {
            (Some(&first), Some(&last)) => {
                input * first as f64 + chain(hidden.iter().copied()) + last as f64 * output
            }
            _ => input * output,
        };
        Size {
            weights: net(problem.source_channels as f64 * sensors, &self.branch) + net(1.0, &self.trunk),
            layers: (self.branch.len() + self.trunk.len() + 2) as f64,
            state: points(problem) * output,
        }
    }

    /// The sensors: the grid whose values the branch takes.
    ///
    /// # Errors
    /// A size of zero, or a placement that the domain does not allow.
    pub fn sensors(&self, problem: &Problem) -> Result<Grid> {
        let sizes = [("basis", self.basis), ("sensor_stride", self.sensor_stride)];
        let widths =
            self.branch.iter().map(|w| ("branch", *w)).chain(self.trunk.iter().map(|w| ("trunk", *w)));
        if let Some((key, _)) = sizes.into_iter().chain(widths).find(|(_, size)| *size == 0) {
            let requirement = "must be at least 1".into();
            return Err(Error::Config { key: format!("model.{key}"), value: "0".into(), requirement });
        }
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
