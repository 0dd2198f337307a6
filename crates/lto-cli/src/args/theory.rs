//! `lto theory` on the command line.

use super::number::{positive, whole};
use super::{OutputArgs, named};
use clap::{Args, Subcommand};
use lto_numerics::PointDesign;
use lto_numerics::study::RateStates;
use lto_numerics::theory::Estimator;

/// The measurements.
#[derive(Debug, Subcommand)]
pub enum TheoryCommand {
    /// Measure the discretization error against the number of points, beside the predicted rates
    Rates(RatesArgs),
}

/// `lto theory rates`.
#[derive(Debug, Args)]
#[command(after_help = "\
Measures the error of the set convolution's estimate, the supremum over space and states, for
growing N; no network is involved. Nadaraya–Watson (the signal of the twin) is shown at ℓ* of
the theorem's corollary and at its best ℓ, the local linear estimate at its best ℓ. Slopes are
fitted to all layouts, with 95 % intervals.

-o rates.png or rates.svg writes a picture; -o rates.html a page; -o FOLDER rates.png,
rates.html and rates.json.

Examples:
  lto theory rates
  lto theory rates --dim 2 --designs grid,iid --estimators nadaraya_watson --states heat -o rates.png
  lto theory rates --dim 1,2,3 --json -o rates")]
pub struct RatesArgs {
    /// Dimensions, 1 to 3
    #[arg(
        long, value_name = "D,…", value_delimiter = ',', default_value = "1,2,3",
        value_parser = clap::value_parser!(u8).range(1..=3)
    )]
    pub dim: Vec<u8>,
    /// How points are placed
    #[arg(
        long, value_name = "DESIGN,…", value_delimiter = ',', default_value = "grid,jittered,halton,iid",
        value_parser = named(PointDesign::ALL, PointDesign::name)
    )]
    pub designs: Vec<PointDesign>,
    /// How values between them are estimated
    #[arg(
        long, value_name = "ESTIMATOR,…", value_delimiter = ',', default_value = "nadaraya_watson,local_linear",
        value_parser = named(Estimator::ALL, Estimator::name)
    )]
    pub estimators: Vec<Estimator>,
    /// The states: one wave along the diagonal, or four states of the heat experiment
    #[arg(long, default_value = "wave", value_parser = named(RateStates::ALL, RateStates::name))]
    pub states: RateStates,
    /// Random layouts for each number of points
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive, allow_negative_numbers = true)]
    pub layouts: usize,
    /// Seed of layouts and states
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
