//! `lto design` on the command line.

use super::DatasetArgs;
use super::number::{positive, positive_number, whole};
use super::region::region;
use super::regularity::RegularityArgs;
use super::theory::{estimator, estimator_names};
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use lto_numerics::theory::Estimator;
use lto_numerics::theory::plan::Region;
use std::path::PathBuf;

/// `lto design`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each new sensor first goes to the place furthest from all others, then all new ones are moved as long as it helps;
Halton and regular layouts are tried as starts too, and the best is taken. It is compared with random, Halton and regular
layouts of as many sensors, and what the failure of a sensor or one more would change is said.

What is written follows from the suffix of -o: .csv the sensors, with a column new that is 1 for the new ones; .png or
.svg a map; .html a page with everything.

Examples:
  lto design --domain 0:1,0:1 --n 20 -o sensors.csv
  lto design --domain 0:4,0:2 --n 8 --existing stations.csv --avoid circle:1,1,0.3 --avoid box:3:4,0:1 -o map.png
  lto design --domain 0:1,0:1 --periodic all --n 30 --objective certificate --curvature 40 --json
  lto design --n 30 --objective certificate --data heat.hdf5 --estimator nadaraya_watson -o page.html")]
pub struct DesignArgs {
    /// How many sensors to add
    #[arg(long, short, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub n: usize,
    /// Sensors that stand already, .csv or .npz; they stay
    #[arg(long, value_name = "FILE")]
    pub existing: Option<PathBuf>,
    /// Where no sensor may stand, though the state there is wanted: box:0.2:0.4,0.1:0.3 or circle:X,Y,RADIUS; may be
    /// given more than once
    #[arg(long, value_name = "REGION", value_parser = region)]
    pub avoid: Vec<Region>,
    /// What to make small
    #[arg(long, value_enum, default_value_t = ObjectiveArg::Fill)]
    pub objective: ObjectiveArg,
    /// For --objective certificate: which estimate is made between the sensors [default: local_linear]
    #[arg(long, value_name = "ESTIMATOR", value_parser = estimator_names().map(estimator))]
    pub estimator: Option<Estimator>,
    /// For --objective certificate: ℓ of the estimate [default: the best for each layout]
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true)]
    pub length_scale: Option<f64>,
    /// For --objective certificate.
    #[command(flatten)]
    pub regularity: RegularityArgs,
    /// Seed of the random layouts it is compared with
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// File to write: .csv, .png, .svg or .html
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long)]
    pub force: bool,
    /// Print JSON in place of tables
    #[arg(long)]
    pub json: bool,
    /// The domain, and how the data file is to be understood.
    #[command(flatten)]
    pub dataset: DatasetArgs,
}

/// What a layout is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveArg {
    /// The largest distance of any place from its nearest sensor
    Fill,
    /// The largest bound of the error of an estimate; needs --curvature or --data
    Certificate,
}
