//! FNO's Burgers file (`burgers_data_R10.mat`): state at time 0 → state at time 1, a pair without frames.
//!
//! - Axes: `a`, `u` (n, x).
//! - Points: not in the file. x_i = i/n, since the generator drops the last of its n+1 vertices.
//! - Periodic on the unit interval.

use super::fno_navier_stokes::periodic_unit_axis;
use super::pdebench::scalar;
use super::{Content, Meaning, Probe, Role, roles};
use crate::domain::AXIS_NAMES;
use crate::error::Result;

pub(super) fn recognizes(probe: &Probe) -> bool {
    let shape = |name| probe.find(name).map(|a| a.shape.as_slice());
    matches!((shape("a"), shape("u")), (Some(a), Some(u)) if a.len() == 2 && a == u)
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let (a, u) = (probe.array("a")?, probe.array("u")?);
    let &[n_samples, n] = u.shape.as_slice() else {
        return Err(
            probe.unsupported(&u.name, format!("axes must be (n, x), but the shape is {:?}", u.shape))
        );
    };
    probe.note("points not in the file: x_i = i/n on the periodic unit interval, as in FNO's generator; override with --grid");
    let roles = roles(&[Role::Sample], 1, &[]);
    let content = Content::Steady {
        source: vec![scalar("a", &a, roles.clone())],
        target: vec![scalar("u", &u, roles)],
    };
    Ok(Meaning { n_samples, axes: vec![periodic_unit_axis(AXIS_NAMES[0], n)], times: Vec::new(), content })
}
