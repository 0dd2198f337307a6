//! `lto demo` on the command line.

use super::number::{positive_number, whole};
use clap::Args;
use std::path::PathBuf;

/// `lto demo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Solves the heat equation for random initial states, trains a small twin on them, and tests it on
held-out states seen through 16 to 4096 sensors, without retraining. The folder then holds
report.html (open it in a browser), results.json, the trained model in run/, and sensors.csv for
lto predict. After an interruption, repeat the command to continue.

Examples:
  lto demo
  lto demo -o demo --minutes 10 --seed 7
  lto predict --model lto-demo/run --context lto-demo/sensors.csv --from 0 --to 0.008 -o field.png")]
pub struct DemoArgs {
    /// Folder to write
    #[arg(long, short, value_name = "DIR", default_value = "lto-demo")]
    pub output: PathBuf,
    /// Minutes to train [default: 2500 steps, about 1½ minutes on two cores and never more than 3]
    #[arg(long, value_name = "M", value_parser = positive_number, allow_negative_numbers = true)]
    pub minutes: Option<f64>,
    /// Seed of data, weights, training and sensors
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Replace an earlier demonstration in the folder
    #[arg(long)]
    pub force: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}
