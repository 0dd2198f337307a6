//! `lto bench`.

use super::number::{positive, positive_number};
use clap::{Args, Subcommand, ValueEnum};

/// What is timed.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Time a training step: forward, backward and optimizer, of a whole batch
    Train(BenchArgs),
    /// Time a prediction from one context
    Predict(BenchArgs),
}

/// `lto bench train` and `lto bench predict`.
#[derive(Debug, Args)]
#[command(after_help = "\
Contexts and queries are whole grids, 1024 points (burgers), 64 x 64 (navier-stokes) or 211 x 211 (darcy), of random
values. Each case runs in a process of its own, so that its peak of memory is its own.

Examples:
  lto bench train
  lto bench predict --case darcy --threads 1 --json")]
pub struct BenchArgs {
    /// Which published model
    #[arg(long, value_enum, default_value_t = BenchCase::All)]
    pub case: BenchCase,
    /// Examples in a batch [default: 16 for Burgers, else 4; 1 to predict]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub batch: Option<usize>,
    /// Measure each case for so long, after a first run that does not count
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = positive_number, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Print one JSON object a line in place of a table
    #[arg(long)]
    pub json: bool,
}

/// A published model, or all of them. Those without another name are twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchCase {
    /// 29,395 parameters, 1-D
    Burgers,
    /// 1,126,211 parameters, 2-D, periodic
    NavierStokes,
    /// 29,139 parameters, 2-D, steady
    Darcy,
    /// Latent Neural Operator, 1,146,945 parameters, 2-D
    LnoNavierStokes,
    /// Latent Neural Operator, 29,171 parameters, 2-D, steady
    LnoDarcy,
    /// Fourier neural operator, 23,937 parameters, 1-D
    FnoBurgers,
    /// Fourier neural operator, 1,124,193 parameters, 2-D
    FnoNavierStokes,
    /// One after the other
    All,
}

impl BenchCase {
    /// The single ones.
    pub const EACH: [Self; 7] = [
        Self::Burgers,
        Self::NavierStokes,
        Self::Darcy,
        Self::LnoNavierStokes,
        Self::LnoDarcy,
        Self::FnoBurgers,
        Self::FnoNavierStokes,
    ];

    /// Name as on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Burgers => "burgers",
            Self::NavierStokes => "navier-stokes",
            Self::Darcy => "darcy",
            Self::LnoNavierStokes => "lno-navier-stokes",
            Self::LnoDarcy => "lno-darcy",
            Self::FnoBurgers => "fno-burgers",
            Self::FnoNavierStokes => "fno-navier-stokes",
            Self::All => "all",
        }
    }
}
