//! `lto certify` on the command line.

use super::number::positive_number;
use super::regularity::RegularityArgs;
use super::{DatasetArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;

/// `lto certify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Bounds how far an estimate between the sensors can be off, given where they stand and how curved
the states are: by the paper's theorem, and by the actual weights of the estimate, which is
tighter. With --data, curvature, slope and range are estimated from the file, and everything is
marked as an estimate; the domain is then the file's, or the part of it that --domain gives.

--noise says how noisy the sensors are; the bound then also says by how much that makes it grow.

-o page.html writes a page; -o FOLDER writes page.html and certificate.json there.

Examples:
  lto certify sensors.csv --domain 0:1,0:1 --curvature 40 --sup 1
  lto certify sensors.csv --domain 0:1,0:1 --periodic all --curvature 40 -o page.html
  lto certify stations.csv --data heat.hdf5 --margin 1.5 --json
  lto certify stations.csv --data heat.hdf5 --run runs/heat
  lto certify stations.csv --domain 0:1,0:1 --curvature 40 --noise 0.1")]
pub struct CertifyArgs {
    /// The sensors: a .csv file with a column for each axis, or .npz
    pub sensors: PathBuf,
    /// What is known about the states.
    #[command(flatten)]
    pub regularity: RegularityArgs,
    /// ℓ of the estimate [default: for each estimate, the widest within 5 % of the least bound]
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true)]
    pub length_scale: Option<f64>,
    /// Take ℓ, and the domain if none is given, from this trained twin's encoder
    #[arg(long, value_name = "RUN", conflicts_with = "length_scale")]
    pub run: Option<PathBuf>,
    /// Standard deviation of the sensors' noise: a number, or the column of the file that holds it
    #[arg(long, value_name = "SIGMA|COLUMN")]
    pub noise: Option<String>,
    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
    /// The domain, and how to read the data file.
    #[command(flatten)]
    pub dataset: DatasetArgs,
}
