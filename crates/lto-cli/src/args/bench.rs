//! `lto bench`.

use super::DeviceArgs;
use super::number::{positive, positive_number};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use lto::bench::BenchCase;
use lto::experiment::Setting;
use std::path::PathBuf;

/// What is timed.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Time a training step: forward, backward and optimizer, of a whole batch
    Train(BenchArgs),
    /// Time a prediction from one context
    Predict(BenchArgs),
    /// Measure what the twin of `lto serve` alone costs a request: 100 sensors, 1000 points
    #[command(after_help = "Examples:\n  lto bench request --threads 1")]
    Request {
        /// Seconds for each measurement
        #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = positive_number, allow_negative_numbers = true)]
        seconds: f64,
    },
}

/// `lto bench train` and `lto bench predict`.
#[derive(Debug, Args)]
#[command(after_help = "\
Contexts and queries are whole grids of made-up values: 1024 points (burgers), 64 x 64
(navier-stokes) or 211 x 211 (darcy); of a run, as many points as it was trained on. Each case
runs in its own process, so its peak memory is its own.

Examples:
  lto bench train
  lto bench predict --case darcy --threads 1 --json
  lto bench train --run runs/heat --set model.evolution.width=32")]
pub struct BenchArgs {
    /// Published model: a twin unless the name says otherwise
    #[arg(long, value_name = "CASE", default_value = "all", value_parser = cases())]
    pub case: CaseArg,
    /// The model of a run instead, with new weights
    #[arg(long, value_name = "RUN", conflicts_with = "case")]
    pub run: Option<PathBuf>,
    /// Override a setting of the run's configuration: model.evolution.width=32
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "run")]
    pub set: Vec<Setting>,
    /// Examples per batch [default: 16 for Burgers, else 4, of a run its own; 1 for predict]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub batch: Option<usize>,
    /// Seconds to measure each case, after an uncounted first run
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = positive_number, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Where it computes.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Print JSON instead of a table, one object per line
    #[arg(long)]
    pub json: bool,
}

/// A published model; `None` for all of them.
#[derive(Clone, Copy, Debug)]
pub struct CaseArg(pub Option<BenchCase>);

/// The names of the cases, and `all`.
fn cases() -> impl TypedValueParser<Value = CaseArg> {
    let each = BenchCase::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let all = PossibleValue::new("all").help("One after the other");
    PossibleValuesParser::new(each.chain([all]))
        .map(|name| CaseArg(BenchCase::ALL.into_iter().find(|case| case.name() == name)))
}
