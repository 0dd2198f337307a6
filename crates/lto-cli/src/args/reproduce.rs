//! `lto reproduce` on the command line.

use clap::Args;
use lto::experiment::Setting;
use lto::reproduce::{PublishedExperiment, Scale};
use std::path::PathBuf;

/// `lto reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Makes the data (or reads yours), trains the twin and its baselines on the same number of
examples, evaluates them by the published protocol, and writes report.html, results.json and the
trained runs. Finished stages that are still valid are not repeated: after an interruption,
repeat the command to continue.

Examples:
  lto reproduce heat --scale smoke
  lto reproduce burgers -o reproduce/burgers
  lto reproduce burgers --scale paper --data 1D_Burgers_Sols_Nu0.001.hdf5")]
pub struct ReproduceArgs {
    /// The experiment
    pub experiment: PublishedExperiment,
    /// Size: smoke takes minutes and shows that everything works; small takes hours on two cores (report and
    /// results.json give the time of every stage); paper has the published sizes and takes days on a CPU
    #[arg(long, value_name = "SCALE", default_value = "small")]
    pub scale: Scale,
    /// Folder to write [default: reproduce/EXPERIMENT-SCALE]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Data file to use instead of generating one, for example PDEBench's or FNO's
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Override a setting of every run: train.steps=2000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
}
