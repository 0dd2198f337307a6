//! Records of stations: times, places and readings of any number of variables, each missing anywhere. A file is read
//! once, sorted by time into a temporary file, and then given out frame by frame, so that its length does not matter.

mod arrays;
mod catalog;
mod clock;
mod csv;
mod drawn;
mod extent;
mod faults;
mod finder;
mod frames;
mod header;
mod inspection;
mod noise;
mod options;
mod row;
mod spool;
mod stations;
#[cfg(test)]
mod tests;

pub use crate::calendar::{parse_iso, show_iso};
pub use catalog::{Catalog, RecordAxis, Station, Variable};
pub use clock::Clock;
pub use csv::CsvRows;
pub use drawn::{DrawnStations, StationDraw};
pub use faults::{FaultCount, FaultKind, FaultPolicy, Faults};
pub use inspection::{
    Coverage, Gap, RecordInspection, StationSummary, Suspicious, TimeSummary, VariableSummary,
};
pub use noise::Scale;
pub use options::RecordOptions;
pub use row::{Entry, Row};

use crate::dataset::format::{self, Format};
use crate::domain::Domain;
use crate::error::{Error, Result};
use arrays::Arrays;
use frames::FrameStore;
use spool::Spool;
use std::fs::File;
use std::path::{Path, PathBuf};

/// All that was observed at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The time.
    pub time: f64,
    /// The stations that reported, by their number in [`Records::stations`]; increasing.
    pub stations: Vec<u32>,
    /// Where they were, `[n, D]`; inside the domain.
    pub coordinates: Vec<f64>,
    /// Values `[variable, n]`; NaN if missing.
    pub values: Vec<f64>,
    /// Known noise as standard deviations, `[variable, n]`, NaN if not given; `None` if none is.
    pub deviations: Option<Vec<f64>>,
}

/// An opened record.
pub struct Records {
    path: PathBuf,
    clock: Clock,
    catalog: Catalog,
    frames: FrameStore,
    domain: Domain,
    faults: Faults,
    notes: Vec<String>,
    n_rows: u64,
}

impl Records {
    /// Reads a file: CSV, long or wide; arrays of readings in NumPy, NetCDF and Zarr files; gridded files, each of whose
    /// cells is a station. See `docs/data.md`.
    ///
    /// # Errors
    /// A file that cannot be read, columns that are not understood, or a fault in a row; see [`FaultPolicy`].
    pub fn open(path: &Path, options: &RecordOptions) -> Result<Self> {
        let mut catalog = options.catalog()?;
        let mut faults = Faults::new(path, options.faults);
        let mut spool = Spool::new();
        let mut n_rows = 0;
        let mut push = |row: &Row| {
            n_rows += 1;
            spool.push(row)
        };
        let (clock, notes) = if format::detect_format(path)? == Format::Csv {
            let file = File::open(path).map_err(|source| Error::Io { path: path.into(), source })?;
            let mut rows = CsvRows::new(path, file, options, &mut catalog)?;
            let mut row = Row::default();
            while rows.next(&mut catalog, &mut faults, &mut row)? {
                push(&row)?;
            }
            (rows.clock().clone(), rows.notes())
        } else {
            faults = faults.in_arrays();
            let mut store = format::open(path)?;
            let mut arrays = Arrays::new(store.as_mut(), options, &mut catalog)?;
            arrays.read(&mut catalog, &mut faults, push)?;
            (arrays.clock, Vec::new())
        };
        let refuse = |problem: String| Error::Readings { path: path.into(), row: None, problem };
        if n_rows == 0 {
            let first = faults.counts().next().map(|fault| format!(": {}", fault.first));
            return Err(refuse(format!("no usable rows{}", first.unwrap_or_default())));
        }
        let frames = spool.finish(&catalog, &mut faults)?;
        let domain = catalog
            .extent
            .domain(&catalog.axes, options.domain.as_ref(), options.periodic.as_ref())?
            .on_earth();
        for station in &mut catalog.stations {
            bring_in(&domain, &mut station.coordinates);
        }
        Ok(Self { path: path.into(), clock, catalog, frames, domain, faults, notes, n_rows })
    }

    /// Whether a CSV file is a table of readings rather than one set of points: it has times, and stations, dates or the
    /// long form.
    pub fn recognizes(path: &Path) -> bool {
        let csv = matches!(format::detect_format(path), Ok(Format::Csv));
        csv && File::open(path).is_ok_and(csv::is_record)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The times of the frames, increasing: hours since 1970-01-01T00:00Z if the record has a calendar, else the file's
    /// own numbers.
    pub fn times(&self) -> &[f64] {
        self.frames.times()
    }

    /// How times are written.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether times are dates.
    pub fn has_calendar(&self) -> bool {
        self.clock.has_calendar()
    }

    /// The unit of the times; `hours` with a calendar, empty if not known.
    pub fn time_unit(&self) -> &str {
        self.clock.unit()
    }

    /// The measured quantities.
    pub fn variables(&self) -> &[Variable] {
        &self.catalog.variables
    }

    /// The stations, in the order of their first report.
    pub fn stations(&self) -> &[Station] {
        &self.catalog.stations
    }

    /// The axes of their places.
    pub fn axes(&self) -> &[RecordAxis] {
        &self.catalog.axes
    }

    /// The box of all places, or the one given.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// What was wrong with rows that were left out.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// What was assumed.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Number of usable rows in the file.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// What was observed at the time `times()[i]`; read when asked for, by any thread.
    ///
    /// # Errors
    /// No such frame, or a temporary file that can no longer be read.
    pub fn frame(&self, i: usize) -> Result<Frame> {
        if i >= self.times().len() {
            return Err(Error::Mismatch {
                what: format!("{}: frames below", self.path.display()),
                expected: self.times().len(),
                got: i,
            });
        }
        let mut frame = self.frames.read(i, &self.catalog)?;
        for place in frame.coordinates.chunks_exact_mut(self.domain.dim()) {
            bring_in(&self.domain, place);
        }
        Ok(frame)
    }
}

/// Turns longitudes into the domain.
fn bring_in(domain: &Domain, place: &mut [f64]) {
    for (axis, x) in domain.axes().iter().zip(place) {
        *x = axis.bring_in(*x);
    }
}
