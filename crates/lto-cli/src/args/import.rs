//! `lto import` on the command line.

use clap::{Args, ValueEnum};
use lto::experiment::Setting;
use std::path::PathBuf;

/// `lto import`.
#[derive(Debug, Args)]
#[command(after_help = "\
The configuration names the architecture and the data, which give domain, channels, times and
normalization, as in training. Weights have our names or those of the published code
(docs/cli.md); none may be missing or left over. A .pt file holds model.state_dict(), or a
dictionary with it as state_dict, model_state_dict, model_state or model. Its pickle is read as
data: nothing in it is ever run.

Examples:
  lto import --from pytorch lno.pt --arch lno --config configs/paper/lno_darcy.toml -o runs/lno
  lto import --from pytorch twin.safetensors --arch twin --config twin.toml --data heat.npz -o runs/twin")]
pub struct ImportArgs {
    /// What made the file
    #[arg(long, value_enum, value_name = "KIND")]
    pub from: ImportSource,
    /// The weights: .pt or .safetensors
    pub file: PathBuf,
    /// Architecture of the weights; must match the configuration
    #[arg(long, value_name = "ARCH")]
    pub arch: String,
    /// The configuration: data and model
    #[arg(long, value_name = "CONFIG")]
    pub config: PathBuf,
    /// Data file, instead of the configuration's: the same as --set data.path=FILE
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Override a setting of the configuration: model.queries=any
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// Folder for model.safetensors and config.toml, as in a run; or a .safetensors file for the model alone
    #[arg(long, short, value_name = "RUN")]
    pub output: PathBuf,
    /// Print JSON instead of a sentence
    #[arg(long)]
    pub json: bool,
}

/// What made a file of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportSource {
    /// torch.save, or safetensors.torch.save_file
    Pytorch,
}
