//! `lto info` on the command line.

use clap::Args;
use std::path::PathBuf;

/// `lto info`.
#[derive(Debug, Args)]
#[command(after_help = "\
A configuration file gives a model with random weights for its data; nothing is trained or
written. --card makes the folder of a run a model repository, as the Hugging Face hub knows them:
README.md with YAML front matter, and config.json.

Examples:
  lto info runs/heat
  lto info runs/heat/model.safetensors --json
  lto info configs/paper/burgers.toml
  lto info runs/heat --card --license mit")]
pub struct InfoArgs {
    /// The folder of a run, a model.safetensors, or a configuration file
    #[arg(value_name = "RUN|MODEL|CONFIG")]
    pub model: PathBuf,
    /// Print JSON instead of tables
    #[arg(long, conflicts_with = "card")]
    pub json: bool,
    /// Write README.md and config.json into the folder of the run
    #[arg(long)]
    pub card: bool,
    /// License of the model, as the hub names it
    #[arg(long, value_name = "ID", default_value = "other", requires = "card")]
    pub license: String,
    /// Replace a README.md that was not made by --card
    #[arg(long, requires = "card")]
    pub force: bool,
}
