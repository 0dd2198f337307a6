//! `lto design` on the command line.

use super::number::{positive, positive_number, whole};
use super::regularity::RegularityArgs;
use super::{DatasetArgs, OutputArgs, named};
use clap::{Args, ValueEnum};
use lto_numerics::theory::Estimator;
use lto_numerics::theory::plan::Region;
use std::path::PathBuf;

/// `lto design`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each new sensor first goes to the place furthest from all others; then all new ones are moved as
long as that helps. Halton and regular layouts are tried as starts too, and the best result is
kept. It is compared with random, Halton and regular layouts of the same size; the failures that
matter and the places where one more sensor helps most are listed.

-o sensors.csv writes the sensors, with a column kind: existing or new; -o map.png or map.svg a
map; -o page.html a page with everything.

Examples:
  lto design --domain 0:1,0:1 --n 20 -o sensors.csv
  lto design --domain 0:4,0:2 --n 8 --existing stations.csv --avoid circle:1,1,0.3 --avoid box:3:4,0:1 -o map.png
  lto design --domain 0:1,0:1 --periodic all --n 30 --objective certificate --curvature 40 --json
  lto design --n 30 --objective certificate --data heat.hdf5 --estimator nadaraya_watson -o page.html")]
pub struct DesignArgs {
    /// Number of sensors to add
    #[arg(long, short, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub n: usize,
    /// Existing sensors, .csv or .npz; they stay
    #[arg(long, value_name = "FILE")]
    pub existing: Option<PathBuf>,
    /// Region without sensors (the state there is still wanted): box:0.2:0.4,0.1:0.3 or circle:X,Y,RADIUS;
    /// repeat for several
    #[arg(long, value_name = "REGION")]
    pub avoid: Vec<Region>,
    /// What to minimize
    #[arg(long, value_enum, default_value_t = GoalArg::Fill)]
    pub objective: GoalArg,
    /// For --objective certificate: the estimate between the sensors [default: local_linear]
    #[arg(long, value_name = "ESTIMATOR", value_parser = named(Estimator::ALL, Estimator::name))]
    pub estimator: Option<Estimator>,
    /// For --objective certificate: ℓ of the estimate [default: the best for each layout]
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true)]
    pub length_scale: Option<f64>,
    /// For --objective certificate.
    #[command(flatten)]
    pub regularity: RegularityArgs,
    /// Seed of the random layouts to compare with
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
    /// The domain, and how to read the data file.
    #[command(flatten)]
    pub dataset: DatasetArgs,
}

/// What a layout minimizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GoalArg {
    /// The largest distance from any place to its nearest sensor
    Fill,
    /// The largest error bound of an estimate; needs --curvature or --data
    Certificate,
}
