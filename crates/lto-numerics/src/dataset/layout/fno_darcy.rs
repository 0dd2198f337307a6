//! FNO's Darcy flow files (`piececonst_r421_N1024_smooth1.mat`, …): coefficient → pressure.
//!
//! - Axes: `coeff`, `sol` (n, x, y); the derived fields beside them (`Kcoeff`, `Kcoeff_x`, …) are not read.
//! - Points: not in the file. The published resolutions 421 and 241 and their strides up to 5 are vertices,
//!   x_i = i/(n−1), both boundaries included. Any other resolution (such as neuraloperator's 16) could lie
//!   anywhere, so the user must say.
//! - Not periodic; the unit square.

use super::pdebench::scalar;
use super::{AxisDraft, Content, Meaning, Probe, Role, roles};
use crate::domain::AXIS_NAMES;
use crate::error::Result;
use crate::grid::Placement;

/// Published resolutions, as vertices along an axis.
const PUBLISHED: [usize; 2] = [421, 241];

pub(super) fn recognizes(probe: &Probe) -> bool {
    probe.has(&["coeff", "sol"]) && probe.rank("coeff") == 3
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let vertices =
        |n: usize| PUBLISHED.iter().any(|full| (1..=5).any(|s| full.div_ceil(s) == n && (full - 1) % s == 0));
    let plan = pair(probe, ["coeff", "sol"], |n| vertices(n).then_some(Placement::Vertex))?;
    let n = plan.axes[0].n;
    probe.note(if vertices(n) {
        format!(
            "points not in the file: {n} is one of FNO's published resolutions or a stride of one, which are \
             vertices of the unit square, x_i = i/(n-1); override with --grid"
        )
    } else {
        format!(
            "points not in the file, and {n} is none of FNO's published resolutions: vertices, cell centers and \
             x_i = i/n (as --layout neuraloperator has it) are all in use"
        )
    });
    Ok(plan)
}

/// A steady pair of arrays (n, x, y) on the unit square, not periodic.
pub(super) fn pair(
    probe: &Probe,
    keys: [&str; 2],
    placement: impl Fn(usize) -> Option<Placement>,
) -> Result<Meaning> {
    let (source, target) = (probe.array(keys[0])?, probe.array(keys[1])?);
    let &[n_samples, nx, ny] = source.shape.as_slice() else {
        return Err(probe.unsupported(
            &source.name,
            format!("axes must be (n, x, y), but the shape is {:?}", source.shape),
        ));
    };
    let axes = [nx, ny]
        .into_iter()
        .zip(AXIS_NAMES)
        .map(|(n, name)| AxisDraft {
            name: name.into(),
            n,
            coordinates: None,
            placement: placement(n),
            bounds: Some((0.0, 1.0)),
            periodic: Some(false),
        })
        .collect();
    let roles = roles(&[Role::Sample], 2, &[]);
    let content = Content::Steady {
        source: vec![scalar(keys[0], &source, roles.clone())],
        target: vec![scalar(keys[1], &target, roles)],
    };
    Ok(Meaning { n_samples, axes, times: Vec::new(), content })
}
