//! The rows of a CSV table of readings, long or wide, from a file or any stream.

use super::catalog::MAX_DIM;
use super::clock::Clock;
use super::faults::{FaultKind, plausible};
use super::header::{Header, Role};
use super::row::{Entry, Row};
use super::{Catalog, Faults, RecordOptions};
use crate::dataset::format::csv::lines::{
    Lines, complaint, delimiter, fields, finite, is_missing, number_like,
};
use crate::domain::Domain;
use crate::error::{Error, Result};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads one row after the other. The first row decides how times are written and which columns are text.
pub struct CsvRows<R> {
    path: PathBuf,
    lines: Lines<R>,
    /// The first row, which was read to learn about the columns.
    first: Option<(u64, Vec<u8>)>,
    table: TableForm,
}

/// What is known about the lines of a table.
struct TableForm {
    delimiter: u8,
    header: Header,
    clock: Clock,
    missing: Vec<f64>,
    wanted: Vec<String>,
    domain: Option<Domain>,
    /// The last time and how it was written: rows of one time mostly follow each other.
    last: (Vec<u8>, f64),
    /// The first line whose time has no zone, and that time.
    zoneless: Option<(u64, String)>,
}

/// The parts of a line, before they are known to be usable.
#[derive(Default)]
struct Parts<'a> {
    time: &'a [u8],
    station: Option<&'a [u8]>,
    place: [f64; MAX_DIM],
    has_place: bool,
    variable: &'a [u8],
    value: &'a [u8],
    unit: &'a [u8],
    noise: &'a [u8],
}

impl<R: Read> CsvRows<R> {
    /// Reads the header and the first row of `bytes`; messages call them `path`.
    ///
    /// # Errors
    /// Unreadable bytes, no rows, or columns without time, place or values.
    pub fn new(path: &Path, bytes: R, options: &RecordOptions, catalog: &mut Catalog) -> Result<Self> {
        let io = |source| Error::Io { path: path.into(), source };
        let refuse = |problem: String| Error::Readings { path: path.into(), row: None, problem };
        let mut lines = Lines::new(bytes);
        let Some((_, line)) = lines.next().map_err(io)? else {
            return Err(refuse("the file is empty".into()));
        };
        let delimiter = delimiter(line);
        let names: Vec<String> =
            fields(line, delimiter).map(|f| String::from_utf8_lossy(f).into_owned()).collect();
        if std::str::from_utf8(line).is_err() {
            return Err(refuse(format!(
                "line 1: the header {names:?} is not UTF-8; convert the file, as with iconv -f latin1 -t utf-8"
            )));
        }
        let Some((number, line)) = lines.next().map_err(io)? else {
            return Err(refuse("a header line, but no rows follow".into()));
        };
        let first: Vec<&[u8]> = fields(line, delimiter).collect();
        let is_text = |i: usize| first.get(i).is_some_and(|f| !is_missing(f) && !number_like(f));
        let header = Header::new(&names, is_text, &options.variables).map_err(refuse)?;
        let Some(time) = header.roles.iter().position(|role| *role == Role::Time) else {
            return Err(refuse(format!("no column time among {names:?}")));
        };
        let unit = options.time_unit.as_ref().or(header.time_unit.as_ref());
        let number_first = first.get(time).is_some_and(|field| number_like(field));
        let clock = match unit {
            _ if !number_first => Clock::Calendar { numbers: None },
            Some(unit) => Clock::of_unit(unit),
            None => Clock::Plain { unit: String::new() },
        };
        if header.axes.is_empty() == catalog.axes.is_empty() {
            return Err(refuse(match header.axes.is_empty() {
                true => "its rows have no coordinates: name a table of the stations (--stations FILE)".into(),
                false => {
                    "its rows have coordinates, so a table of stations is of no use; leave it out".into()
                }
            }));
        }
        if catalog.axes.is_empty() {
            catalog.axes.clone_from(&header.axes);
        }
        if header.readings.is_empty() {
            // The long form names its variables as it goes; those wanted have their order from the start.
            options.variables.iter().for_each(|name| _ = catalog.variable(name, None));
        }
        for (name, unit) in &header.readings {
            catalog.variable(name, unit.as_deref());
        }
        let names: Vec<String> = catalog.axes.iter().map(|axis| axis.name.clone()).collect();
        let domain = options.domain.as_ref().map(|given| given.domain(options.periodic.as_ref(), &names));
        let first = Some((number, line.to_vec()));
        let table = TableForm {
            delimiter,
            header,
            clock,
            missing: options.missing.clone(),
            wanted: options.variables.clone(),
            domain: domain.transpose()?,
            last: (Vec::new(), f64::NAN),
            zoneless: None,
        };
        Ok(Self { path: path.into(), lines, first, table })
    }

