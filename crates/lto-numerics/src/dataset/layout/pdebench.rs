//! PDEBench's scalar equations (advection, Burgers, reaction–diffusion), and files written by this crate.
//!
//! - Axes: `tensor` (n, t, x[, y[, z]]); `x-coordinate`, `y-coordinate`, `z-coordinate`, `t-coordinate`, the last
//!   with one entry more than there are frames.
//! - Points: cell centers. Bounds: half a cell beyond the first and last coordinate, (0,1) in new files, (−1,1) in
//!   old copies; or the attributes `domain_lower` and `domain_upper`, which this crate writes.
//! - Periodic: by the attribute `periodic` (one number per axis, nonzero if periodic), which this crate
//!   writes; else yes in 1-D, as all of PDEBench's 1-D scalar equations are.

use super::{AxisDraft, Component, Content, Meaning, Probe, Role, Source, roles};
use crate::dataset::format::ArrayInfo;
use crate::domain::AXIS_NAMES;
use crate::error::Result;
use crate::grid::Placement;

pub(super) fn recognizes(probe: &Probe) -> bool {
    probe.has(&["tensor", "x-coordinate", "t-coordinate"]) && (3..=5).contains(&probe.rank("tensor"))
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let tensor = probe.array("tensor")?;
    let (n_samples, n_frames, space) = evolution_shape(probe, &tensor)?;
    let times = probe.times("t-coordinate", n_frames, "tensor")?;
    let mut axes = coordinate_axes(probe, space, "tensor")?;
    if let [x] = axes.as_mut_slice()
        && x.periodic.is_none()
    {
        x.periodic = Some(true);
        probe.note("axis x: periodic, as all 1-D scalar equations of PDEBench are; override with --periodic");
    }
    let state = vec![scalar("tensor", &tensor, roles(&[Role::Sample, Role::Time], axes.len(), &[]))];
    Ok(Meaning { n_samples, axes, times, content: Content::Evolution(state) })
}

/// Samples, frames and points along each axis of an array (n, t, x[, y[, z]]).
pub(super) fn evolution_shape<'a>(
    probe: &Probe,
    array: &'a ArrayInfo,
) -> Result<(usize, usize, &'a [usize])> {
    match array.shape.as_slice() {
        [n, t, space @ ..] if (1..=3).contains(&space.len()) => Ok((*n, *t, space)),
        shape => Err(probe.unsupported(
            &array.name,
            format!("axes must be (n, t, x[, y[, z]]), but the shape is {shape:?}"),
        )),
    }
}

/// Cell-centered axes from `x-coordinate`, …, with bounds and periodicity from attributes, if any.
pub(super) fn coordinate_axes(probe: &mut Probe, space: &[usize], owner: &str) -> Result<Vec<AxisDraft>> {
    let mut axes = Vec::with_capacity(space.len());
    for (name, &n) in AXIS_NAMES.iter().zip(space) {
        let coordinates = probe.coordinates(&format!("{name}-coordinate"), n, owner)?;
        axes.push(AxisDraft {
            name: (*name).into(),
            n,
            coordinates: Some(coordinates),
            placement: Some(Placement::Center),
            ..AxisDraft::default()
        });
    }
    let lower = probe.stated("domain_lower", axes.len())?;
    let upper = probe.stated("domain_upper", axes.len())?;
    if let (Some(lower), Some(upper)) = (lower, upper) {
        probe.note("domain bounds from domain_lower and domain_upper");
        for (axis, bounds) in axes.iter_mut().zip(lower.into_iter().zip(upper)) {
            axis.bounds = Some(bounds);
        }
    }
    if let Some(periodic) = probe.stated("periodic", axes.len())? {
        probe.note("periodicity from the file's entry periodic");
        for (axis, periodic) in axes.iter_mut().zip(periodic) {
            axis.periodic = Some(periodic != 0.0);
        }
    }
    Ok(axes)
}

/// An array that is one channel of the same name.
pub(super) fn scalar(key: &str, array: &ArrayInfo, roles: Vec<Role>) -> Component {
    Component {
        key: key.into(),
        source: Source::Whole(array.name.clone()),
        shape: array.shape.clone(),
        roles,
        channels: vec![key.into()],
    }
}
