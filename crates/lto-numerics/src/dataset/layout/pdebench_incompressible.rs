//! PDEBench's incompressible Navier–Stokes equations.
//!
//! - Axes: `velocity` (n, t, x, y, 2), `particles` (n, t, x, y, 1), `force` (n, x, y, 2), `t` (n, t). The
//!   force is constant in time and is repeated as channels of every frame.
//! - Points: not in the file. The generator resamples everything to cell centers of its box, which is the
//!   unit square in all published files.
//! - Not periodic: zero velocity at the walls.

use super::{AxisDraft, Component, Content, Meaning, Probe, Role, Source, roles};
use crate::dataset::format::ArrayInfo;
use crate::domain::AXIS_NAMES;
use crate::error::Result;
use crate::grid::Placement;

pub(super) fn recognizes(probe: &Probe) -> bool {
    probe.has(&["velocity", "t"]) && probe.rank("velocity") == 5
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let velocity = probe.array("velocity")?;
    let &[n_samples, n_frames, nx, ny, _] = velocity.shape.as_slice() else {
        return Err(probe.unsupported(
            &velocity.name,
            format!("axes must be (n, t, x, y, 2), but the shape is {:?}", velocity.shape),
        ));
    };
    let times = probe.common_list("t")?;
    probe.expect("entries of t for the frames of velocity".into(), n_frames, times.len())?;
    probe.check_times("t", &times)?;
    probe.note("points not in the file: cell centers of the unit square, as in the generator; override with --grid and --domain");
    let axis = |name: &str, n| AxisDraft {
        name: name.into(),
        n,
        coordinates: None,
        placement: Some(Placement::Center),
        bounds: Some((0.0, 1.0)),
        periodic: Some(false),
    };
    let axes = vec![axis(AXIS_NAMES[0], nx), axis(AXIS_NAMES[1], ny)];
    let in_time = roles(&[Role::Sample, Role::Time], 2, &[Role::Channel]);
    let mut state = vec![vector("velocity", &velocity, in_time.clone())];
    if let Some(particles) = probe.find("particles").cloned() {
        state.push(vector("particles", &particles, in_time));
    }
    if let Some(force) = probe.find("force").cloned() {
        state.push(vector("force", &force, roles(&[Role::Sample], 2, &[Role::Channel])));
        probe.note("force does not change in time: repeated as channels of every frame");
    }
    Ok(Meaning { n_samples, axes, times, content: Content::Evolution(state) })
}

/// An array whose last axis is one channel or the components x, y of a vector.
fn vector(key: &str, array: &ArrayInfo, roles: Vec<Role>) -> Component {
    let n = array.shape.last().copied().unwrap_or(1);
    let channels = if n == 1 {
        vec![key.into()]
    } else {
        AXIS_NAMES.iter().take(n).map(|d| format!("{key}_{d}")).collect()
    };
    Component {
        key: key.into(),
        source: Source::Whole(array.name.clone()),
        shape: array.shape.clone(),
        roles,
        channels,
    }
}
