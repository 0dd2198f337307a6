//! The small files bundled with neuraloperator. They carry no coordinates and look like other files, so this
//! layout applies only if the user names it.
//!
//! - Axes: Darcy `coeff`, `sol` or `x`, `y` (n, x, y), a steady pair; Burgers `u` (n, t, x), frames without times.
//! - Points: x_i = i/n: index 0 on the boundary, the last point inside.
//! - Darcy: not periodic; Burgers: periodic. Both on the unit box.

use super::fno_darcy::pair;
use super::fno_navier_stokes::periodic_unit_axis;
use super::pdebench::{evolution_shape, scalar};
use super::{Content, Meaning, Probe, Role, frame_numbers, roles};
use crate::domain::AXIS_NAMES;
use crate::error::Result;
use crate::grid::Placement;

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    probe.note(
        "points not in the file: x_i = i/n on the unit box, by the layout's convention; override with --grid",
    );
    for keys in [["coeff", "sol"], ["x", "y"]] {
        if probe.has(&keys) {
            return pair(probe, keys, |_| Some(Placement::Left));
        }
    }
    let u = probe.array("u")?;
    let (n_samples, n_frames, space) = evolution_shape(probe, &u)?;
    let times = frame_numbers(probe, n_frames);
    let axes: Vec<_> = space.iter().zip(AXIS_NAMES).map(|(&n, name)| periodic_unit_axis(name, n)).collect();
    let state = vec![scalar("u", &u, roles(&[Role::Sample, Role::Time], axes.len(), &[]))];
    Ok(Meaning { n_samples, axes, times, content: Content::Evolution(state) })
}
