//! The reference solutions published with the PINN papers (`burgers_shock.mat`, `KS.mat`, …): one trajectory.
//!
//! - Axes: `usol` (x, t), `t` (m, 1) or (1, m); or `uu` and `tt`. `x` (n, 1) or (1, n).
//! - Points: as in `x`. Bounds: its first and last entry; on a periodic axis one spacing more, unless the
//!   last point repeats the first.
//! - Periodic: the file does not say; assumed not.

use super::pdebench::scalar;
use super::{AxisDraft, Content, Meaning, Probe, Role};
use crate::domain::AXIS_NAMES;
use crate::error::Result;

/// The names of the solution and of its times.
fn names(probe: &Probe) -> Option<(&'static str, &'static str)> {
    let pairs = [("usol", "t"), ("uu", "tt")];
    pairs.into_iter().find(|(u, t)| probe.has(&["x", t, u]) && probe.rank(u) == 2)
}

pub(super) fn recognizes(probe: &Probe) -> bool {
    names(probe).is_some()
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let (solution, times) = names(probe).unwrap_or(("usol", "t"));
    let u = probe.array(solution)?;
    let &[n, n_frames] = u.shape.as_slice() else {
        return Err(
            probe.unsupported(&u.name, format!("axes must be (x, t), but the shape is {:?}", u.shape))
        );
    };
    let coordinates = probe.coordinates("x", n, solution)?;
    let times = probe.times(times, n_frames, solution)?;
    let axis =
        AxisDraft { name: AXIS_NAMES[0].into(), n, coordinates: Some(coordinates), ..AxisDraft::default() };
    let state = vec![scalar(solution, &u, vec![Role::Space(0), Role::Time])];
    Ok(Meaning { n_samples: 1, axes: vec![axis], times, content: Content::Evolution(state) })
}
