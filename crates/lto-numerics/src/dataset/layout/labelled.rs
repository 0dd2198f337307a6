//! Arrays beside lists of coordinates with well-known names, as in weather archives: `t2m` (time, lat, lon),
//! `lat`, `lon`, `hours`.
//!
//! - Axes: as the file names them (Zarr does); else each axis of the data takes the list of its length; if that is ambiguous, the user must name the
//!   axes. A first axis that matches no list runs over samples.
//! - Points: as in the lists; a decreasing one (latitude, north first) is reversed. Bounds: first and last
//!   coordinate.
//! - Periodic: the file does not say; assumed not.

use super::generic::{TIME_NAMES, meaning_named};
use super::{Meaning, Probe};
use crate::dataset::format::ArrayInfo;
use crate::error::Result;

/// Names of lists of spatial coordinates.
const SPACE_NAMES: [&str; 7] = ["x", "y", "z", "lat", "latitude", "lon", "longitude"];

/// Length of a list: an array with at most one axis longer than one.
fn list_length(array: &ArrayInfo) -> Option<usize> {
    let longer = array.shape.iter().filter(|&&n| n != 1).count();
    (longer <= 1).then(|| array.shape.iter().product())
}

/// The lists with well-known names, as `(axis name, length)`.
fn lists(probe: &Probe) -> Vec<(&'static str, usize)> {
    let time = TIME_NAMES.into_iter().find_map(|name| Some(("t", list_length(probe.find(name)?)?)));
    let space = SPACE_NAMES.into_iter().filter_map(|name| Some((name, list_length(probe.find(name)?)?)));
    time.into_iter().chain(space).collect()
}

/// Arrays that are not lists.
fn data(probe: &Probe) -> Vec<ArrayInfo> {
    let arrays = probe.arrays().iter().filter(|a| probe.find(&a.name).is_some());
    arrays.filter(|a| list_length(a).is_none()).cloned().collect()
}

/// The axes of an array as Zarr names them, if there is a list for each.
fn named_axes(probe: &Probe, array: &str, lists: &[(&'static str, usize)]) -> Option<Vec<String>> {
    let dimensions = probe.texts(array, "_ARRAY_DIMENSIONS");
    let name = |dimension: &String| {
        let time = TIME_NAMES.contains(&dimension.as_str());
        let name = if time { "t" } else { dimension };
        lists.iter().find(|(list, _)| *list == name).map(|(list, _)| list.to_string())
    };
    let names: Option<Vec<String>> = dimensions.iter().map(name).collect();
    names.filter(|names| !names.is_empty())
}

pub(super) fn recognizes(probe: &Probe) -> bool {
    let lists = lists(probe);
    data(probe).iter().any(|a| lists.iter().any(|(name, n)| *name != "t" && a.shape.contains(n)))
}

pub(super) fn meaning(probe: &mut Probe) -> Result<Meaning> {
    let data = data(probe);
    let keys = match probe.options.keys.clone() {
        keys if keys.is_empty() => data.iter().map(|a| a.name.clone()).collect(),
        keys => keys,
    };
    let Some(first) = keys.first() else { return Err(probe.unknown("no array to read")) };
    let shape = probe.array(first)?.shape;
    let lists = lists(probe);
    if let Some(names) = named_axes(probe, first, &lists) {
        probe.note(format!("axes of {first} as the file names them: {}", names.join(", ")));
        return meaning_named(probe, &keys, &names);
    }
    let mut names: Vec<String> = Vec::with_capacity(shape.len());
    for (d, &n) in shape.iter().enumerate() {
        let fitting: Vec<&str> = lists.iter().filter(|(_, len)| *len == n).map(|(name, _)| *name).collect();
        names.push(match fitting.as_slice() {
            [one] if !names.iter().any(|name| name == one) => (*one).into(),
            [] if d == 0 => {
                probe.note(format!("axis 0 of {first}: no list has its length {n}, so it counts samples"));
                "n".into()
            }
            _ => {
                let lists: Vec<String> = lists.iter().map(|(name, len)| format!("{name} ({len})")).collect();
                return Err(probe.unknown(format!(
                    "axis {d} of {first} has {n} entries, which the lists {} do not identify: name the axes with \
                     --axes, as in n,t,x,y",
                    lists.join(", ")
                )));
            }
        });
    }
    probe.note(format!("axes of {first} recognized by length: {}", names.join(", ")));
    meaning_named(probe, &keys, &names)
}
