//! What a user may say about a file: [`OpenOptions`] overrides whatever a layout deduces.

use crate::dataset::layout::LayoutKind;
use crate::error::{Error, Result};
use crate::grid::Placement;
use std::str::FromStr;

/// Overrides for opening a dataset. The default takes everything from the file and its layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenOptions {
    /// The layout, where it must not be detected.
    pub layout: Option<LayoutKind>,
    /// Which arrays to read: channels of one state, or, where there is no time axis, the source first and the
    /// target after it. Empty: whatever the layout names.
    pub keys: Vec<String>,
    /// What the axes of the arrays are, comma-separated: `n` samples, `t` time, `c` channels, `1` an axis of length
    /// one, and any other names for space, as in `n,t,x,y,c`. For the generic layout.
    pub axes: Option<String>,
    /// Where the grid points lie.
    pub grid: Option<GridOption>,
    /// Bounds of the domain.
    pub domain: Option<DomainOption>,
    /// Which axes are periodic.
    pub periodic: Option<PeriodicOption>,
    /// Time between two frames of the file (the first is at 0), in place of the file's own times.
    pub time_step: Option<f64>,
    /// Read the group `resolution_<n>` of a multi-resolution file in place of the native one.
    pub resolution: Option<usize>,
    /// Keep every `stride`-th point along each spatial axis; 0 and 1 keep all.
    pub stride: usize,
    /// Keep every `time_stride`-th frame; 0 and 1 keep all.
    pub time_stride: usize,
    /// Pass NaN and infinity through in place of refusing them. For inspection only.
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

/// Bounds `(lower, upper)` for every spatial axis; a single pair holds for all.
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
}
