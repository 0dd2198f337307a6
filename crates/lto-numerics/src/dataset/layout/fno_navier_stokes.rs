//! FNO's Navier–Stokes files (`NavierStokes_V1e-5_N1200_T20.mat`, …): vorticity on the unit torus.
//!
//! - Axes: `u` (n, x, y, t), `t` (1, t), and `a` (n, x, y), the state at time 0, which is not a frame of `u`.
//! - Points: not in the file. x_i = i/n, y_j = j/n: the solver's Fourier grid.
//! - Periodic on the unit square.

use super::pdebench::scalar;
use super::{AxisDraft, Content, Meaning, Probe, Role, frame_numbers, roles};
use crate::domain::AXIS_NAMES;
use crate::error::Result;
use crate::grid::Placement;

pub(super) fn recognizes(probe: &Probe) -> bool {
    let shape = |name| probe.find(name).map(|a| a.shape.as_slice());
    matches!((shape("a"), shape("u")), (Some(a), Some(u)) if a.len() == 3 && u.len() == 4 && u[..3] == *a)
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let u = probe.array("u")?;
    let &[n_samples, nx, ny, n_frames] = u.shape.as_slice() else {
        return Err(
            probe.unsupported(&u.name, format!("axes must be (n, x, y, t), but the shape is {:?}", u.shape))
        );
    };
    let times = match probe.find("t") {
        Some(_) => probe.times("t", n_frames, "u")?,
        None => frame_numbers(probe, n_frames),
    };
    if probe.find("a").is_some() {
        probe.note("a is the state at time 0; the frames are those of u");
    }
    probe.note("points not in the file: x_i = i/n on the periodic unit square, the Fourier grid of FNO's solver; override with --grid");
    let axes = [nx, ny].into_iter().zip(AXIS_NAMES).map(|(n, name)| periodic_unit_axis(name, n)).collect();
    let state = vec![scalar("u", &u, roles(&[Role::Sample], 2, &[Role::Time]))];
    Ok(Meaning { n_samples, axes, times, content: Content::Evolution(state) })
}

/// `x_i = i/n` on the unit circle.
pub(super) fn periodic_unit_axis(name: &str, n: usize) -> AxisDraft {
    AxisDraft {
        name: name.into(),
        n,
        coordinates: None,
        placement: Some(Placement::Left),
        bounds: Some((0.0, 1.0)),
        periodic: Some(true),
    }
}
