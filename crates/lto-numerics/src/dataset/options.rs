//! What a user can specify about a file: [`OpenOptions`] overrides whatever a layout deduces.

use crate::dataset::layout::LayoutKind;
use crate::domain::{AXIS_NAMES, Axis, Domain};
use crate::error::{Error, Result};
use crate::grid::Placement;
use std::fmt;
use std::str::FromStr;

/// Overrides for opening a dataset. The default takes everything from the file and its layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenOptions {
    /// The layout, if it is not to be detected.
    pub layout: Option<LayoutKind>,
    /// Which arrays to read: channels of one state or, without a time axis, the source first and the target
    /// after it. If empty, those the layout names.
    pub keys: Vec<String>,
    /// The axes of the arrays, comma-separated: `n` samples, `t` time, `c` channels, `1` an axis of length
    /// one, and any other names for space, as in `n,t,x,y,c`. For the generic layout.
    pub axes: Option<String>,
    /// Where the grid points lie.
    pub grid: Option<GridOption>,
    /// Bounds of the domain.
    pub domain: Option<DomainOption>,
    /// Which axes are periodic.
    pub periodic: Option<PeriodicOption>,
    /// Time between two frames of the file (the first is at 0), replacing the file's own times.
    pub time_step: Option<f64>,
    /// Read the group `resolution_<n>` of a multi-resolution file instead of the native one.
    pub resolution: Option<usize>,
    /// Keep every `stride`-th point along each spatial axis; 0 and 1 keep all.
    pub stride: usize,
    /// Keep every `time_stride`-th frame; 0 and 1 keep all.
    pub time_stride: usize,
    /// Pass NaN and infinity through instead of refusing them. For inspection only.
    pub allow_nan: bool,
}

/// Where the points of a grid lie.
#[derive(Clone, Debug, PartialEq)]
pub enum GridOption {
    /// The same uniform placement along every axis.
    Placement(Placement),
    /// The arrays that hold the coordinates, one for each spatial axis.
    Arrays(Vec<String>),
}

impl FromStr for GridOption {
    type Err = Error;

    /// `left`, `center`, `vertex`, or comma-separated names of coordinate arrays.
    fn from_str(text: &str) -> Result<Self> {
        if let Some(placement) = Placement::ALL.into_iter().find(|p| p.name() == text) {
            return Ok(Self::Placement(placement));
        }
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_string()).collect();
        if names.iter().any(String::is_empty) {
            return Err(Error::Parameter {
                name: "grid",
                value: text.into(),
                requirement: "must be left, center, vertex or the names of coordinate arrays: lat,lon",
            });
        }
        Ok(Self::Arrays(names))
    }
}

/// Bounds `(lower, upper)` for every spatial axis; a single pair applies to all.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainOption(pub Vec<(f64, f64)>);

impl FromStr for DomainOption {
    type Err = Error;

    /// `lower:upper`, comma-separated: `0:1` or `-1:1,0:2`.
    fn from_str(text: &str) -> Result<Self> {
        let pair = |part: &str| {
            let (lower, upper) = part.split_once(':')?;
            Some((lower.trim().parse::<f64>().ok()?, upper.trim().parse::<f64>().ok()?))
        };
        let bounds = text.split(',').map(pair).collect::<Option<Vec<_>>>();
        bounds.map(Self).ok_or_else(|| Error::Parameter {
            name: "domain",
            value: text.into(),
            requirement: "must be lower:upper for all axes or for each: 0:1 or -1:1,0:2",
        })
    }
}

/// As on the command line: `0:1,-1:2`.
impl fmt::Display for DomainOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds: Vec<String> = self.0.iter().map(|(lower, upper)| format!("{lower}:{upper}")).collect();
        f.write_str(&bounds.join(","))
    }
}

impl DomainOption {
    /// The bounds of `dim` axes: a single pair is repeated, several are used as they are.
    pub fn along(&self, dim: usize) -> Vec<(f64, f64)> {
        match self.0[..] {
            [all] => vec![all; dim],
            _ => self.0.clone(),
        }
    }

