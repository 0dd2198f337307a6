//! Records in arrays: NumPy archives, NetCDF files with discrete sampling geometries of the CF conventions, Zarr folders,
//! and gridded files, each of whose cells is a station.

use super::catalog::{MAX_DIM, RecordAxis};
use super::clock::Clock;
use super::faults::plausible;
use super::header::{is_axis_name, is_noise_of, is_station_name, is_time_name};
use super::row::{Entry, Row};
use super::{Catalog, Faults, RecordOptions};
use crate::dataset::format::{ArrayInfo, ArrayStore, Attribute, ElementType};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::geography::{is_latitude, is_longitude};

/// Values read at once, of each variable.
const BLOCK: usize = 1 << 18;

/// Which axes of an array run over what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One reading after the other.
    Rows,
    /// `[time, station]`.
    TimeStation,
    /// `[station, time]`.
    StationTime,
    /// `[time, axis 0, …]`.
    Grid,
}

/// The array of a variable, and the name of that of its noise.
type Measured = (ArrayInfo, Option<String>);
/// Values of a variable, and their noise.
type Column = (Vec<f64>, Option<Vec<f64>>);

/// What the arrays of a file hold.
pub(super) struct Arrays<'a> {
    store: &'a mut dyn ArrayStore,
    options: &'a RecordOptions,
    pub(super) clock: Clock,
    shape: Shape,
    times: Vec<f64>,
    /// Coordinates `[station, D]`, or one list for each axis of a grid.
    places: Vec<[f64; MAX_DIM]>,
    names: Option<Vec<String>>,
    /// The station of each reading.
    owners: Option<Vec<usize>>,
    /// Variables and their noise.
    variables: Vec<Measured>,
    domain: Option<Domain>,
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
        let infos =
            store.arrays().iter().filter(|info| info.element != ElementType::Other).cloned().collect();
        let mut find = Finder { store, infos };
        find.leave_out_dimensions();
        let time = find.time()?;
        let clock = find.clock(&time, options)?;
        let axes = find.axes()?;
        let (shape, variables) = find.variables(&time, &axes, options)?;
        let times: Vec<f64> = find.whole(&time)?.into_iter().map(|number| clock.of_number(number)).collect();
        if let Some(i) = times.iter().position(|time| !time.is_finite()) {
            return Err(find.refuse(format!("{} has no time in row {}", time.name, i + 1)));
        }
        let lists = axes.iter().map(|(_, info)| find.whole(info)).collect::<Result<Vec<_>>>()?;
        catalog.axes = axes.iter().map(|(axis, _)| axis.clone()).collect();
        let places = if shape == Shape::Grid { mesh(&lists) } else { zipped(&lists) };
        let owners = if shape == Shape::Rows { find.owners(times.len(), places.len())? } else { None };
        if shape == Shape::Rows && owners.is_none() && places.len() != times.len() {
            return Err(find.refuse(format!(
                "{} readings at {} places: an index of the stations is missing (CF: instance_dimension or \
                 sample_dimension)",
                times.len(),
                places.len()
            )));
        }
        let names = if shape == Shape::Grid { None } else { find.names(places.len())? };
        for (info, _) in &variables {
            let unit = find.text(&info.name, "units");
            catalog.variable(&info.name, unit.as_deref());
        }
        let axis_names: Vec<String> = catalog.axes.iter().map(|axis| axis.name.clone()).collect();
        let domain =
            options.domain.as_ref().map(|given| given.domain(options.periodic.as_ref(), &axis_names));
        let domain = domain.transpose()?;
        Ok(Self { store: find.store, options, clock, shape, times, places, names, owners, variables, domain })
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
        let stations = self.places.len();
        let outer = self.times.len();
        // Values of one entry of the axis along which blocks are taken.
        let inner = if self.shape == Shape::Rows { 1 } else { stations.max(1) };
        let step = (BLOCK / inner).clamp(1, outer.max(1));
        let mut row = Row::default();
        for first in (0..outer).step_by(step) {
            let count = step.min(outer - first);
            let columns = self.block(first, count)?;
            for i in 0..count * inner {
                let (time, station) = match self.shape {
                    Shape::Rows => {
                        (first + i, self.owners.as_ref().map_or(first + i, |owners| owners[first + i]))
                    }
                    Shape::TimeStation | Shape::Grid => (first + i / inner, i % inner),
                    Shape::StationTime => (first + i % count, i / count),
                };
                row.entries.clear();
                row.line = (first * inner + i) as u64 + 1;
                row.time = self.times[time];
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
                let name = self.names.as_ref().map(|names| names[station].as_bytes());
                let name = name.filter(|name| !name.is_empty());
                if catalog.locate(
                    name,
                    self.places[station],
                    self.domain.as_ref(),
                    &here,
                    faults,
                    &mut row,
                )? {
                    sink(&row)?;
                }
            }
        }
        Ok(())
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

