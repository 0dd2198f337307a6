//! `lto reproduce` on the command line.

use clap::Args;
use lto::experiment::Setting;
use lto::reproduce::{PublishedExperiment, Scale};
use std::path::PathBuf;

/// `lto reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Makes the data (or reads yours), trains the twin and its baselines on them with the same number of examples each,
evaluates them all by the published protocol, and writes report.html, results.json and the trained runs. Stages that
are done and still valid are not done again: repeat the command to go on after an interruption.

Examples:
  lto reproduce heat --scale smoke
  lto reproduce burgers -o reproduce/burgers
  lto reproduce burgers --scale paper --data 1D_Burgers_Sols_Nu0.001.hdf5")]
pub struct ReproduceArgs {
    /// Which experiment
    pub experiment: PublishedExperiment,
    /// How large: smoke takes minutes and shows that everything works; small is sized for two cores (hours; report and
    /// results.json say what every stage took); paper has the published sizes and takes days on a CPU
    #[arg(long, value_name = "SCALE", default_value = "small")]
    pub scale: Scale,
    /// Folder to write [default: reproduce/EXPERIMENT-SCALE]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Data to use in place of generated ones, for example PDEBench's or FNO's file
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// A setting for every run: train.steps=2000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// Print JSON in place of tables
    #[arg(long)]
    pub json: bool,
}
