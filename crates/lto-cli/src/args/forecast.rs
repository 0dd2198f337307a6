//! `lto forecast` on the command line.

use super::RecordArgs;
use super::number::{finite, positive_number};
use super::predict::QueryArg;
use clap::Args;
use std::path::PathBuf;

/// `lto forecast`.
#[derive(Debug, Args)]
#[command(after_help = "\
Prints one JSON object a line: forecasts, and what is worth knowing about the readings.
  forecast  time, times, channels, values [time][channel][point], lower and upper with --band; the file
            instead of them with -o
  alarm     a station that disagrees with its neighbors by more than --alarm of its usual deviations
  silent, back  a station that no longer reports; one that does again
  fault     a late, doubled, contradicting or broken row; it is not used
  nothing   a time from which nothing can be forecast, and why

Without --follow, forecasts from the last time of the file. With --follow, also from every time that comes
in later: a time is over when a row of a later one arrives, or --wait seconds after its last row. Rows come
from a growing file or, with --records -, from standard input. Memory does not grow.

Examples:
  lto forecast runs/stations --records stations.csv --lead 6,12,24 -o forecasts
  lto forecast runs/stations --records stations.csv --follow --lead 6 --alarm 8 > events.jsonl
  collect-readings | lto forecast runs/stations --records - --follow --lead 1,6")]
pub struct ForecastArgs {
    /// The folder of a run, or its model.safetensors
    #[arg(value_name = "RUN|FILE")]
    pub model: PathBuf,
    /// The readings: a CSV file, or - for standard input
    #[arg(long, value_name = "FILE|-")]
    pub records: PathBuf,
    /// Go on as the file grows
    #[arg(long)]
    pub follow: bool,
    /// Also forecast from every earlier time of the file
    #[arg(long)]
    pub all: bool,
    /// How far ahead, in the unit of time (hours for dates)
    #[arg(long = "lead", value_name = "LEAD,…", value_delimiter = ',', value_parser = finite, required = true)]
    pub leads: Vec<f64>,
    /// Where to predict: grid:128x128, grid:128 for all axes, or a .csv or .npz file of points [default: a
    /// grid with as many points as the training data]
    #[arg(long, value_name = "GRID|FILE")]
    pub query: Option<QueryArg>,
    /// Add a band that holds this share of the values; needs a calibrated model
    #[arg(long, value_name = "LEVEL", value_parser = positive_number)]
    pub band: Option<f64>,
    /// Forecast only inside a mask: a field on a grid that is 1 inside, or missing outside; !FILE for its outside
    #[arg(long, value_name = "FILE[:ARRAY]")]
    pub mask: Option<String>,
    /// Folder for the fields: one file for each time, named after it
    #[arg(long, short, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Format of these files: npz, csv, png, gif or vti
    #[arg(long, value_name = "FORMAT", default_value = "npz", requires = "output")]
    pub format: String,
    /// Disagreement with the neighbors that raises an alarm, in usual deviations
    #[arg(long, value_name = "DEVIATIONS", default_value_t = 6.0, value_parser = finite)]
    pub alarm: f64,
    /// Forecast from stations with an alarm, too
    #[arg(long)]
    pub keep_alarmed: bool,
    /// Seconds without a row after which a time is over
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = finite)]
    pub wait: f64,
    /// Also forecast times and leads outside the training data's
    #[arg(long)]
    pub allow_extrapolation: bool,
    /// How to read the readings.
    #[command(flatten)]
    pub reading: RecordArgs,
}
