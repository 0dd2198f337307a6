//! `lto train` on the command line.

use super::DeviceArgs;
use super::number::whole;
use clap::Args;
use lto::experiment::Setting;
use std::path::PathBuf;

/// `lto train`.
#[derive(Debug, Args)]
#[command(after_help = "\
The folder of a run holds config.toml (all settings, defaults included), model.safetensors,
checkpoint.safetensors, metrics.jsonl, TensorBoard event files, and loss.png at the end. Ctrl-C
or closing the terminal saves a checkpoint (under nohup, training goes on); --resume continues
from it as if nothing had happened. Only one process can train in a folder at a time.

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
    /// Data file, instead of the configuration's: the same as --set data.path=FILE
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Override a setting of the configuration: train.steps=2000
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// Folder of the run [default: runs/ and the configuration's name]
    #[arg(long, short, value_name = "RUN", required_unless_present = "config")]
    pub output: Option<PathBuf>,
    /// Continue the run in the folder
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace the run in the folder; it is kept until the new one has saved its first model
    #[arg(long)]
    pub force: bool,
    /// Seed of the weights and all random draws in training: the same as --set seed=N
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Where it computes.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}
