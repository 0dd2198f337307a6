//! `lto theory` on the command line.

use super::number::{positive, whole};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use lto_numerics::PointDesign;
use lto_numerics::theory::Estimator;
use std::path::PathBuf;

/// What of the theory is shown.
#[derive(Debug, Subcommand)]
pub enum TheoryCommand {
    /// Measure the discretization error against the number of points, beside the predicted rates
    Rates(RatesArgs),
}

/// `lto theory rates`.
#[derive(Debug, Args)]
#[command(after_help = "\
The error of the set convolution's estimate in closed form, no network involved: the supremum over space and states, for
ever more points. Nadaraya–Watson (the signal of the twin) is shown at ℓ* of the theorem's corollary and at its best ℓ,
the local linear estimate at its best ℓ. Slopes are fitted to all layouts, with 95 % intervals.

Examples:
  lto theory rates
  lto theory rates --dim 2 --designs grid,iid --estimators nadaraya_watson --states heat -o rates.png
  lto theory rates --dim 1,2,3 --json -o rates")]
pub struct RatesArgs {
    /// Numbers of dimensions, 1 to 3
    #[arg(
        long, value_name = "D,…", value_delimiter = ',', default_value = "1,2,3",
        value_parser = clap::value_parser!(u8).range(1..=3)
    )]
    pub dim: Vec<u8>,
    /// How points are placed
    #[arg(
        long, value_name = "DESIGN,…", value_delimiter = ',', default_value = "grid,jittered,halton,iid",
        value_parser = PossibleValuesParser::new(PointDesign::ALL.map(PointDesign::name)).map(design)
    )]
    pub designs: Vec<PointDesign>,
    /// How values between them are estimated
    #[arg(
        long, value_name = "ESTIMATOR,…", value_delimiter = ',', default_value = "nadaraya_watson,local_linear",
        value_parser = estimator_names().map(estimator)
    )]
    pub estimators: Vec<Estimator>,
    /// Of what
    #[arg(long, value_enum, default_value_t = StatesArg::Wave)]
    pub states: StatesArg,
    /// Random layouts for each number of points
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive, allow_negative_numbers = true)]
    pub layouts: usize,
    /// Seed of layouts and states
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Picture to write (.png or .svg), a page (.html), or a folder with rates.png, rates.html and rates.json
    #[arg(long, short, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,
    /// Replace what exists
    #[arg(long)]
    pub force: bool,
    /// Print JSON in place of tables
    #[arg(long)]
    pub json: bool,
}

/// The states whose error is measured, all on the periodic unit box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatesArg {
    /// One wave along the diagonal
    Wave,
    /// Four states of the heat experiment: four Gaussian bumps each
    Heat,
}

impl StatesArg {
    /// Name as on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wave => "wave",
            Self::Heat => "heat",
        }
    }
}

/// The parser of possible values has let only names of designs through.
fn design(name: String) -> PointDesign {
    PointDesign::ALL.into_iter().find(|design| design.name() == name).unwrap_or(PointDesign::Iid)
}

/// The names of the estimators.
pub fn estimator_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Estimator::ALL.map(Estimator::name))
}

/// The estimator of a name that the parser has let through.
pub fn estimator(name: String) -> Estimator {
    Estimator::ALL.into_iter().find(|e| e.name() == name).unwrap_or(Estimator::NadarayaWatson)
}