    /// How times are written.
    pub fn clock(&self) -> &Clock {
        &self.table.clock
    }

    /// What was assumed: which columns are not read, and that times without a zone are UTC.
    pub fn notes(&self) -> Vec<String> {
        let ignored = &self.table.header.ignored;
        let mut notes = Vec::new();
        if !ignored.is_empty() {
            notes.push(format!("not read: {}", ignored.join(", ")));
        }
        if let Some((line, time)) = &self.table.zoneless {
            notes.push(format!(
                "line {line}: {time:?} has no zone and is taken as UTC, as are all times without one; write {time}Z, or an \
                 offset such as {time}+01:00"
            ));
        }
        if self.table.clock == (Clock::Plain { unit: String::new() }) {
            notes.push("times are numbers without a unit; give it with --time-unit".into());
        }
        notes
    }

    /// Reads the next usable row; false at the end.
    ///
    /// # Errors
    /// Unreadable bytes; a fault, where faults are refused.
    pub fn next(&mut self, catalog: &mut Catalog, faults: &mut Faults, row: &mut Row) -> Result<bool> {
        if let Some((number, line)) = self.first.take()
            && self.table.parse(number, &line, catalog, faults, row)?
        {
            return Ok(true);
        }
        loop {
            let next = self.lines.next().map_err(|source| Error::Io { path: self.path.clone(), source })?;
            let Some((number, line)) = next else { return Ok(false) };
            if self.table.parse(number, line, catalog, faults, row)? {
                return Ok(true);
            }
        }
    }
}

impl TableForm {
    /// Whether a line is a usable row.
    fn parse(
        &mut self,
        line: u64,
        text: &[u8],
        catalog: &mut Catalog,
        faults: &mut Faults,
        row: &mut Row,
    ) -> Result<bool> {
        row.line = line;
        row.entries.clear();
        let here = || format!("line {line}");
        let expected = self.header.roles.len();
        let got = fields(text, self.delimiter).count();
        if got != expected {
            faults.add(FaultKind::Fields, &here(), || self.miscounted(text, got))?;
            return Ok(false);
        }
        let mut parts = Parts::default();
        let mut bad_place = None;
        for (i, (field, role)) in fields(text, self.delimiter).zip(&self.header.roles).enumerate() {
            match role {
                Role::Time => parts.time = field,
                Role::Station => parts.station = Some(field),
                Role::Axis(d) if is_missing(field) => parts.place[*d] = f64::NAN,
                Role::Axis(d) => match finite(field) {
                    Some(x) => (parts.place[*d], parts.has_place) = (x, true),
                    None => bad_place = Some(complaint(line, &self.header.names[i], field, self.delimiter)),
                },
                Role::Variable => parts.variable = field,
                Role::Value => parts.value = field,
                Role::Unit => parts.unit = field,
                Role::Noise => parts.noise = field,
                Role::Reading(_) | Role::ReadingNoise(_) | Role::Ignored => {}
            }
        }
        if let Some(problem) = bad_place {
            let problem = problem.split_once(", ").map_or(problem.clone(), |(_, rest)| rest.into());
            faults.add(FaultKind::Coordinate, &here(), || problem + "; correct it, or delete the row")?;
            return Ok(false);
        }
        for (what, field) in [
            ("station", parts.station.unwrap_or_default()),
            ("variable", parts.variable),
            ("unit", parts.unit),
        ] {
            if std::str::from_utf8(field).is_err() {
                faults.add(FaultKind::Encoding, &here(), || {
                    format!(
                        "{what} {:?} is not UTF-8; convert the file, as with iconv -f latin1 -t utf-8",
                        shown(field)
                    )
                })?;
                return Ok(false);
            }
        }
        if !(self.time(line, parts.time, faults, row)? && self.place(line, &parts, catalog, faults, row)?) {
            return Ok(false);
        }
        if self.header.readings.is_empty() {
            self.long(line, &parts, catalog, faults, row)?;
        } else {
            self.wide(line, text, faults, row)?;
        }
        Ok(true)
    }

