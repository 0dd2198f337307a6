//! A layout of sensors and the domain they stand in, from the command line and a file.

use crate::args::RegularityArgs;
use crate::usage::{UsageError, with_flag};
use anyhow::{Result, ensure};
use lto_numerics::dataset::{DomainOption, PeriodicOption, PointFile, Readings};
use lto_numerics::domain::AXIS_NAMES;
use lto_numerics::theory::Regularity;
use lto_numerics::{Axis, Domain, Points};
use std::path::Path;

/// The domain with the given bounds. Its axes are named as the coordinates of the file, where there is a CSV file, else x,
/// y, z; one pair of bounds holds for all axes that such a file has.
///
/// # Errors
/// Bounds that are none, too many of them, a periodic axis that is not there, or a file that cannot be read.
pub fn domain(
    bounds: &DomainOption,
    periodic: Option<&PeriodicOption>,
    file: Option<&Path>,
) -> Result<Domain> {
    let mut bounds = bounds.0.clone();
    let mut names: Vec<String> = AXIS_NAMES.map(String::from).to_vec();
    let file = file.map(PointFile::open).transpose()?;
    if let Some(found) = file.map(|file| file.axis_names()).filter(|names| !names.is_empty()) {
        if let [all] = bounds[..] {
            bounds = vec![all; found.len()];
        }
        if found.len() == bounds.len() {
            names = found;
        }
    }
    let named = |text: String, requirement: String| UsageError::new("domain", text, requirement);
    ensure!(
        bounds.len() <= AXIS_NAMES.len(),
        named(format!("{} pairs of bounds", bounds.len()), "a domain has 1 to 3 axes".into())
    );
    let names = &names[..bounds.len()];
    if let Some(PeriodicOption::Axes(axes)) = periodic
        && let Some(unknown) = axes.iter().find(|axis| !names.contains(axis))
    {
        let known = format!("the axes are {}; or all, none", names.join(", "));
        return Err(UsageError::new("periodic", unknown, known).into());
    }
    let is_periodic = |name: &String| match periodic {
        None | Some(PeriodicOption::None) => false,
        Some(PeriodicOption::All) => true,
        Some(PeriodicOption::Axes(axes)) => axes.contains(name),
    };
    let axes = names.iter().zip(&bounds).map(|(name, &(lower, upper))| {
        let periodic = is_periodic(name);
        Axis::new(name.clone(), lower, upper, periodic)
    });
    Domain::new(axes.collect())
        .map_err(|error| named(self::bounds(&DomainOption(bounds.clone())), error.to_string()).into())
}

/// Bounds as on the command line: `0:1,0:2`.
pub fn bounds(option: &DomainOption) -> String {
    let text: Vec<String> = option.0.iter().map(|(lower, upper)| format!("{lower}:{upper}")).collect();
    text.join(",")
}

/// The sensors of a file. Rows at the same place, as those of several times, are one sensor.
///
/// # Errors
/// A file that cannot be read, or without points in the domain.
pub fn sensors(path: &Path, domain: &Domain) -> Result<Points> {
    Ok(Readings::read(path, domain)?.sensors()?)
}

/// What is known about the states, from the command line.
///
/// # Errors
/// No curvature, or too little known for the domain; `why` says what it is needed for.
pub fn regularity(args: &RegularityArgs, domain: &Domain, why: &str) -> Result<Regularity> {
    let Some(curvature) = args.curvature else {
        let what = format!("{why} needs the largest second derivative, or --data to estimate it from");
        return Err(UsageError::missing("curvature", what).into());
    };
    Regularity::new(domain, curvature, args.sup, args.gradient).map_err(|error| match error {
        lto_numerics::Error::Parameter { name: "sup_bound", .. } if args.sup.is_none() => UsageError::missing(
            "sup",
            "needed (or --gradient) where an axis is not periodic, since curvature alone bounds no range there",
        )
        .into(),
        other => with_flag(other),
    })
}

/// A place as text: `(0.25, 0.5)`.
pub fn place(at: &[f64]) -> String {
    let numbers: Vec<String> = at.iter().map(|&x| lto_report::picture::ticks::short(x)).collect();
    format!("({})", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_has_the_names_of_the_file_and_its_periodic_axes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.csv");
        std::fs::write(&file, "lat,lon,t2m\n0.1,0.2,3\n0.3,0.4,5\n0.3,0.4,6\n").unwrap();
        let bounds: DomainOption = "0:1".parse().unwrap();
        let periodic: PeriodicOption = "lon".parse().unwrap();
        let found = domain(&bounds, Some(&periodic), Some(&file)).unwrap();
        let axes: Vec<(&str, bool)> = found.axes().iter().map(|a| (a.name.as_str(), a.periodic)).collect();
        assert_eq!(axes, [("lat", false), ("lon", true)]);
        assert_eq!(sensors(&file, &found).unwrap().len(), 2, "rows at one place are one sensor");
        let plain = domain(&"0:1,0:2".parse().unwrap(), None, None).unwrap();
        assert_eq!(plain.to_string(), "x in [0, 1], y in [0, 2]");
        for (bounds, periodic) in [("1:0", "none"), ("0:1,0:1,0:1,0:1", "none"), ("0:1", "y")] {
            assert!(
                domain(&bounds.parse().unwrap(), Some(&periodic.parse().unwrap()), None).is_err(),
                "{bounds}"
            );
        }
    }
}
