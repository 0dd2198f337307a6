//! `lto train` on the command line.

use super::number::whole;
use clap::Args;
use lto::experiment::Setting;
use std::path::PathBuf;

/// `lto train`.
#[derive(Debug, Args)]
#[command(after_help = "\
The folder of a run holds config.toml (all settings, defaults included), model.safetensors, checkpoint.safetensors,
metrics.jsonl, TensorBoard event files, and loss.png at the end. Ctrl-C saves a checkpoint, and so does the end of the
terminal (but under nohup training goes on); --resume continues from it as if nothing had happened. One process trains in
a folder at a time.

Examples:
  lto train heat.toml -o runs/heat
  lto train heat.toml --set train.steps=2000 --set data.samples=500 -o runs/short
  lto train configs/thirdparty/darcy16.toml --data darcy16_train.npz -o runs/darcy16
  lto train --resume -o runs/heat
  lto train --resume -o runs/heat --set train.steps=20000")]
pub struct TrainArgs {
    /// The configuration: data, model and training
    #[arg(value_name = "CONFIG", required_unless_present = "resume", conflicts_with = "resume")]
    pub config: Option<PathBuf>,
    /// The file to learn from, in place of what the configuration says: the same as --set data.path=FILE
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// A setting in place of the configuration's: train.steps=2000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// The folder of the run [default: runs/ and the name of the configuration]
    #[arg(long, short, value_name = "RUN", required_unless_present = "config")]
    pub output: Option<PathBuf>,
    /// Continue the run in the folder
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace a run that is in the folder: it stays as it is until the new one has saved its first model
    #[arg(long)]
    pub force: bool,
    /// Seed of the weights and of all that is drawn while training: the same as --set seed=N
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Print JSON in place of a table
    #[arg(long)]
    pub json: bool,
}
