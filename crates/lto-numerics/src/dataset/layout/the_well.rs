//! The Well's files: many fields of any tensor order on one grid.
//!
//! - Axes: `t0_fields/<name>` (n, t, x[, y[, z]]), `t1_fields/<name>` (…, D), `t2_fields/<name>` (…, D, D); the
//!   attributes `sample_varying`, `time_varying` and `dim_varying` of a field say which of the first axes it lacks,
//!   and along those it is repeated. `dimensions/time` and `dimensions/<d>` for each d of the attribute
//!   `spatial_dims` hold times and coordinates.
//! - Points: as in `dimensions`. Bounds: first and last coordinate; on a periodic axis one spacing more.
//! - Periodic: the axes in `associated_dims` of a group `boundary_conditions/<name>` whose `bc_type` is periodic.

use super::{AxisDraft, Component, Content, Meaning, Probe, Role, Source};
use crate::dataset::format::{ArrayInfo, Attribute};
use crate::error::{Error, Result};
use std::collections::BTreeSet;

const GROUPS: [&str; 3] = ["t0_fields", "t1_fields", "t2_fields"];

pub(super) fn recognizes(probe: &Probe) -> bool {
    probe.has(&["dimensions/time"])
        && probe.arrays().iter().any(|a| GROUPS.iter().any(|group| member(&a.name, group).is_some()))
}

/// The name of an array inside a group.
fn member<'a>(array: &'a str, group: &str) -> Option<&'a str> {
    array.strip_prefix(group)?.strip_prefix('/')
}

/// Names in a group: those its attribute lists, else all in file order.
fn names(probe: &Probe, group: &str, attribute: &str) -> Vec<String> {
    let listed = probe.texts(group, attribute);
    if !listed.is_empty() {
        return listed;
    }
    probe.arrays().iter().filter_map(|a| member(&a.name, group)).map(String::from).collect()
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let dims: Vec<String> =
        names(probe, "dimensions", "spatial_dims").into_iter().filter(|d| d != "time").collect();
    if !(1..=3).contains(&dims.len()) {
        return Err(Error::DomainDimension { got: dims.len() });
    }
    let times = probe.common_list("dimensions/time")?;
    probe.check_times("dimensions/time", &times)?;
    let periodic = periodic_dims(probe);
    let mut axes = Vec::with_capacity(dims.len());
    for name in &dims {
        let list = format!("dimensions/{name}");
        let coordinates = probe.common_list(&list)?;
        probe.coordinate_arrays.push(list);
        axes.push(AxisDraft {
            name: name.clone(),
            n: coordinates.len(),
            coordinates: Some(coordinates),
            periodic: periodic.as_ref().map(|p| p.contains(name)),
            ..AxisDraft::default()
        });
    }
    let mut fields = Vec::new();
    for (order, group) in GROUPS.into_iter().enumerate() {
        for name in names(probe, group, "field_names") {
            fields.push((order, name.clone(), probe.array(&format!("{group}/{name}"))?));
        }
    }
    let n_samples = n_trajectories(probe, &fields, 2 + dims.len())?;
    let lengths: Vec<(Role, usize)> = [(Role::Sample, n_samples), (Role::Time, times.len())]
        .into_iter()
        .chain(axes.iter().enumerate().map(|(d, axis)| (Role::Space(d), axis.n)))
        .collect();
    let mut state = Vec::with_capacity(fields.len());
    for (order, name, array) in fields {
        let roles = field_roles(probe, &array, order, &lengths)?;
        if !roles.contains(&Role::Time) {
            probe.note(format!("{name} does not change in time: repeated as a channel of every frame"));
        }
        let channels = components(order, &dims).into_iter().map(|c| format!("{name}{c}")).collect();
        state.push(Component {
            key: name,
            source: Source::Whole(array.name),
            shape: array.shape,
            roles,
            channels,
        });
    }
    Ok(Meaning { n_samples, axes, times, content: Content::Evolution(state) })
}

