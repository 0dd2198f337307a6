//! PDEBench's compressible Navier–Stokes equations.
//!
//! - Axes: `density`, `pressure`, `Vx`[, `Vy`[, `Vz`]], each (n, t, x[, y[, z]]), one channel each;
//!   `x-coordinate`, … and `t-coordinate` with one entry more than frames.
//! - Points: cell centers; bounds half a cell beyond the coordinates.
//! - Periodic: if the file name contains `periodic`; not if it contains `trans`.

use super::pdebench::{coordinate_axes, evolution_shape, scalar};
use super::{Content, Meaning, Probe, Role, roles};
use crate::error::Result;

pub(super) fn recognizes(probe: &Probe) -> bool {
    probe.has(&["density", "pressure", "Vx", "x-coordinate", "t-coordinate"])
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let density = probe.array("density")?;
    let (n_samples, n_frames, space) = evolution_shape(probe, &density)?;
    let times = probe.times("t-coordinate", n_frames, "density")?;
    let mut axes = coordinate_axes(probe, space, "density")?;
    let name = probe.file_name();
    let periodic = ["periodic", "trans"].into_iter().find(|word| name.contains(word));
    if let Some(word) = periodic {
        probe.note(format!("boundary conditions: {word}, from the file name"));
        for axis in &mut axes {
            axis.periodic.get_or_insert(word == "periodic");
        }
    }
    let mut state = Vec::new();
    for key in ["density", "pressure", "Vx", "Vy", "Vz"].into_iter().take(2 + axes.len()) {
        let array = probe.array(key)?;
        state.push(scalar(key, &array, roles(&[Role::Sample, Role::Time], axes.len(), &[])));
    }
    Ok(Meaning { n_samples, axes, times, content: Content::Evolution(state) })
}
