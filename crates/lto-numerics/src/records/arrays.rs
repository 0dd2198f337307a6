//! Records in arrays: NumPy archives, NetCDF files with discrete sampling geometries of the CF conventions, Zarr folders,
//! and gridded files, each of whose cells is a station. Readings are read block by block; what is held is one block, and the
//! stations or the cells.

use super::catalog::MAX_DIM;
use super::clock::Clock;
use super::faults::{FaultKind, plausible};
use super::finder::Finder;
use super::row::{Entry, Row};
use super::{Catalog, Faults, RecordOptions};
use crate::dataset::format::{ArrayInfo, ArrayStore, ElementType};
use crate::domain::Domain;
use crate::error::Result;
use std::ops::Range;

/// Values read at once, of each array.
const BLOCK: usize = 1 << 17;

/// Which axes of an array run over what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One reading after the other.
    Rows,
    /// `[time, station]`.
    TimeStation,
    /// `[station, time]`.
    StationTime,
    /// `[time, axis 0, …]`.
    Grid,
}

/// Whose each reading of a list is.
pub(super) enum Owners {
    /// The array with the number of its station.
    Index(String),
    /// Readings of one station follow each other: where those of each end.
    Runs(Vec<usize>),
    /// Each has a place of its own, in these arrays, and maybe a name.
    Own { axes: Vec<String>, names: Option<ArrayInfo> },
}

/// The array of a variable, and the name of that of its noise.
pub(super) type Measured = (ArrayInfo, Option<String>);
/// Values of a variable, and their noise.
type Column = (Vec<f64>, Option<Vec<f64>>);

/// What the arrays of a file hold.
pub(super) struct Arrays<'a> {
    store: &'a mut dyn ArrayStore,
    options: &'a RecordOptions,
    pub(super) clock: Clock,
    shape: Shape,
    time: ArrayInfo,
    /// All times, unless every reading has its own.
    times: Vec<f64>,
    /// All stations, unless every reading has its own place.
    stations: Stations,
    /// Of a list of readings.
    owners: Option<Owners>,
    /// Variables and their noise.
    variables: Vec<Measured>,
    domain: Option<Domain>,
}

/// Places and, maybe, names.
#[derive(Default)]
struct Stations {
    places: Vec<[f64; MAX_DIM]>,
    names: Option<Vec<String>>,
}

/// A block of a list of readings.
struct Listed {
    times: Vec<f64>,
    /// The number of the station of each.
    stations: Vec<f64>,
    /// The stations, if they are the block's own.
    own: Option<Stations>,
}

impl<'a> Arrays<'a> {
    /// Finds times, places and variables.
    ///
    /// # Errors
    /// What is missing, with the names that are there.
    pub(super) fn new(
        store: &'a mut dyn ArrayStore,
        options: &'a RecordOptions,
        catalog: &mut Catalog,
    ) -> Result<Self> {
        let mut find = Finder::new(store);
        let time = find.time()?;
        let clock = find.clock(&time, options)?;
        let axes = find.axes()?;
        let (shape, variables) = find.variables(&time, &axes, options)?;
        catalog.axes = axes.iter().map(|(axis, _)| axis.clone()).collect();
        let (mut owners, mut times) = (None, Vec::new());
        if shape == Shape::Rows {
            owners = Some(find.owners(time.shape[0], &axes)?);
        } else {
            times = find.whole(&time)?.into_iter().map(|number| clock.of_number(number)).collect();
            if let Some(i) = times.iter().position(|time| !time.is_finite()) {
                return Err(find.refuse(format!("{} has no time in row {}", time.name, i + 1)));
            }
        }
        let mut stations = Stations::default();
        if !matches!(owners, Some(Owners::Own { .. })) {
            let lists = axes.iter().map(|(_, info)| find.whole(info)).collect::<Result<Vec<_>>>()?;
            stations.places = if shape == Shape::Grid { mesh(&lists) } else { zipped(&lists) };
            let n = stations.places.len();
            let names = if shape == Shape::Grid { None } else { find.names(n)? };
            stations.names = names.map(|info| names_of(find.store, &info, 0..n)).transpose()?;
        }
        for (info, _) in &variables {
            let unit = find.text(&info.name, "units");
            catalog.variable(&info.name, unit.as_deref());
        }
        let axis_names: Vec<String> = catalog.axes.iter().map(|axis| axis.name.clone()).collect();
        let domain =
            options.domain.as_ref().map(|given| given.domain(options.periodic.as_ref(), &axis_names));
        let (domain, store) = (domain.transpose()?, find.store);
        Ok(Self { store, options, clock, shape, time, times, stations, owners, variables, domain })
    }

