//! What the columns of a table of readings hold, by their names.

use super::catalog::RecordAxis;
use crate::geography::{is_latitude, is_longitude};

const TIMES: [&str; 9] =
    ["time", "t", "datetime", "date_time", "timestamp", "valid_time", "obs_time", "date", "utc"];
const STATIONS: [&str; 13] = [
    "station",
    "station_id",
    "stationid",
    "station_name",
    "sensor",
    "sensor_id",
    "site",
    "site_id",
    "platform",
    "wmo",
    "wmo_id",
    "id",
    "name",
];
const VARIABLES: [&str; 4] = ["variable", "parameter", "quantity", "element"];
const VALUES: [&str; 4] = ["value", "reading", "measurement", "observation"];
const UNITS: [&str; 2] = ["unit", "units"];
const NOISES: [&str; 6] = ["noise", "sd", "std", "deviation", "uncertainty", "sigma"];
/// What a station has once and for all, besides its place.
const PROPERTIES: [&str; 4] = ["elevation", "elev", "altitude", "alt"];

fn among(list: &[&str], name: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether times are called so.
pub(super) fn is_time_name(name: &str) -> bool {
    among(&TIMES, name)
}

/// Whether names or numbers of stations are called so.
pub(super) fn is_station_name(name: &str) -> bool {
    among(&STATIONS, name)
}

/// Whether coordinates are called so.
pub(super) fn is_axis_name(name: &str) -> bool {
    is_latitude(name) || is_longitude(name) || among(&["x", "y", "z"], name)
}

/// Whether one name is that of the noise of the other: `t2m_sd` of `t2m`.
pub(super) fn is_noise_of(name: &str, variable: &str) -> bool {
    name.rsplit_once('_').is_some_and(|(base, suffix)| base == variable && among(&NOISES, suffix))
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Station,
    /// A coordinate along axis d of the record.
    Axis(usize),
    /// The name of the variable that `Value` holds: the long form.
    Variable,
    Value,
    Unit,
    /// The noise of `Value`.
    Noise,
    /// Values of the column's variable: the wide form.
    Reading(usize),
    /// The noise of a variable of the wide form.
    ReadingNoise(usize),
    Ignored,
}

/// The columns of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    /// Names without units.
    pub(super) names: Vec<String>,
    pub(super) roles: Vec<Role>,
    pub(super) axes: Vec<RecordAxis>,
    /// Name and unit of the variables of the wide form.
    pub(super) readings: Vec<(String, Option<String>)>,
    /// The unit in the name of the time column.
    pub(super) time_unit: Option<String>,
    /// Columns that are not read.
    pub(super) ignored: Vec<String>,
}

