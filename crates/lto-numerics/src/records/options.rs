//! What a user can say about a record.

use super::faults::FaultPolicy;
use super::{Catalog, stations};
use crate::dataset::options::{DomainOption, PeriodicOption};
use crate::error::Result;
use std::path::PathBuf;

/// Overrides for opening a record. The default takes everything from the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordOptions {
    /// A table of stations with their coordinates, for a file whose rows have none.
    pub stations: Option<PathBuf>,
    /// The unit of times that are numbers: `hours since 2019-03-01` makes them dates, `s` does not.
    pub time_unit: Option<String>,
    /// The variables to read; all if empty.
    pub variables: Vec<String>,
    /// Numbers that stand for a missing value, such as −9999.
    pub missing: Vec<f64>,
    /// What is done about rows that cannot be used.
    pub faults: FaultPolicy,
    /// Bounds of the domain; rows outside are left out. If not given, the box of the stations.
    pub domain: Option<DomainOption>,
    /// Which axes are periodic.
    pub periodic: Option<PeriodicOption>,
}

impl RecordOptions {
    /// What is known before anything is read: the stations of the table, if one is given.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn catalog(&self) -> Result<Catalog> {
        let mut catalog = Catalog::default();
        if let Some(table) = &self.stations {
            stations::read(table, &mut catalog)?;
        }
        Ok(catalog)
    }
}
