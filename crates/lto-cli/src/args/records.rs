//! Options for reading records of stations, shared by every command that reads them.

use lto_numerics::records::RecordOptions;
use std::path::PathBuf;

/// How to read records, where they do not say.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Records of stations")]
pub struct RecordArgs {
    /// Table of the stations with their coordinates, if the rows have none
    #[arg(long, value_name = "FILE")]
    pub stations: Option<PathBuf>,
    /// Unit of times that are numbers: "hours since 2019-03-01", s, …
    #[arg(long, value_name = "UNIT")]
    pub time_unit: Option<String>,
    /// Numbers that stand for a missing value: -9999
    #[arg(long, value_name = "NUMBER,…", value_delimiter = ',', allow_negative_numbers = true)]
    pub missing: Vec<f64>,
}

impl RecordArgs {
    /// The options for opening a record.
    pub fn options(&self) -> RecordOptions {
        RecordOptions {
            stations: self.stations.clone(),
            time_unit: self.time_unit.clone(),
            missing: self.missing.clone(),
            ..RecordOptions::default()
        }
    }
}