impl Header {
    /// Takes the columns apart. `is_text` tells whether a column of the first row is text; `wanted` are the variables
    /// to read, all if empty.
    ///
    /// # Errors
    /// What is wrong with the names, and what to do.
    pub(super) fn new(
        names: &[String],
        is_text: impl Fn(usize) -> bool,
        wanted: &[String],
    ) -> Result<Self, String> {
        if names.iter().any(|name| name.parse::<f64>().is_ok()) {
            return Err(format!(
                "the first line {names:?} must name the columns, such as time,station,lat,lon,t2m"
            ));
        }
        let split: Vec<(String, Option<String>)> = names.iter().map(|name| name_and_unit(name)).collect();
        for (i, (name, _)) in split.iter().enumerate() {
            if name.is_empty() {
                return Err(format!("column {} has no name in the header {names:?}", i + 1));
            }
            if split[..i].iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(format!("two columns are named {name:?}; name them apart, or delete one"));
            }
        }
        let mut header = Self { roles: vec![Role::Ignored; names.len()], ..Self::default() };
        let find = |list: &[&str]| {
            list.iter().find_map(|known| split.iter().position(|(name, _)| name.eq_ignore_ascii_case(known)))
        };
        let mut set = |list: &[&str], role| match find(list) {
            Some(i) if header.roles[i] == Role::Ignored => {
                header.roles[i] = role;
                Some(i)
            }
            _ => None,
        };
        let time = set(&TIMES, Role::Time);
        let station = set(&STATIONS, Role::Station);
        if find(&VARIABLES).is_some() && find(&VALUES).is_some() {
            set(&VARIABLES, Role::Variable);
            set(&VALUES, Role::Value);
            set(&UNITS, Role::Unit);
            set(&NOISES, Role::Noise);
        }
        if let (Some(date), Some(clock)) = (find(&["date"]), find(&["time"])) {
            let (date, clock) = (&split[date].0, &split[clock].0);
            return Err(format!(
                "{date} and {clock} are two columns; join them into one time: 2019-03-01T12:00Z"
            ));
        }
        header.time_unit = time.and_then(|i| split[i].1.clone());
        header.find_axes(&split)?;
        if !header.roles.contains(&Role::Value) {
            header.find_readings(&split, is_text, wanted)?;
        }
        if header.axes.is_empty() && station.is_none() {
            return Err(format!(
                "neither coordinates (lat and lon, or x, y, z) nor a station among the columns {names:?}"
            ));
        }
        header.ignored = header.of(Role::Ignored, &split);
        header.names = split.into_iter().map(|(name, _)| name).collect();
        Ok(header)
    }

    /// The columns of a table of stations.
    ///
    /// # Errors
    /// No station, or no coordinates, among them.
    pub(super) fn of_stations(names: &[String]) -> Result<Self, String> {
        let split: Vec<(String, Option<String>)> = names.iter().map(|name| name_and_unit(name)).collect();
        let mut header = Self { roles: vec![Role::Ignored; names.len()], ..Self::default() };
        let station = STATIONS
            .iter()
            .find_map(|known| split.iter().position(|(name, _)| name.eq_ignore_ascii_case(known)));
        header.find_axes(&split)?;
        match station {
            Some(station) if !header.axes.is_empty() => header.roles[station] = Role::Station,
            _ => {
                return Err(format!(
                    "a table of stations has the columns station, lat, lon, but this has {names:?}"
                ));
            }
        }
        Ok(header)
    }

    fn of(&self, role: Role, split: &[(String, Option<String>)]) -> Vec<String> {
        let columns = self.roles.iter().zip(split).filter(|(r, _)| **r == role);
        columns.map(|(_, (name, _))| name.clone()).collect()
    }

    fn find_axes(&mut self, split: &[(String, Option<String>)]) -> Result<(), String> {
        let axis =
            |(i, (name, unit)): (usize, &(String, Option<String>))| (RecordAxis::of(name, unit.clone()), i);
        let named = split.iter().enumerate().filter(|(_, (name, _))| is_axis_name(name));
        let mut found: Vec<(RecordAxis, usize)> = named.map(axis).collect();
        found.sort_by_key(|(axis, _)| axis.rank());
        if let Some(twice) = found.windows(2).find(|pair| pair[0].0.name == pair[1].0.name) {
            return Err(format!("two columns hold {}; keep one of them", twice[0].0.name));
        }
        let geographic = found.iter().filter(|(axis, _)| axis.geographic).count();
        if geographic == 1 {
            return Err(format!("only {} is there; a place on the Earth has lat and lon", found[0].0.name));
        }
        if found.len() > 3 {
            return Err("more than three coordinates; a domain has 1 to 3 axes".into());
        }
        for (d, (_, i)) in found.iter().enumerate() {
            self.roles[*i] = Role::Axis(d);
        }
        self.axes = found.into_iter().map(|(axis, _)| axis).collect();
        Ok(())
    }

    /// The variables of the wide form, and columns with their noise: `t2m_noise`, `t2m_sd`.
    fn find_readings(
        &mut self,
        split: &[(String, Option<String>)],
        is_text: impl Fn(usize) -> bool,
        wanted: &[String],
    ) -> Result<(), String> {
        let free = |i: usize| {
            let name = &split[i].0;
            let property = among(&PROPERTIES, name) || is_station_name(name) || is_time_name(name);
            self.roles[i] == Role::Ignored && !is_text(i) && !property
        };
        let numbers: Vec<usize> = (0..split.len()).filter(|&i| free(i)).collect();
        let base_of = |i: usize| numbers.iter().copied().find(|&j| is_noise_of(&split[i].0, &split[j].0));
        let (noises, readings): (Vec<usize>, Vec<usize>) =
            numbers.iter().partition(|&&i| base_of(i).is_some());
        let names: Vec<&str> = readings.iter().map(|&i| split[i].0.as_str()).collect();
        if let Some(stranger) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("no variable {stranger:?}; it has {}", names.join(", ")));
        }
        if names.is_empty() {
            return Err("no column with values besides time and place".into());
        }
        let order = |i: &usize| wanted.iter().position(|name| *name == split[*i].0);
        let mut chosen: Vec<usize> =
            readings.into_iter().filter(|i| wanted.is_empty() || order(i).is_some()).collect();
        chosen.sort_by_key(order);
        for i in chosen {
            self.roles[i] = Role::Reading(self.readings.len());
            self.readings.push(split[i].clone());
        }
        for i in noises {
            if let Some(Role::Reading(variable)) = base_of(i).map(|base| self.roles[base]) {
                self.roles[i] = Role::ReadingNoise(variable);
            }
        }
        Ok(())
    }
}

/// The name and the unit of a column called `t2m [K]` or `t2m (K)`.
fn name_and_unit(column: &str) -> (String, Option<String>) {
    for (open, close) in [(" [", ']'), (" (", ')'), ("[", ']'), ("(", ')')] {
        if let Some((name, unit)) = column.strip_suffix(close).and_then(|rest| rest.split_once(open)) {
            return (name.trim().into(), Some(unit.trim().into()));
        }
    }
    (column.into(), None)
}