    /// The domain with these bounds. `names` are the axes named in a file of points, if any. A single pair of
    /// bounds applies to all of them, and the axes take these names if there are as many as bounds; otherwise
    /// the axes are x, y, z.
    ///
    /// # Errors
    /// Bounds that do not increase, more than three of them, or a periodic axis that does not exist.
    pub fn domain(&self, periodic: Option<&PeriodicOption>, names: &[String]) -> Result<Domain> {
        let bounds = self.along(names.len().max(1));
        let unfit = |problem| Error::unfit("domain", self, problem);
        if bounds.len() > AXIS_NAMES.len() {
            return Err(unfit(format!("a domain has 1 to 3 axes, not {}", bounds.len())));
        }
        let names: Vec<String> = if names.len() == bounds.len() {
            names.to_vec()
        } else {
            AXIS_NAMES[..bounds.len()].iter().map(ToString::to_string).collect()
        };
        if let Some(PeriodicOption::Axes(axes)) = periodic
            && let Some(unknown) = axes.iter().find(|axis| !names.contains(axis))
        {
            let problem = format!("the axes are {}; or use all or none", names.join(", "));
            return Err(Error::unfit("periodic", unknown, problem));
        }
        let axes = names.into_iter().zip(bounds).map(|(name, (lower, upper))| {
            let periodic = periodic.is_some_and(|periodic| periodic.includes(&name));
            Axis::new(name, lower, upper, periodic)
        });
        Domain::new(axes.collect()).map_err(|error| unfit(error.to_string()))
    }
}

/// Which spatial axes are periodic.
#[derive(Clone, Debug, PartialEq)]
pub enum PeriodicOption {
    /// All of them.
    All,
    /// None of them.
    None,
    /// Those named.
    Axes(Vec<String>),
}

impl PeriodicOption {
    /// Whether the axis of this name is periodic.
    pub fn includes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Axes(names) => names.iter().any(|n| n == name),
        }
    }
}

impl FromStr for PeriodicOption {
    type Err = Error;

    /// `all`, `none`, or comma-separated axis names.
    fn from_str(text: &str) -> Result<Self> {
        Ok(match text.trim() {
            "all" => Self::All,
            "none" => Self::None,
            names => Self::Axes(names.split(',').map(|name| name.trim().to_string()).collect()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_parse_as_written_on_the_command_line() {
        assert_eq!("left".parse::<GridOption>().unwrap(), GridOption::Placement(Placement::Left));
        assert_eq!(
            "lat, lon".parse::<GridOption>().unwrap(),
            GridOption::Arrays(vec!["lat".into(), "lon".into()])
        );
        assert!("lat,".parse::<GridOption>().is_err());
        assert_eq!("-1:1,0:2".parse::<DomainOption>().unwrap(), DomainOption(vec![(-1.0, 1.0), (0.0, 2.0)]));
        for bad in ["", "1", "0:one", "0:1,"] {
            assert!(bad.parse::<DomainOption>().is_err(), "{bad}");
        }
        assert_eq!("all".parse::<PeriodicOption>().unwrap(), PeriodicOption::All);
        assert_eq!("x".parse::<PeriodicOption>().unwrap(), PeriodicOption::Axes(vec!["x".into()]));
    }
    #[test]
    fn a_domain_has_the_names_of_the_file_and_its_periodic_axes() {
        let bounds = |text: &str| text.parse::<DomainOption>().unwrap();
        let names = ["lat".to_string(), "lon".to_string()];
        let found = bounds("0:1").domain(Some(&"lon".parse().unwrap()), &names).unwrap();
        let axes: Vec<(&str, bool)> = found.axes().iter().map(|a| (a.name.as_str(), a.periodic)).collect();
        assert_eq!(axes, [("lat", false), ("lon", true)]);
        let plain = bounds("0:1,0:2").domain(None, &[]).unwrap();
        assert_eq!(plain.to_string(), "x in [0, 1], y in [0, 2]");
        assert_eq!(bounds("0:1,-1:2.5").to_string(), "0:1,-1:2.5");
        for (text, periodic) in [("1:0", "none"), ("0:1,0:1,0:1,0:1", "none"), ("0:1", "y")] {
            assert!(bounds(text).domain(Some(&periodic.parse().unwrap()), &[]).is_err(), "{text}");
        }
    }
}
