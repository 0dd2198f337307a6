//! The reference solutions published with the PINN papers (`burgers_shock.mat`, …): one trajectory.
//!
//! - Axes: `usol` (x, t); `x` (n, 1) or (1, n), `t` (m, 1) or (1, m).
//! - Points: as in `x`. Bounds: its first and last entry.
//! - Periodic: the file does not say; assumed not.

use super::pdebench::scalar;
use super::{AxisPlan, Content, Plan, Probe, Role};
use crate::domain::AXIS_NAMES;
use crate::error::Result;

pub(super) fn recognizes(probe: &Probe) -> bool {
    probe.has(&["x", "t", "usol"]) && probe.rank("usol") == 2
}

pub(super) fn plan(probe: &mut Probe) -> Result<Plan> {
    let usol = probe.array("usol")?;
    let &[n, n_frames] = usol.shape.as_slice() else {
        return Err(
            probe.unsupported(&usol.name, format!("axes must be (x, t), but the shape is {:?}", usol.shape))
        );
    };
    let coordinates = probe.coordinates("x", n, "usol")?;
    let times = probe.times("t", n_frames, "usol")?;
    let axis =
        AxisPlan { name: AXIS_NAMES[0].into(), n, coordinates: Some(coordinates), ..AxisPlan::default() };
    let state = vec![scalar("usol", &usol, vec![Role::Space(0), Role::Time])];
    Ok(Plan { n_samples: 1, axes: vec![axis], times, content: Content::Evolution(state) })
}
