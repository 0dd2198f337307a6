//! `lto certify` on the command line.

use super::DatasetArgs;
use super::number::positive_number;
use super::regularity::RegularityArgs;
use clap::Args;
use std::path::PathBuf;

/// `lto certify`.
#[derive(Debug, Args)]
#[command(after_help = "\
From where the sensors stand and how curved the states are, bounds how far an estimate between the sensors can be off:
by the paper's theorem, and by the actual weights of the estimate, which is tighter. With --data, curvature, slope and
range are estimated from the file and everything is marked as an estimate; the domain is then that of the file, or the
part of it that --domain names.

-o writes page.html, or a folder with page.html and certificate.json.

Examples:
  lto certify sensors.csv --domain 0:1,0:1 --curvature 40 --sup 1
  lto certify sensors.csv --domain 0:1,0:1 --periodic all --curvature 40 -o page.html
  lto certify stations.csv --data heat.hdf5 --margin 1.5 --json
  lto certify stations.csv --data heat.hdf5 --run runs/heat")]
pub struct CertifyArgs {
    /// The sensors: .csv with a column for each axis, or .npz
    pub sensors: PathBuf,
    /// What is known about the states.
    #[command(flatten)]
    pub regularity: RegularityArgs,
    /// ℓ of the estimate [default: for each bound about the best: the widest within 5 % of it]
    #[arg(long, value_name = "L", value_parser = positive_number, allow_negative_numbers = true)]
    pub length_scale: Option<f64>,
    /// Take ℓ, and the domain where none is given, from the encoder of this trained twin
    #[arg(long, value_name = "RUN", conflicts_with = "length_scale")]
    pub run: Option<PathBuf>,
    /// Page to write (.html), or a folder
    #[arg(long, short, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,
    /// Replace what exists
    #[arg(long)]
    pub force: bool,
    /// Print JSON in place of tables
    #[arg(long)]
    pub json: bool,
    /// The domain, and how the data file is to be understood.
    #[command(flatten)]
    pub dataset: DatasetArgs,
}
