//! What the arrays of a file of records are, by their names and attributes.

use super::RecordOptions;
use super::arrays::{Measured, Owners, Shape};
use super::catalog::{MAX_DIM, RecordAxis};
use super::clock::Clock;
use super::header::{is_axis_name, is_noise_of, is_station_name, is_time_name};
use crate::dataset::format::{ArrayInfo, ArrayStore, Attribute, ElementType};
use crate::error::{Error, Result};
use crate::geography::{is_latitude, is_longitude};

/// The arrays of a file by what they are called and what their attributes say.
pub(super) struct Finder<'a> {
    pub(super) store: &'a mut dyn ArrayStore,
    infos: Vec<ArrayInfo>,
}

impl<'a> Finder<'a> {
    /// All arrays of numbers. NetCDF keeps dimensions without coordinates as arrays that hold nothing.
    pub(super) fn new(store: &'a mut dyn ArrayStore) -> Self {
        let mut find = Self { store, infos: Vec::new() };
        let bare = |info: &ArrayInfo| {
            find.text(&info.name, "NAME")
                .is_some_and(|name| name.starts_with("This is a netCDF dimension but not"))
        };
        let infos = find.store.arrays().iter().filter(|info| info.element != ElementType::Other);
        find.infos = infos.filter(|info| !bare(info)).cloned().collect();
        find
    }

    pub(super) fn refuse(&self, problem: String) -> Error {
        Error::Readings { path: self.store.path().into(), row: None, problem }
    }

    pub(super) fn text(&self, array: &str, name: &str) -> Option<String> {
        let found = self.store.attributes().iter().find(|(owner, n, _)| owner == array && n == name);
        match found {
            Some((_, _, Attribute::Texts(texts))) => texts.first().cloned(),
            _ => None,
        }
    }

    pub(super) fn whole(&mut self, info: &ArrayInfo) -> Result<Vec<f64>> {
        self.store.read(&info.name, &vec![0; info.shape.len()], &info.shape)
    }

    fn list(&self) -> String {
        let shown = self.infos.iter().map(|info| format!("{} {:?}", info.name, info.shape));
        shown.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn time(&self) -> Result<ArrayInfo> {
        let standard = |info: &&ArrayInfo| self.text(&info.name, "standard_name").as_deref() == Some("time");
        let named = |info: &&ArrayInfo| is_time_name(&info.name);
        let found = self.infos.iter().find(standard).or_else(|| self.infos.iter().find(named));
        let found = found.filter(|info| info.shape.len() == 1).cloned();
        found.ok_or_else(|| {
            self.refuse(format!("no list of times (an array named time) among {}", self.list()))
        })
    }

    pub(super) fn clock(&self, time: &ArrayInfo, options: &RecordOptions) -> Result<Clock> {
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
    pub(super) fn axes(&self) -> Result<Vec<(RecordAxis, ArrayInfo)>> {
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
    pub(super) fn variables(
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

    /// Whose each of `n` readings is: an index says it, or how many each of the stations has, or each has a place of its own.
    pub(super) fn owners(&mut self, n: usize, axes: &[(RecordAxis, ArrayInfo)]) -> Result<Owners> {
        let stations = axes[0].1.shape[0];
        let with = |name: &str| self.infos.iter().find(|info| self.text(&info.name, name).is_some()).cloned();
        if let Some(info) = with("instance_dimension").filter(|info| info.shape == [n]) {
            return Ok(Owners::Index(info.name));
        }
        if let Some(info) = with("sample_dimension").filter(|info| info.shape == [stations]) {
            let sizes = self.whole(&info)?;
            if sizes.iter().sum::<f64>() != n as f64 || sizes.iter().any(|size| *size < 0.0) {
                return Err(self.refuse(format!("{}: the sizes do not add up to {n} readings", info.name)));
            }
            let end = |sum: &mut f64, size: f64| {
                *sum += size;
                Some(*sum as usize)
            };
            return Ok(Owners::Runs(sizes.into_iter().scan(0.0, end).collect()));
        }
        if axes.iter().all(|(_, info)| info.shape == [n]) {
            let axes = axes.iter().map(|(_, info)| info.name.clone()).collect();
            return Ok(Owners::Own { axes, names: self.names(n)? });
        }
        Err(self.refuse(format!(
            "{n} readings at {stations} places: an index of the stations is missing (CF: instance_dimension or \
             sample_dimension)"
        )))
    }

    /// The array of texts or whole numbers that identify `n` stations, if there is one; first those that the conventions mark,
    /// then texts.
    pub(super) fn names(&mut self, n: usize) -> Result<Option<ArrayInfo>> {
        let named = |info: &&ArrayInfo| {
            let known = self.text(&info.name, "cf_role").is_some() || is_station_name(&info.name);
            known && info.shape.first() == Some(&n)
        };
        let mut found: Vec<ArrayInfo> = self.store.arrays().iter().filter(named).cloned().collect();
        found.sort_by_key(|info| {
            (self.text(&info.name, "cf_role").is_none(), info.element != ElementType::Other)
        });
        for info in found {
            let names = match info.element {
                ElementType::Integer => info.shape.len() == 1,
                ElementType::Other => self.store.texts(&info.name, 0..1)?.is_some(),
                _ => false,
            };
            if names {
                return Ok(Some(info));
            }
        }
        Ok(None)
    }
}
