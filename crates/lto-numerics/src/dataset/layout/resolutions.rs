//! Multi-resolution files: groups `resolution_<n>` beside the native arrays hold the same samples, solved at
//! a higher resolution.

use crate::dataset::format::ArrayInfo;
use crate::dataset::info::FinerResolution;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

const GROUP: &str = "resolution_";

/// The groups `resolution_<n>`, ascending.
pub(crate) fn finer_resolutions(arrays: &[ArrayInfo]) -> Vec<FinerResolution> {
    let mut groups = BTreeMap::<usize, Vec<(String, Vec<usize>)>>::new();
    for array in arrays {
        let parts = array.name.strip_prefix(GROUP).and_then(|rest| rest.split_once('/'));
        if let Some((Ok(resolution), name)) = parts.map(|(n, name)| (n.parse(), name)) {
            groups.entry(resolution).or_default().push((name.into(), array.shape.clone()));
        }
    }
    groups.into_iter().map(|(resolution, arrays)| FinerResolution { resolution, arrays }).collect()
}

/// The prefix of the arrays of a resolution; empty for the native one.
pub(crate) fn prefix(path: &Path, finer: &[FinerResolution], resolution: Option<usize>) -> Result<String> {
    let Some(resolution) = resolution else { return Ok(String::new()) };
    if finer.iter().any(|f| f.resolution == resolution) {
        return Ok(format!("{GROUP}{resolution}/"));
    }
    let present: Vec<String> = finer.iter().map(|f| f.resolution.to_string()).collect();
    let present = if present.is_empty() { "none".into() } else { present.join(", ") };
    let problem = format!("no data at resolution {resolution}; finer resolutions in the file: {present}");
    Err(Error::unsupported(path, None, problem))
}
