//! `lto data sensors` on the command line.

use super::dataset::DatasetArgs;
use super::number::{finite, positive, whole};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lto_numerics::dataset::SensorPlacement;
use std::path::PathBuf;

/// `lto data sensors`.
#[derive(Debug, Args)]
#[command(after_help = "\
The table has a column for each axis, t if the data have times, and a column for each channel
(the source's in a steady problem), as `lto predict` and `lto certify` read it. Missing values
are left empty.

At random grid points the values are the data's own; any other design puts sensors between grid
points, where values are interpolated linearly along each axis. Noise is Gaussian; its standard
deviation is given as a share of each channel's over the frame.

With --stations, the sensors record every frame: a table of times, stations, places and readings,
as `lto train`, `lto evaluate` and `lto forecast` read it, with noise in the unit of the values
and some readings missing. --held-out 20 writes 20 of the stations to another table beside it.

Examples:
  lto data sensors heat.hdf5 --n 100 -o sensors.csv
  lto data sensors heat.hdf5 --sample 3 --frame 5 --n 64 --design poisson_disc --noise 0.01 -o sensors.csv
  lto data sensors era5.npz --stations --n 100 --noise-sd 0.2 --gaps 0.05 --time-unit 'hours since 2019-03-01' -o stations.csv")]
pub struct SensorsArgs {
    /// The file
    pub file: PathBuf,
    /// Sample, from 0
    #[arg(long, short, value_name = "INDEX", default_value_t = 0, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub sample: usize,
    /// Frame, from 0
    #[arg(long, value_name = "INDEX", default_value_t = 0, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub frame: usize,
    /// Number of sensors
    #[arg(long, short, value_name = "N", default_value_t = 100, value_parser = positive, allow_negative_numbers = true)]
    pub n: usize,
    /// How they are placed
    #[arg(
        long, value_name = "DESIGN", default_value = "random",
        value_parser = PossibleValuesParser::new(SensorPlacement::all().map(SensorPlacement::name)).map(placement)
    )]
    pub design: SensorPlacement,
    /// Noise, as a share of each channel's standard deviation
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share, allow_negative_numbers = true)]
    pub noise: f64,
    /// Record every frame, as stations
    #[arg(long, conflicts_with_all = ["frame", "noise"])]
    pub stations: bool,
    /// Noise of the stations, as a standard deviation in the unit of the values; one, or one for each channel
    #[arg(long, value_name = "SD,…", value_delimiter = ',', value_parser = share, requires = "stations", allow_negative_numbers = true)]
    pub noise_sd: Vec<f64>,
    /// Share of the stations' readings that are missing
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share, requires = "stations", allow_negative_numbers = true)]
    pub gaps: f64,
    /// How many of the stations go into a table of their own, FILE_held_out.csv
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>, requires = "stations", allow_negative_numbers = true)]
    pub held_out: usize,
    /// Unit of the data's times: "hours since 2019-03-01" makes dates of them [default: the file's]
    #[arg(long, value_name = "UNIT", requires = "stations")]
    pub time_unit: Option<String>,
    /// Seed of places and noise
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Table to write: .csv
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    /// Print JSON instead of a sentence
    #[arg(long)]
    pub json: bool,
    /// How to read the file.
    #[command(flatten)]
    pub dataset: DatasetArgs,
}

fn placement(name: String) -> SensorPlacement {
    SensorPlacement::all().find(|placement| placement.name() == name).unwrap_or(SensorPlacement::Random)
}

fn share(text: &str) -> Result<f64, String> {
    finite(text).ok().filter(|&share| share >= 0.0).ok_or_else(|| "must be a number, 0 or more".into())
}