    /// Gives every row to `sink`, block by block.
    ///
    /// # Errors
    /// Arrays that cannot be read; a fault, where faults are refused.
    pub(super) fn read(
        &mut self,
        catalog: &mut Catalog,
        faults: &mut Faults,
        mut sink: impl FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        let outer = self.time.shape[0];
        // Values of one entry of the axis along which blocks are taken.
        let inner = if self.shape == Shape::Rows { 1 } else { self.stations.places.len().max(1) };
        let step = (BLOCK / inner).clamp(1, outer.max(1));
        let mut row = Row::default();
        for first in (0..outer).step_by(step) {
            let count = step.min(outer - first);
            let columns = self.block(first, count)?;
            let listed = self.listed(first..first + count)?;
            let stations = listed.as_ref().and_then(|listed| listed.own.as_ref()).unwrap_or(&self.stations);
            for i in 0..count * inner {
                row.entries.clear();
                row.line = (first * inner + i) as u64 + 1;
                let line = row.line;
                let here = format_args!("row {line}");
                for (variable, (values, noises)) in columns.iter().enumerate() {
                    let name = &self.variables[variable].0.name;
                    let value = plausible(values[i], name, &self.options.missing, &here, faults)?;
                    let deviation = noises.as_ref().map_or(f64::NAN, |noises| noises[i]);
                    row.entries.extend(value.map(|value| Entry { variable, value, deviation }));
                }
                // A cell or station without any value was not there.
                if row.entries.is_empty() {
                    continue;
                }
                let station = match &listed {
                    Some(listed) => {
                        row.time = listed.times[i];
                        if !row.time.is_finite() {
                            let name = &self.time.name;
                            faults.add(FaultKind::Time, &here, || {
                                format!("{name} = {}: no time; give it one, or delete the reading", row.time)
                            })?;
                            continue;
                        }
                        let (n, number) = (stations.places.len(), listed.stations[i]);
                        if !(0.0..n as f64).contains(&number) || number.fract() != 0.0 {
                            faults.add(FaultKind::Station, &here, || {
                                format!("the index {number} is not one of {n} stations, counted from 0")
                            })?;
                            continue;
                        }
                        number as usize
                    }
                    None => {
                        let (time, station) = match self.shape {
                            Shape::StationTime => (i % count, i / count),
                            _ => (i / inner, i % inner),
                        };
                        row.time = self.times[first + time];
                        station
                    }
                };
                let name = stations.names.as_ref().map(|names| names[station].as_bytes());
                let name = name.filter(|name| !name.is_empty());
                let place = stations.places[station];
                if catalog.locate(name, place, self.domain.as_ref(), &here, faults, &mut row)? {
                    sink(&row)?;
                }
            }
        }
        Ok(())
    }

    /// Times and stations of a block of a list of readings; `None` for other shapes.
    fn listed(&mut self, rows: Range<usize>) -> Result<Option<Listed>> {
        let Some(owners) = &self.owners else { return Ok(None) };
        let store = &mut *self.store;
        let mut part = |array: &str| store.read(array, &[rows.start], &[rows.len()]);
        let times = part(&self.time.name)?.into_iter().map(|number| self.clock.of_number(number)).collect();
        let mut own = None;
        let stations = match owners {
            Owners::Index(array) => part(array)?,
            Owners::Runs(ends) => rows.map(|row| ends.partition_point(|end| *end <= row) as f64).collect(),
            Owners::Own { axes, names } => {
                let lists = axes.iter().map(|axis| part(axis)).collect::<Result<Vec<_>>>()?;
                let names = names.as_ref().map(|info| names_of(store, info, rows.clone())).transpose()?;
                own = Some(Stations { places: zipped(&lists), names });
                (0..rows.len()).map(|i| i as f64).collect()
            }
        };
        Ok(Some(Listed { times, stations, own }))
    }

    /// Values and noises of all variables in a block of times or rows.
    fn block(&mut self, first: usize, count: usize) -> Result<Vec<Column>> {
        let along = usize::from(self.shape == Shape::StationTime);
        let mut columns = Vec::with_capacity(self.variables.len());
        for (info, noise) in &self.variables {
            let (mut start, mut size) = (vec![0; info.shape.len()], info.shape.clone());
            (start[along], size[along]) = (first, count);
            let values = self.store.read(&info.name, &start, &size)?;
            let noises = noise.as_ref().map(|noise| self.store.read(noise, &start, &size)).transpose()?;
            columns.push((values, noises));
        }
        Ok(columns)
    }
}

/// The points of lists of equal length.
fn zipped(lists: &[Vec<f64>]) -> Vec<[f64; MAX_DIM]> {
    let n = lists.iter().map(Vec::len).min().unwrap_or(0);
    (0..n).map(|i| std::array::from_fn(|d| lists.get(d).map_or(0.0, |list| list[i]))).collect()
}

/// The points of a grid, the last axis fastest.
fn mesh(lists: &[Vec<f64>]) -> Vec<[f64; MAX_DIM]> {
    let n = lists.iter().map(Vec::len).product();
    let point = |mut flat: usize| {
        let mut point = [0.0; MAX_DIM];
        for d in (0..lists.len()).rev() {
            point[d] = lists[d][flat % lists[d].len()];
            flat /= lists[d].len();
        }
        point
    };
    (0..n).map(point).collect()
}

/// Texts or whole numbers as names; empty where there is none.
fn names_of(store: &mut dyn ArrayStore, info: &ArrayInfo, rows: Range<usize>) -> Result<Vec<String>> {
    let n = rows.len();
    let mut names = match info.element {
        ElementType::Integer => {
            store.read(&info.name, &[rows.start], &[n])?.iter().map(f64::to_string).collect()
        }
        _ => store.texts(&info.name, rows)?.unwrap_or_default(),
    };
    names.resize(n, String::new());
    Ok(names)
}