/// The arrays of a file by what they are called and what their attributes say.
struct Finder<'a> {
    store: &'a mut dyn ArrayStore,
    infos: Vec<ArrayInfo>,
}

impl Finder<'_> {
    /// NetCDF keeps dimensions without coordinates as arrays that hold nothing.
    fn leave_out_dimensions(&mut self) {
        let infos = std::mem::take(&mut self.infos);
        let bare = |info: &ArrayInfo| {
            self.text(&info.name, "NAME")
                .is_some_and(|name| name.starts_with("This is a netCDF dimension but not"))
        };
        self.infos = infos.into_iter().filter(|info| !bare(info)).collect();
    }

    fn refuse(&self, problem: String) -> Error {
        Error::Readings { path: self.store.path().into(), row: None, problem }
    }

    fn text(&self, array: &str, name: &str) -> Option<String> {
        let found = self.store.attributes().iter().find(|(owner, n, _)| owner == array && n == name);
        match found {
            Some((_, _, Attribute::Texts(texts))) => texts.first().cloned(),
            _ => None,
        }
    }

    fn whole(&mut self, info: &ArrayInfo) -> Result<Vec<f64>> {
        self.store.read(&info.name, &vec![0; info.shape.len()], &info.shape)
    }

    fn list(&self) -> String {
        let shown = self.infos.iter().map(|info| format!("{} {:?}", info.name, info.shape));
        shown.collect::<Vec<_>>().join(", ")
    }

    fn time(&self) -> Result<ArrayInfo> {
        let standard = |info: &&ArrayInfo| self.text(&info.name, "standard_name").as_deref() == Some("time");
        let named = |info: &&ArrayInfo| is_time_name(&info.name);
        let found = self.infos.iter().find(standard).or_else(|| self.infos.iter().find(named));
        let found = found.filter(|info| info.shape.len() == 1).cloned();
        found.ok_or_else(|| {
            self.refuse(format!("no list of times (an array named time) among {}", self.list()))
        })
    }

    fn clock(&self, time: &ArrayInfo, options: &RecordOptions) -> Result<Clock> {
        let calendar = self.text(&time.name, "calendar").map(|name| name.to_ascii_lowercase());
        if let Some(other) =
            calendar.filter(|c| !["standard", "gregorian", "proleptic_gregorian"].contains(&&c[..]))
        {
            return Err(
                self.refuse(format!("times of the calendar {other:?}; convert them to the standard one"))
            );
        }
        let unit = options.time_unit.clone().or_else(|| self.text(&time.name, "units"));
        Ok(Clock::of_unit(&unit.unwrap_or_default()))
    }

    /// The coordinates, in order.
    fn axes(&self) -> Result<Vec<(RecordAxis, ArrayInfo)>> {
        let axis = |info: &ArrayInfo| {
            let standard = self.text(&info.name, "standard_name").unwrap_or_default();
            let name = match standard.as_str() {
                _ if is_axis_name(&info.name) => info.name.clone(),
                name if is_latitude(name) || is_longitude(name) => name.into(),
                _ => return None,
            };
            (info.shape.len() == 1)
                .then(|| (RecordAxis::of(&name, self.text(&info.name, "units")), info.clone()))
        };
        let mut axes: Vec<_> = self.infos.iter().filter_map(axis).collect();
        axes.sort_by_key(|(axis, _)| axis.rank());
        axes.dedup_by(|a, b| a.0.name == b.0.name);
        if !(1..=MAX_DIM).contains(&axes.len()) {
            return Err(
                self.refuse(format!("no coordinates (lat and lon, or x, y, z) among {}", self.list()))
            );
        }
        Ok(axes)
    }

    /// Arrays over times and places, with their noise, and how their axes run.
    fn variables(
        &self,
        time: &ArrayInfo,
        axes: &[(RecordAxis, ArrayInfo)],
        options: &RecordOptions,
    ) -> Result<(Shape, Vec<Measured>)> {
        let times = time.shape[0];
        let lists: Vec<usize> = axes.iter().map(|(_, info)| info.shape[0]).collect();
        let together = lists.iter().all(|n| *n == lists[0]);
        let shape_of = |info: &ArrayInfo| match info.shape[..] {
            [n] if n == times => Some(Shape::Rows),
            [a, b] if together && (a, b) == (times, lists[0]) && !self.station_first(info, &axes[0].1) => {
                Some(Shape::TimeStation)
            }
            [a, b] if together && (a, b) == (lists[0], times) => Some(Shape::StationTime),
            [t, ref rest @ ..] if t == times && rest == &lists[..] => Some(Shape::Grid),
            _ => None,
        };
        let special = |info: &ArrayInfo| {
            info.name == time.name
                || axes.iter().any(|(_, axis)| axis.name == info.name)
                || is_station_name(&info.name)
                || self.text(&info.name, "instance_dimension").is_some()
                || self.text(&info.name, "cf_role").is_some()
        };
        let candidates: Vec<(&ArrayInfo, Shape)> = self
            .infos
            .iter()
            .filter(|info| !special(info))
            .filter_map(|info| Some((info, shape_of(info)?)))
            .collect();
        let most = candidates.iter().map(|(info, _)| info.shape.len()).max().unwrap_or(0);
        let Some(&(_, shape)) = candidates.iter().find(|(info, _)| info.shape.len() == most) else {
            return Err(self.refuse(format!("no readings over times and places among {}", self.list())));
        };
        let fitting: Vec<&ArrayInfo> =
            candidates.into_iter().filter(|(_, own)| *own == shape).map(|(info, _)| info).collect();
        let noise = |info: &ArrayInfo| {
            fitting.iter().find(|n| is_noise_of(&n.name, &info.name)).map(|n| n.name.clone())
        };
        let is_noise = |info: &ArrayInfo| fitting.iter().any(|base| is_noise_of(&info.name, &base.name));
        let wanted =
            |info: &ArrayInfo| options.variables.is_empty() || options.variables.contains(&info.name);
        if let Some(stranger) =
            options.variables.iter().find(|name| fitting.iter().all(|info| info.name != **name))
        {
            let names: Vec<&str> = fitting.iter().map(|info| info.name.as_str()).collect();
            return Err(self.refuse(format!("no variable {stranger:?}; it has {}", names.join(", "))));
        }
        let mut chosen: Vec<&&ArrayInfo> =
            fitting.iter().filter(|info| !is_noise(info) && wanted(info)).collect();
        chosen.sort_by_key(|info| options.variables.iter().position(|name| *name == info.name));
        Ok((shape, chosen.into_iter().map(|info| ((*info).clone(), noise(info))).collect()))
    }

    /// Whether the dimensions that NetCDF or Zarr name say that the first axis of an array is the stations'.
    fn station_first(&self, info: &ArrayInfo, place: &ArrayInfo) -> bool {
        let dimensions = |name: &str| {
            let of = |attribute: &str| {
                self.store
                    .attributes()
                    .iter()
                    .find(|(owner, n, _)| owner == name && n == attribute)
                    .map(|a| &a.2)
            };
            of("_Netcdf4Coordinates").or_else(|| of("_ARRAY_DIMENSIONS")).cloned()
        };
        match (dimensions(&info.name), dimensions(&place.name)) {
            (Some(Attribute::Numbers(own)), Some(Attribute::Numbers(of_place))) => {
                own.first() == of_place.first()
            }
            (Some(Attribute::Texts(own)), Some(Attribute::Texts(of_place))) => {
                own.first() == of_place.first()
            }
            _ => false,
        }
    }

    /// The station of each of `n` readings: an index, or how many each station has.
    fn owners(&mut self, n: usize, stations: usize) -> Result<Option<Vec<usize>>> {
        let with = |name: &str| self.infos.iter().find(|info| self.text(&info.name, name).is_some()).cloned();
        if let Some(info) = with("instance_dimension").filter(|info| info.shape == [n]) {
            let index = self.whole(&info)?;
            let valid = |i: &f64| *i >= 0.0 && *i < stations as f64 && i.fract() == 0.0;
            return match index.iter().position(|i| !valid(i)) {
                None => Ok(Some(index.into_iter().map(|i| i as usize).collect())),
                Some(row) => Err(self.refuse(format!(
                    "{}: {} in row {} is not one of {stations} stations",
                    info.name,
                    index[row],
                    row + 1
                ))),
            };
        }
        if let Some(info) = with("sample_dimension").filter(|info| info.shape == [stations]) {
            let sizes = self.whole(&info)?;
            if sizes.iter().sum::<f64>() != n as f64 || sizes.iter().any(|size| *size < 0.0) {
                return Err(self.refuse(format!("{}: the sizes do not add up to {n} readings", info.name)));
            }
            let each = sizes.iter().enumerate().flat_map(|(i, size)| std::iter::repeat_n(i, *size as usize));
            return Ok(Some(each.collect()));
        }
        Ok(None)
    }

    /// Texts or whole numbers that identify the stations, if there are any; first those that the conventions mark, then texts.
    fn names(&mut self, stations: usize) -> Result<Option<Vec<String>>> {
        let named = |info: &&ArrayInfo| {
            let known = self.text(&info.name, "cf_role").is_some() || is_station_name(&info.name);
            known && info.shape.first() == Some(&stations)
        };
        let mut found: Vec<ArrayInfo> = self.store.arrays().iter().filter(named).cloned().collect();
        found.sort_by_key(|info| {
            (self.text(&info.name, "cf_role").is_none(), info.element != ElementType::Other)
        });
        for info in found {
            match info.element {
                ElementType::Integer if info.shape.len() == 1 => {
                    return Ok(Some(self.whole(&info)?.iter().map(f64::to_string).collect()));
                }
                ElementType::Other => {
                    if let Some(names) = self.store.texts(&info.name)?.filter(|names| names.len() == stations)
                    {
                        return Ok(Some(names));
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }
}
