//! Any arrays whose axes the user names: `--axes n,t,x,y,c`.
//!
//! - Axes: as named: `n` samples, `t` time, `c` channels, `1` an axis of length one, any other name is space.
//! - Points: from a list in the file named after the axis (or `<axis>-coordinate`), else from `--grid`. The
//!   bounds are the first and last coordinate, or `--domain`.
//! - Times: from a list `t`, `time`, `hours`, `t-coordinate` or `tt`, else frames are numbered.
//! - Several arrays with a time axis are channels; without one the first is the source, the others are the target.

use super::{AxisDraft, Component, Content, Meaning, Probe, Role, Source, frame_numbers};
use crate::dataset::format::ArrayInfo;
use crate::error::{Error, Result};

/// Names of lists of times.
pub(super) const TIME_NAMES: [&str; 5] = ["t", "time", "hours", "t-coordinate", "tt"];

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let Some(axes) = probe.options.axes.clone() else {
        let shapes: Vec<String> =
            probe.arrays().iter().map(|a| format!("{} {:?}", a.name, a.shape)).collect();
        return Err(probe.unknown(format!(
            "no known layout has these arrays: {}. Say which to read and what their axes are (--key u --axes n,t,x, \
             where n are samples, t time, c channels), and where their points lie (--grid left, center, vertex or \
             coordinate arrays); or name the layout with --layout",
            shapes.join(", ")
        )));
    };
    let names: Vec<String> = axes.split(',').map(|name| name.trim().to_string()).collect();
    let keys = match probe.options.keys.clone() {
        keys if keys.is_empty() => vec![only_array(probe, names.len())?],
        keys => keys,
    };
    meaning_named(probe, &keys, &names)
}

/// The one array with `rank` axes.
fn only_array(probe: &Probe, rank: usize) -> Result<String> {
    let fitting: Vec<&str> = probe
        .arrays()
        .iter()
        .filter(|a| a.shape.len() == rank && probe.find(&a.name).is_some())
        .map(|a| a.name.as_str())
        .collect();
    match fitting.as_slice() {
        [one] => Ok((*one).into()),
        _ => Err(probe.unknown(format!(
            "{} arrays have {rank} axes ({}): say which to read with --key",
            fitting.len(),
            fitting.join(", ")
        ))),
    }
}

/// The plan of arrays `keys` whose axes are called `names`.
pub(super) fn meaning_named(probe: &mut Probe, keys: &[String], names: &[String]) -> Result<Meaning> {
    let roles = roles_of(names)?;
    let arrays = keys.iter().map(|key| probe.array(key)).collect::<Result<Vec<ArrayInfo>>>()?;
    let Some(first) = arrays.first().cloned() else { return Err(probe.unknown("no array to read")) };
    probe.expect(format!("number of axes of {}", first.name), names.len(), first.shape.len())?;
    let length = |role| roles.iter().position(|&r| r == role).map(|d| first.shape[d]);
    let n_samples = length(Role::Sample).unwrap_or(1);
    let times = match length(Role::Time) {
        None => Vec::new(),
        Some(n) => match TIME_NAMES.into_iter().find(|name| probe.rank(name) > 0) {
            Some(name) => probe.times(name, n, &first.name)?,
            None => frame_numbers(probe, n),
        },
    };
    let mut axes = Vec::new();
    for (name, (role, &n)) in names.iter().zip(roles.iter().zip(&first.shape)) {
        if !matches!(role, Role::Space(_)) {
            continue;
        }
        let list = [name.clone(), format!("{name}-coordinate")].into_iter().find(|list| probe.rank(list) > 0);
        let coordinates = list.map(|list| probe.coordinates(&list, n, &first.name)).transpose()?;
        axes.push(AxisDraft { name: name.clone(), n, coordinates, ..AxisDraft::default() });
    }
    let parts = keys.iter().zip(arrays).map(|(key, a)| component(probe, key, a, &roles));
    let mut parts = parts.collect::<Result<Vec<Component>>>()?;
    let timed = !times.is_empty();
    let content = if timed || parts.len() == 1 {
        Content::Evolution(parts)
    } else {
        let target = parts.split_off(1);
        Content::Steady { source: parts, target }
    };
    let times = match content {
        Content::Evolution(_) if !timed => {
            probe.note("one array without a time axis: read as a single frame at time 0");
            vec![0.0]
        }
        _ => times,
    };
    Ok(Meaning { n_samples, axes, times, content })
}

fn component(probe: &Probe, key: &str, array: ArrayInfo, roles: &[Role]) -> Result<Component> {
    let lengths = roles.iter().zip(&array.shape).filter(|(r, _)| **r == Role::Channel).map(|(_, &n)| n);
    let n = probe.count_channels(&array.name, lengths)?;
    let channels = if n == 1 { vec![key.into()] } else { (0..n).map(|c| format!("{key}_{c}")).collect() };
    Ok(Component {
        key: key.into(),
        source: Source::Whole(array.name),
        shape: array.shape,
        roles: roles.to_vec(),
        channels,
    })
}

/// Roles from names. Only `1` and `c` may occur twice, and space has one to three axes.
fn roles_of(names: &[String]) -> Result<Vec<Role>> {
    let mut dim = 0;
    let roles: Vec<Role> = names
        .iter()
        .map(|name| match name.as_str() {
            "n" => Role::Sample,
            "t" => Role::Time,
            "c" => Role::Channel,
            "1" => Role::Single,
            _ => {
                dim += 1;
                Role::Space(dim - 1)
            }
        })
        .collect();
    let twice = names.iter().enumerate().any(|(i, name)| {
        !matches!(name.as_str(), "1" | "c") && (name.is_empty() || names[..i].contains(name))
    });
    if twice || !(1..=3).contains(&dim) {
        return Err(Error::Parameter {
            name: "axes",
            value: names.join(","),
            requirement: "must name each axis once, one to three of them in space: n,t,x,y,c",
        });
    }
    Ok(roles)
}
