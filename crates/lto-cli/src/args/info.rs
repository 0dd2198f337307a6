//! `lto info` on the command line.

use clap::Args;
use std::path::PathBuf;

/// `lto info`.
#[derive(Debug, Args)]
#[command(after_help = "\
A configuration file gives a model with random weights for its data; nothing is trained or
written.

Examples:
  lto info runs/heat
  lto info runs/heat/model.safetensors --json
  lto info configs/paper/burgers.toml")]
pub struct InfoArgs {
    /// The folder of a run, a model.safetensors, or a configuration file
    #[arg(value_name = "RUN|MODEL|CONFIG")]
    pub model: PathBuf,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
}
