//! `lto reproduce` on the command line.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `lto reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Makes the data (or reads yours), trains the twin and its baselines on them with the same number of examples each,
evaluates all by the published protocol, and writes report.html, results.json and the trained runs. What is there
and still valid is not done again, and what was interrupted goes on: repeat the command.

Examples:
  lto reproduce heat --scale smoke
  lto reproduce burgers -o reproduce/burgers
  lto reproduce burgers --scale paper --data 1D_Burgers_Sols_Nu0.001.hdf5")]
pub struct ReproduceArgs {
    /// Which experiment
    pub experiment: PublishedExperiment,
    /// How large: smoke takes minutes and shows that all works; small is sized for two cores (hours; report and
    /// results.json say what every stage took); paper has the published sizes and takes days on a CPU
    #[arg(long, value_name = "SCALE", default_value = "small")]
    pub scale: Scale,
    /// Folder to write [default: reproduce/EXPERIMENT-SCALE]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Data in place of generated ones, PDEBench's or FNO's file for example
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// A setting for every run: train.steps=2000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print JSON in place of tables
    #[arg(long)]
    pub json: bool,
}

/// The experiments of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PublishedExperiment {
    /// Error against the number of sensors
    Heat,
    /// One step ahead at 64 to 2048 points
    Burgers,
    /// One step at several resolutions, and ten steps ahead
    NavierStokes,
    /// A steady problem at 85 to 421 points an axis
    Darcy,
}

/// How large an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Minutes: shows that all works
    Smoke,
    /// Sized for two cores; the report says what every stage took
    Small,
    /// The published sizes
    Paper,
}

impl PublishedExperiment {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PublishedExperiment::Heat => "heat",
            PublishedExperiment::Burgers => "burgers",
            PublishedExperiment::NavierStokes => "navier-stokes",
            PublishedExperiment::Darcy => "darcy",
        }
    }
}

impl Scale {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Smoke => "smoke",
            Scale::Small => "small",
            Scale::Paper => "paper",
        }
    }
}