    /// What is wrong with a line of too few or too many fields.
    fn miscounted(&self, text: &[u8], got: usize) -> String {
        let expected = self.header.roles.len();
        let open_quote = text.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
        let remedy = match () {
            () if open_quote => "a quotation mark is not closed; close it, on the same line",
            () if got == 1 => "is it cut off, or does it have another delimiter than the header?",
            () if got < expected => "is it cut off?",
            () if self.delimiter == b',' => {
                "is there a decimal comma, or a comma inside a name? Write a point, or \"quote\" the field"
            }
            () => "is there a delimiter inside a name? \"Quote\" the field",
        };
        let fields = if got == 1 { "field" } else { "fields" };
        format!("{:?} has {got} {fields}, but the header names {expected}; {remedy}", shown(text))
    }

    fn time(&mut self, line: u64, field: &[u8], faults: &mut Faults, row: &mut Row) -> Result<bool> {
        if field != self.last.0 || self.last.1.is_nan() {
            let time = std::str::from_utf8(field).ok().and_then(|text| self.clock.parse(text));
            let Some(time) = time else {
                let dated = self.clock == Clock::Calendar { numbers: None };
                faults.add(FaultKind::Time, &format!("line {line}"), || {
                    let form = if dated { "2019-03-01T12:00Z" } else { "a number, as in the rows before" };
                    format!("{:?} is not a time; write {form}", shown(field))
                })?;
                return Ok(false);
            };
            if self.clock == (Clock::Calendar { numbers: None }) && lacks_zone(field) {
                self.zoneless.get_or_insert_with(|| (line, shown(field)));
            }
            self.last = (field.into(), time);
        }
        row.time = self.last.1;
        Ok(true)
    }

    /// The station of a row, and its place if it has moved.
    fn place(
        &self,
        line: u64,
        parts: &Parts,
        catalog: &mut Catalog,
        faults: &mut Faults,
        row: &mut Row,
    ) -> Result<bool> {
        let here = || format!("line {line}");
        if parts.station.is_some_and(is_missing) && (!parts.has_place || self.header.axes.is_empty()) {
            faults
                .add(FaultKind::Station, &here(), || "has no station; name it, or delete the row".into())?;
            return Ok(false);
        }
        let name = parts.station.filter(|name| !is_missing(name));
        if !parts.has_place {
            let Some(known) = name.and_then(|name| catalog.known(name)) else {
                let name = shown(name.unwrap_or_default());
                faults.add(FaultKind::Station, &here(), || match self.header.axes.is_empty() {
                    true => format!("station {name:?} is not in the table of stations; add it there"),
                    false => format!("station {name:?} has no coordinates here, nor in a row before; give them in its first row"),
                })?;
                return Ok(false);
            };
            (row.station, row.moved) = (known, None);
            return Ok(true);
        }
        catalog.locate(name, parts.place, self.domain.as_ref(), &here(), faults, row)
    }

    fn long(
        &self,
        line: u64,
        parts: &Parts,
        catalog: &mut Catalog,
        faults: &mut Faults,
        row: &mut Row,
    ) -> Result<()> {
        let name = shown(parts.variable);
        if !self.wanted.is_empty() && !self.wanted.contains(&name) {
            return Ok(());
        }
        let unit = (!is_missing(parts.unit)).then(|| shown(parts.unit));
        let variable = catalog.variable(&name, unit.as_deref());
        let known = &mut catalog.variables[variable].unit;
        match (&*known, unit) {
            (Some(before), Some(now)) if *before != now => {
                return faults.add(FaultKind::Unit, &format!("line {line}"), || {
                    format!("{name} is in {now} here, but in {before} before; convert one of them")
                });
            }
            (None, Some(now)) => *known = Some(now),
            _ => {}
        }
        let value = self.value(line, &name, parts.value, faults)?;
        let deviation = self.deviation(line, "noise", parts.noise, faults)?;
        row.entries.extend(value.map(|value| Entry { variable, value, deviation }));
        Ok(())
    }

