//! Checks common to all layouts: the arrays of a plan must agree with each other.

use super::{Component, Content, Meaning, Probe, Role, Source};
use crate::error::{Error, Result};

/// Keeps the components that the user names.
pub(super) fn select_keys(probe: &Probe, plan: &mut Meaning) -> Result<()> {
    let keys = &probe.options.keys;
    let present: Vec<String> = plan.content.components().map(|c| c.key.clone()).collect();
    if let Some(stranger) = keys.iter().find(|key| !present.contains(key)) {
        return Err(Error::NoSuchArray { path: probe.path().into(), array: stranger.clone(), present });
    }
    let keep = |components: &mut Vec<Component>| components.retain(|c| keys.contains(&c.key));
    if !keys.is_empty() {
        match &mut plan.content {
            Content::Evolution(state) => keep(state),
            Content::Steady { source, target } => {
                keep(source);
                keep(target);
                if source.is_empty() || target.is_empty() {
                    return Err(probe.unknown(format!(
                        "a steady pair needs a source and a target: name at least one of each of {}",
                        present.join(", ")
                    )));
                }
            }
        }
    }
    Ok(())
}

/// Refuses arrays whose shape contradicts the rest of the file.
pub(super) fn check(probe: &Probe, plan: &Meaning) -> Result<()> {
    for component in plan.content.components() {
        let name = match &component.source {
            Source::Whole(name) => name,
            Source::PerSample(_) => &component.key,
        };
        probe.expect(format!("number of axes of {name}"), component.roles.len(), component.shape.len())?;
        for (d, (role, &n)) in component.roles.iter().zip(&component.shape).enumerate() {
            let axis = |what: &str| format!("axis {d} of {name}, {what}");
            match role {
                Role::Sample => probe.expect(axis("samples"), plan.n_samples, n)?,
                Role::Time => probe.expect(axis("frames"), plan.times.len(), n)?,
                Role::Space(d) => {
                    let along = &plan.axes[*d];
                    probe.expect(axis(&format!("points along {}", along.name)), along.n, n)?;
                }
                Role::Single => probe.expect(axis("which must be a single entry"), 1, n)?,
                Role::Channel => {}
            }
        }
        let channels: usize = component
            .roles
            .iter()
            .zip(&component.shape)
            .filter(|(role, _)| **role == Role::Channel)
            .map(|(_, &n)| n)
            .product();
        probe.expect(format!("channels of {name}"), component.channels.len(), channels)?;
    }
    match plan.content.components().find(|c| c.shape.contains(&0)) {
        Some(empty) => Err(probe.unknown(format!("{} is empty: its shape is {:?}", empty.key, empty.shape))),
        None => Ok(()),
    }
}
