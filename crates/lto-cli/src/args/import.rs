//! `lto import` on the command line.

use clap::{Args, ValueEnum};
use lto::experiment::Setting;
use std::path::PathBuf;

/// `lto import`.
#[derive(Debug, Args)]
#[command(after_help = "\
The configuration says which architecture, and for which data: domain, channels, times and normalization are theirs, as in
training. Weights have our names or those of the published code (docs/cli.md); all must be there, and no other. A .pt
file holds model.state_dict(), or a dictionary with it as state_dict, model_state_dict, model_state or model. Its pickle is read
as data: nothing in it is ever run.

Examples:
  lto import --from pytorch lno.pt --arch lno --config configs/paper/lno_darcy.toml -o runs/lno
  lto import --from pytorch twin.safetensors --arch twin --config twin.toml --data heat.npz -o runs/twin")]
pub struct ImportArgs {
    /// What made the file
    #[arg(long, value_enum, value_name = "KIND")]
    pub from: ImportSource,
    /// The weights: .pt or .safetensors
    pub file: PathBuf,
    /// Which architecture they are of; the configuration must say the same
    #[arg(long, value_name = "ARCH")]
    pub arch: String,
    /// The configuration: data and model
    #[arg(long, value_name = "CONFIG")]
    pub config: PathBuf,
    /// The file of data, in place of what the configuration says: the same as --set data.path=FILE
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// A setting in place of the configuration's: model.queries=any
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// The folder to write: model.safetensors and config.toml, as of a run; or the .safetensors file of the model alone
    #[arg(long, short, value_name = "RUN")]
    pub output: PathBuf,
    /// Print JSON in place of a sentence
    #[arg(long)]
    pub json: bool,
}

/// What made a file of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportSource {
    /// torch.save, or safetensors.torch.save_file
    Pytorch,
}
