//! What the command line says. Parsing only: nothing here touches files.

mod bench;
mod calibrate;
mod certify;
mod dataset;
mod demo;
mod design;
mod device;
mod evaluate;
mod forecast;
mod generate;
mod import;
mod info;
mod number;
mod predict;
mod records;
mod regularity;
mod reproduce;
mod sensors;
mod serve;
mod theory;
mod time;
mod train;

pub use bench::{BenchArgs, BenchCommand};
pub use calibrate::CalibrateArgs;
pub use certify::CertifyArgs;
pub use dataset::DatasetArgs;
pub use demo::DemoArgs;
pub use design::{DesignArgs, GoalArg};
pub use device::DeviceArgs;
pub use evaluate::{CompareArgs, EvaluateArgs, ShownArgs};
pub use forecast::ForecastArgs;
pub use generate::{GenerateArgs, PdeArgs, RunArgs};
pub use import::{ImportArgs, ImportSource};
pub use info::InfoArgs;
pub use predict::{PredictArgs, QueryArg};
pub use records::RecordArgs;
pub use regularity::RegularityArgs;
pub use reproduce::ReproduceArgs;
pub use sensors::SensorsArgs;
pub use serve::{LogArg, ServeArgs};
pub use theory::TheoryCommand;
pub use time::TimeArg;
pub use train::TrainArgs;

use crate::commands::Command;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, Parser};
use clap_complete::Shell;
use lto_report::picture::FrameRange;
use lto_report::picture::colormap::Colormap;
use std::path::PathBuf;

/// The Latent Twin Operator: make PDE data, train twins on it, predict fields from sensors anywhere.
#[derive(Debug, Parser)]
#[command(
    name = "lto",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  lto demo
  lto data generate burgers -n 1000 --seed 7 -o burgers.hdf5
  lto data inspect burgers.hdf5
  lto data plot burgers.hdf5 --sample 3 -o burgers.png
  lto train heat.toml -o runs/heat
  lto predict --model runs/heat --context sensors.csv --from 0 --to 0.008 -o field.png
  lto calibrate runs/heat
  lto serve runs/heat --open
  lto evaluate runs/heat persistence --resolutions 32,64,128 -o evaluation
  lto design --domain 0:1,0:1 --n 20 -o sensors.csv
  lto certify sensors.csv --domain 0:1,0:1 --curvature 40 --sup 1

Exit status: 0 done, 1 failed, 2 wrong command line, 3 inspected but not understood, 130 interrupted."
)]
pub struct Arguments {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Print only errors and the results asked for: no progress, no summary
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// When to use colors; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, default_value = "auto", value_name = "WHEN", help_heading = "Global options")]
    pub color: ColorChoice,
    /// Number of threads [default: all cores]
    #[arg(
        long, global = true, value_name = "N", help_heading = "Global options",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub threads: Option<u16>,
}

/// Where a result goes, besides the terminal.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// File or folder to write; the suffix chooses the format, see below
    #[arg(long, short, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// Parses the name of one of `all`.
fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    // The parser admits only their names.
    let find = move |text: String| all.into_iter().find(|&one| name(one) == text).unwrap_or(all[0]);
    PossibleValuesParser::new(all.map(name)).map(find)
}

/// `lto completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lto completions bash > ~/.local/share/bash-completion/completions/lto
  lto completions zsh > ~/.zfunc/_lto
  lto completions fish > ~/.config/fish/completions/lto.fish")]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: Shell,
}

/// `lto data inspect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Reads HDF5 and NetCDF, MATLAB (v5 to v7.3), NumPy, Zarr, GRIB and CSV files. If the layout is not recognized, the
file's arrays are listed; describe them with the options below. Of records of stations it shows the stations, their
coverage, gaps, noise and suspicious values; -o draws them on a map.

Exit status: 0 understood, 3 listed, but the layout needs options.

Examples:
  lto data inspect burgers.hdf5
  lto data inspect darcy.npz --layout neuraloperator --json
  lto data inspect era5.npz --key t2m --axes t,lat,lon --grid lat,lon
  lto data inspect stations.csv -o stations.png")]
pub struct InspectArgs {
    /// The file
    pub file: PathBuf,
    /// Read the file as a record of stations [default: CSV tables with times and stations, dates or one value a row]
    #[arg(long)]
    pub records: bool,
    /// Map of the stations and their coverage over time: .png or .svg
    #[arg(long, short, value_name = "PICTURE")]
    pub output: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Number of samples, from the first, to take the range of values over
    #[arg(
        long, value_name = "N|all", default_value = "16", value_parser = number::all_or_whole,
        allow_negative_numbers = true
    )]
    pub samples: usize,
    /// How to read the file.
    #[command(flatten)]
    pub dataset: DatasetArgs,
    /// How to read records.
    #[command(flatten)]
    pub record: RecordArgs,
}

/// `lto data plot`.
#[derive(Debug, Args)]
#[command(after_help = "\
One dimension: a space-time picture, and curves at a few times. Two: frames on one color scale.
Three: the same on the middle plane. Steady problems: source and target side by side. Point
clouds (CSV): dots, at the first time or those of --frames.

Examples:
  lto data plot burgers.hdf5 --sample 3 -o burgers.png
  lto data plot vorticity.hdf5 --frames 0,5,10,19 -o vorticity.svg
  lto data plot vorticity.hdf5 --colormap turbo -o vorticity.gif")]
pub struct PlotArgs {
    /// The file
    pub file: PathBuf,
    /// Sample to draw, from 0
    #[arg(long, short, value_name = "INDEX", default_value_t = 0, value_parser = number::whole::<usize>, allow_negative_numbers = true)]
    pub sample: usize,
    /// Channel, by name or number from 0
    #[arg(long, short, value_name = "CHANNEL", default_value = "0")]
    pub channel: String,
    /// Frames, from 0, single or in ranges: 0,5,10-14 [default: a few, evenly spaced]
    #[arg(long, value_name = "FRAMES", value_delimiter = ',')]
    pub frames: Option<Vec<FrameRange>>,
    /// Color map [default: red-blue for signed fields, else viridis]
    #[arg(long, value_name = "MAP")]
    pub colormap: Option<Colormap>,
    /// Picture to write: .png, .svg or .gif
    #[arg(long, short, value_name = "PICTURE")]
    pub output: PathBuf,
    /// How to read the file.
    #[command(flatten)]
    pub dataset: DatasetArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    /// The PDEs of `lto data generate` have theirs together.
    #[test]
    fn every_command_shows_examples() {
        fn look(command: &mut clap::Command) {
            let help = command.render_long_help().to_string();
            let gathers = command.has_subcommands() && command.get_name() != "generate";
            assert!(gathers || help.contains("Examples:"), "{help}");
            let own = |command: &&mut clap::Command| gathers && command.get_name() != "help";
            command.get_subcommands_mut().filter(own).for_each(look);
        }
        look(&mut Arguments::command());
    }
}