/// The axes that a boundary condition joins; `None` if the file mentions no boundary.
fn periodic_dims(probe: &mut Probe) -> Option<BTreeSet<String>> {
    let group = "boundary_conditions";
    let owners: BTreeSet<String> = probe
        .arrays()
        .iter()
        .filter_map(|a| Some(member(&a.name, group)?.split_once('/')?.0))
        .map(|name| format!("{group}/{name}"))
        .collect();
    if owners.is_empty() {
        return None;
    }
    let mut periodic = BTreeSet::new();
    for owner in &owners {
        if probe.texts(owner, "bc_type").iter().any(|kind| kind.eq_ignore_ascii_case("periodic")) {
            periodic.extend(probe.texts(owner, "associated_dims"));
        }
    }
    let list = periodic.iter().cloned().collect::<Vec<_>>().join(", ");
    let list = if list.is_empty() { "none".into() } else { list };
    probe.note(format!("periodic axes from {group}: {list}"));
    Some(periodic)
}

/// Number of trajectories: the attribute, else the first axis of a field that has all axes.
fn n_trajectories(probe: &Probe, fields: &[(usize, String, ArrayInfo)], rank: usize) -> Result<usize> {
    if let Some(n) = probe.numbers("", "n_trajectories", 1) {
        let whole = n[0] >= 1.0 && n[0].fract() == 0.0 && n[0] <= f64::from(u32::MAX);
        if !whole {
            let problem = format!("the attribute n_trajectories is {}, not a number of samples", n[0]);
            return Err(probe.unknown(problem));
        }
        return Ok(n[0] as usize);
    }
    let full = fields.iter().find(|(order, _, array)| array.shape.len() == rank + order);
    full.map(|(_, _, array)| array.shape[0]).ok_or_else(|| {
        probe.unknown("neither the attribute n_trajectories nor a field over samples, time and space")
    })
}

/// Which of the axes (n, t, x, …) an array has: those its attributes name and its shape allows.
fn field_roles(
    probe: &Probe,
    array: &ArrayInfo,
    order: usize,
    lengths: &[(Role, usize)],
) -> Result<Vec<Role>> {
    let dim = lengths.len() - 2;
    let flag = |name: &str| probe.numbers(&array.name, name, 1).map(|v| v[0] != 0.0);
    let along = match probe.attribute(&array.name, "dim_varying") {
        Some(Attribute::Numbers(flags)) if flags.len() == dim => Some(flags.clone()),
        _ => None,
    };
    let said = |d: usize| match d {
        0 => flag("sample_varying"),
        1 => flag("time_varying"),
        d => along.as_ref().map(|flags| flags[d - 2] != 0.0),
    };
    let fits = |subset: &usize| {
        let has = |d: usize| subset & (1 << d) != 0;
        let shape = (0..lengths.len()).filter(|&d| has(d)).map(|d| lengths[d].1);
        (0..lengths.len()).all(|d| said(d).is_none_or(|said| said == has(d)))
            && shape.chain(std::iter::repeat_n(dim, order)).eq(array.shape.iter().copied())
    };
    let found: Vec<usize> = (0..1 << lengths.len()).filter(fits).collect();
    let &[subset] = found.as_slice() else {
        let lengths: Vec<usize> = lengths.iter().map(|&(_, n)| n).collect();
        return Err(probe.unsupported(
            &array.name,
            format!(
                "shape {:?} fits the samples, frames and points {lengths:?} in {} ways",
                array.shape,
                found.len()
            ),
        ));
    };
    let mut roles: Vec<Role> =
        (0..lengths.len()).filter(|d| subset & (1 << d) != 0).map(|d| lengths[d].0).collect();
    roles.extend(std::iter::repeat_n(Role::Channel, order));
    Ok(roles)
}

/// Suffixes of the components of a tensor: none, `_x`, `_xy`.
fn components(order: usize, dims: &[String]) -> Vec<String> {
    let mut names = vec![String::new()];
    for level in 0..order {
        let separator = if level == 0 { "_" } else { "" };
        names = names.iter().flat_map(|n| dims.iter().map(move |d| format!("{n}{separator}{d}"))).collect();
    }
    names
}
