//! `lto data generate`: one subcommand per PDE, with its parameters as flags.

use super::number::{positive, whole};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use lto_numerics::pde::PdeConfig;
use std::path::PathBuf;

/// `lto data generate`.
#[derive(Debug, Args)]
#[command(after_help = "\
The same seed gives the same file, byte for byte, whatever the number of threads. An interrupted
run leaves its samples in FILE.partial; the same command with --resume continues it and gives
the same file.

Examples:
  lto data generate burgers -n 1000 --seed 7 -o burgers.hdf5
  lto data generate navier-stokes -n 1200 --viscosity 1e-4 -o vorticity.hdf5
  lto data generate darcy -n 1024 --strides 2,1 -o darcy.hdf5 --resume
  lto data generate heat -n 100 --dim 1 --resolution 256 -o heat.npz")]
pub struct GenerateArgs {
    /// The PDE
    #[command(subcommand, next_help_heading = "PDEs")]
    pub pde: PdeArgs,
}

/// How many samples, from which seed, into which file.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Number of samples
    #[arg(long = "samples", short = 'n', value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub n_samples: usize,
    /// Seed of all randomness
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// File to write: .hdf5 (PDEBench's layout) or .npz
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Continue from FILE.partial, if there is one
    #[arg(long)]
    pub resume: bool,
    /// Replace FILE, and without --resume also FILE.partial
    #[arg(long)]
    pub force: bool,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// A PDE with its parameters as flags, and the flags of the run beside them.
#[derive(Debug)]
pub struct PdeArgs {
    /// The PDE.
    pub config: PdeConfig,
    /// How many samples, and where they go.
    pub run: RunArgs,
}

impl FromArgMatches for PdeArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (_, of_pde) = matches.subcommand().ok_or_else(missing)?;
        Ok(Self { config: PdeConfig::from_arg_matches(matches)?, run: RunArgs::from_arg_matches(of_pde)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for PdeArgs {
    fn augment_subcommands(command: Command) -> Command {
        PdeConfig::augment_subcommands(command).mut_subcommands(RunArgs::augment_args)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        PdeConfig::has_subcommand(name)
    }
}
