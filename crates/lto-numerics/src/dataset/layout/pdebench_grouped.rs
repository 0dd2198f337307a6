//! PDEBench with one group per sample: diffusion–reaction, diffusion–sorption, radial dam break.
//!
//! - Axes: `0000/data` (t, x[, y], c), `0000/grid/x`, `0000/grid/y`, `0000/grid/t`, then `0001/…`. The grids are the
//!   same in every group; the first is read.
//! - Points: cell centers; bounds half a cell beyond the coordinates.
//! - Not periodic: no-flux, Dirichlet or outflow boundaries.

use super::{AxisDraft, Component, Content, Meaning, Probe, Role, Source, roles};
use crate::dataset::format::ArrayInfo;
use crate::domain::AXIS_NAMES;
use crate::error::{Error, Result};
use crate::grid::Placement;

pub(super) fn recognizes(probe: &Probe) -> bool {
    members(probe).first().is_some_and(|a| probe.find(&sibling(&a.name, "grid/x")).is_some())
}

/// Arrays `<digits>/data`, by number.
fn members(probe: &Probe) -> Vec<ArrayInfo> {
    let number = |name: &str| name.strip_suffix("/data").and_then(|group| group.parse::<usize>().ok());
    let mut members: Vec<_> =
        probe.arrays().iter().filter_map(|a| Some((number(&a.name)?, a.clone()))).collect();
    members.sort_by_key(|(number, _)| *number);
    members.into_iter().map(|(_, array)| array).collect()
}

/// `0000/data` → `0000/<name>`.
fn sibling(data: &str, name: &str) -> String {
    format!("{}{name}", data.trim_end_matches("data"))
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let members = members(probe);
    let Some(first) = members.first() else {
        return Err(probe.unknown("no array <number>/data in the file"));
    };
    let [n_frames, space @ .., n_channels] = first.shape.as_slice() else {
        return Err(probe.unsupported(&first.name, "axes must be (t, x[, y], c)".into()));
    };
    probe.check_shape(first)?;
    let n_channels = probe.count_channels(&first.name, std::iter::once(*n_channels))?;
    if let Some(odd) = members.iter().find(|a| a.shape != first.shape) {
        return Err(probe.unsupported(
            &odd.name,
            format!("shape {:?}, but {} has {:?}", odd.shape, first.name, first.shape),
        ));
    }
    if !(1..=3).contains(&space.len()) {
        return Err(Error::DomainDimension { got: space.len() });
    }
    let times = probe.times(&sibling(&first.name, "grid/t"), *n_frames, &first.name)?;
    let mut axes = Vec::with_capacity(space.len());
    for (name, &n) in AXIS_NAMES.iter().zip(space) {
        let coordinates =
            probe.coordinates(&sibling(&first.name, &format!("grid/{name}")), n, &first.name)?;
        axes.push(AxisDraft {
            name: (*name).into(),
            n,
            coordinates: Some(coordinates),
            placement: Some(Placement::Center),
            bounds: None,
            periodic: Some(false),
        });
    }
    probe.note(format!("grid and times of {} used for all {} groups", first.name, members.len()));
    let state = Component {
        key: "data".into(),
        shape: first.shape.clone(),
        roles: roles(&[Role::Time], axes.len(), &[Role::Channel]),
        channels: (0..n_channels).map(|c| format!("data_{c}")).collect(),
        source: Source::PerSample(members.iter().map(|a| a.name.clone()).collect()),
    };
    Ok(Meaning { n_samples: members.len(), axes, times, content: Content::Evolution(vec![state]) })
}