    fn wide(&self, line: u64, text: &[u8], faults: &mut Faults, row: &mut Row) -> Result<()> {
        let columns = || fields(text, self.delimiter).zip(&self.header.roles).zip(&self.header.names);
        for ((field, role), name) in columns() {
            let Role::Reading(variable) = *role else { continue };
            let value = self.value(line, name, field, faults)?;
            row.entries.extend(value.map(|value| Entry { variable, value, deviation: f64::NAN }));
        }
        for ((field, role), name) in columns() {
            let Role::ReadingNoise(variable) = *role else { continue };
            let deviation = self.deviation(line, name, field, faults)?;
            let of = row.entries.iter_mut().find(|entry| entry.variable == variable);
            of.into_iter().for_each(|entry| entry.deviation = deviation);
        }
        Ok(())
    }

    /// The value in a field; `None` if it is missing.
    fn value(&self, line: u64, column: &str, field: &[u8], faults: &mut Faults) -> Result<Option<f64>> {
        if is_missing(field) {
            return Ok(None);
        }
        let Some(value) = finite(field) else {
            let problem = complaint(line, column, field, self.delimiter);
            let problem = problem.split_once(", ").map_or(problem.clone(), |(_, rest)| rest.into());
            let remedy = if problem.contains(';') { "" } else { "; leave the field empty if it is missing" };
            faults.add(FaultKind::Value, &format!("line {line}"), || problem + remedy)?;
            return Ok(None);
        };
        plausible(value, column, &self.missing, &format_args!("line {line}"), faults)
    }

    /// The noise in a field; NaN if none is given.
    fn deviation(&self, line: u64, column: &str, field: &[u8], faults: &mut Faults) -> Result<f64> {
        if is_missing(field) {
            return Ok(f64::NAN);
        }
        match finite(field) {
            Some(noise) if noise >= 0.0 => Ok(noise),
            _ => {
                faults.add(FaultKind::Value, &format!("line {line}"), || {
                    format!(
                        "column {column}: {:?} is not a standard deviation, which is not negative; leave the field empty \
                         if it is not known",
                        shown(field)
                    )
                })?;
                Ok(f64::NAN)
            }
        }
    }
}

/// Whether a date with a time of day says nothing about its zone.
fn lacks_zone(field: &[u8]) -> bool {
    let Some(at) = field.iter().position(|byte| b"Tt ".contains(byte)) else { return false };
    let time = &field[at + 1..];
    let zone = |byte: &u8| byte.is_ascii_alphabetic() || b"+-".contains(byte);
    !time.is_empty() && !time.iter().any(zone)
}

/// A field for people.
fn shown(field: &[u8]) -> String {
    String::from_utf8_lossy(field).chars().take(40).collect()
}

/// Whether a table has times, and stations, dates or the long form.
pub(super) fn is_record(bytes: impl Read) -> bool {
    let mut lines = Lines::new(bytes);
    let Ok(Some((_, line))) = lines.next() else { return false };
    let delimiter = delimiter(line);
    let names: Vec<String> =
        fields(line, delimiter).map(|f| String::from_utf8_lossy(f).into_owned()).collect();
    let Ok(Some((_, line))) = lines.next() else { return false };
    let first: Vec<&[u8]> = fields(line, delimiter).collect();
    let is_text = |i: usize| first.get(i).is_some_and(|f| !is_missing(f) && !number_like(f));
    let Ok(header) = Header::new(&names, is_text, &[]) else { return false };
    let time = header.roles.iter().position(|role| *role == Role::Time);
    let known = |role| header.roles.contains(&role);
    time.is_some_and(|time| known(Role::Station) || known(Role::Value) || is_text(time))
}
