//! The stations, variables and axes of a record, which grow while its rows are read.

use super::extent::Extent;
use super::faults::{FaultKind, Faults};
use super::row::Row;
use crate::domain::Domain;
use crate::error::Result;
use crate::geography::{is_latitude, is_longitude};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Display;

/// Most axes of a domain.
pub(super) const MAX_DIM: usize = 3;

/// A measured quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// Its name in the file.
    pub name: String,
    /// Its unit, if the file says so.
    pub unit: Option<String>,
}

/// A station, or a moving platform.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Station {
    /// Its name in the file; its coordinates if it has none.
    pub name: String,
    /// Where it stands; of a moving platform, where it reported first.
    pub coordinates: Vec<f64>,
}

/// An axis of the places of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordAxis {
    /// `lat`, `lon`, or the file's own name.
    pub name: String,
    /// Its unit, if known; degrees on the Earth.
    pub unit: Option<String>,
    /// Whether it is a latitude or longitude.
    pub geographic: bool,
}

impl RecordAxis {
    /// The axis of a column of this name; latitudes and longitudes have one spelling.
    pub(super) fn of(name: &str, unit: Option<String>) -> Self {
        let (name, geographic) = match name {
            _ if is_latitude(name) => ("lat", true),
            _ if is_longitude(name) => ("lon", true),
            other => (other, false),
        };
        let unit = if geographic { Some("°".into()) } else { unit };
        Self { name: name.to_ascii_lowercase(), unit, geographic }
    }

    /// Latitude before longitude, x before y before z.
    pub(super) fn rank(&self) -> usize {
        ["lat", "lon", "x", "y", "z"].iter().position(|known| *known == self.name).unwrap_or(MAX_DIM)
    }
}

/// What was learned about a record so far.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    pub(super) axes: Vec<RecordAxis>,
    pub(super) stations: Vec<Station>,
    pub(super) variables: Vec<Variable>,
    by_name: HashMap<Vec<u8>, u32>,
    by_place: HashMap<[u64; MAX_DIM], u32>,
    pub(super) extent: Extent,
}

impl Catalog {
    /// The number of a station; a new one gets the next. Named stations are known by their name, others by their place.
    pub(super) fn station(&mut self, name: Option<&[u8]>, place: &[f64]) -> u32 {
        let next = self.stations.len() as u32;
        let mut bits = [0; MAX_DIM];
        let found = match name {
            Some(name) => self.by_name.get(name).copied(),
            None => {
                // Adding zero maps −0 to 0.
                for (bits, x) in bits.iter_mut().zip(place) {
                    *bits = (x + 0.0).to_bits();
                }
                self.by_place.get(&bits).copied()
            }
        };
        if let Some(found) = found {
            return found;
        }
        let shown = match name {
            Some(name) => {
                self.by_name.insert(name.into(), next);
                String::from_utf8_lossy(name).into_owned()
            }
            None => {
                self.by_place.insert(bits, next);
                place.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
            }
        };
        self.stations.push(Station { name: shown, coordinates: place.into() });
        self.extent.add(place);
        next
    }

    /// The stations, in the order of their first report.
    pub fn stations(&self) -> &[Station] {
        &self.stations
    }

    /// The number of a named station that is already known.
    pub(super) fn known(&self, name: &[u8]) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The number of a variable; a new one gets the next.
    pub(super) fn variable(&mut self, name: &str, unit: Option<&str>) -> usize {
        let found = self.variables.iter().position(|variable| variable.name == name);
        found.unwrap_or_else(|| {
            self.variables.push(Variable { name: name.into(), unit: unit.map(Into::into) });
            self.variables.len() - 1
        })
    }

    /// The station of a row at `place`, and that place if it has moved; false if the place cannot be used. `here` is
    /// where the row is.
    pub(super) fn locate(
        &mut self,
        name: Option<&[u8]>,
        place: [f64; MAX_DIM],
        domain: Option<&Domain>,
        here: &dyn Display,
        faults: &mut Faults,
        row: &mut Row,
    ) -> Result<bool> {
        let at = &place[..self.axes.len()];
        let missing = self.axes.iter().zip(at).find(|(_, x)| !x.is_finite());
        let missing = missing.map(|(axis, _)| format!("{} is missing; give all coordinates", axis.name));
        if let Some(problem) = missing.or_else(|| self.impossible(at)) {
            faults.add(FaultKind::Coordinate, here, || problem)?;
            return Ok(false);
        }
        let strange = |domain: &Domain| {
            let axis = domain.axes().iter().zip(at).find(|(axis, x)| !axis.contains(axis.bring_in(**x)));
            axis.map(|(axis, x)| format!("{} = {x} lies outside {domain}; left out", axis.name))
        };
        if let Some(problem) = domain.and_then(strange) {
            faults.add(FaultKind::Outside, here, || problem)?;
            return Ok(false);
        }
        row.station = self.station(name, at);
        let moved = self.stations[row.station as usize].coordinates != at;
        row.moved = moved.then_some(place);
        if moved {
            self.extent.add(at);
        }
        Ok(true)
    }

    /// What is impossible about a place on the Earth, if anything is.
    pub(super) fn impossible(&self, place: &[f64]) -> Option<String> {
        let bad = |(axis, x): (&RecordAxis, &f64)| {
            let (lower, upper) = match axis.name.as_str() {
                _ if !axis.geographic => return None,
                "lat" => (-90.0, 90.0),
                _ => (-360.0, 540.0),
            };
            (!(lower..=upper).contains(x)).then(|| {
                format!("{} = {x} is not in [{lower}, {upper}] degrees; are the coordinates swapped, or in other units?", axis.name)
            })
        };
        self.axes.iter().zip(place).find_map(bad)
    }
}
