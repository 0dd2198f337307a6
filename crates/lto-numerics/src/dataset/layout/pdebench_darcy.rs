//! PDEBench's Darcy flow: viscosity field → steady solution.
//!
//! - Axes: `nu` (n, x, y), `tensor` (n, 1, x, y); `x-coordinate`, `y-coordinate`. A `t-coordinate`, if
//!   present, is meaningless.
//! - Points: cell centers of the unit square; bounds half a cell beyond the coordinates, or from attributes.
//! - Not periodic.

use super::pdebench::{coordinate_axes, scalar};
use super::{Content, Meaning, Probe, Role, roles};
use crate::error::Result;

pub(super) fn recognizes(probe: &Probe) -> bool {
    probe.has(&["nu", "tensor", "x-coordinate"])
        && probe.find("tensor").is_some_and(|a| a.shape.get(1) == Some(&1) && a.shape.len() > 2)
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let (nu, tensor) = (probe.array("nu")?, probe.array("tensor")?);
    let [n_samples, space @ ..] = nu.shape.as_slice() else {
        return Err(probe.unsupported(&nu.name, "axes must be (n, x, y), but it has none".into()));
    };
    let mut axes = coordinate_axes(probe, space, "nu")?;
    for axis in &mut axes {
        axis.periodic.get_or_insert(false);
    }
    let source = vec![scalar("nu", &nu, roles(&[Role::Sample], axes.len(), &[]))];
    let target = vec![scalar("tensor", &tensor, roles(&[Role::Sample, Role::Single], axes.len(), &[]))];
    Ok(Meaning {
        n_samples: *n_samples,
        axes,
        times: Vec::new(),
        content: Content::Steady { source, target },
    })
}
