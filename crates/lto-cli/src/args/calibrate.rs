//! `lto calibrate` on the command line.

use super::number::{positive, positive_number, whole};
use clap::Args;
use lto::calibrate::CalibrationConfig;
use lto::data::context::ContextConfig;
use lto::evaluate::{CalibrationRequest, Part};
use lto::experiment::Setting;
use std::path::PathBuf;

/// `lto calibrate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Predicts samples that the model was not trained on, from many layouts of sensors and over all
leads, and stores with the model how far it was off: by lead, by how dense and how near the
sensors are, and by how much neighboring readings disagree. lto predict --band then gives bands
that cover what they say, and lto evaluate measures whether they do.

A third of the samples gives the scale of the errors, the others give conformal quantiles. Take a
hundred samples or more: with n of them for the quantiles, a band covers up to 2/(n + 1) more
than it says. Samples must be like those the bands are for, and unlike the training samples in
nothing: new ones of the same kind.

Without --data, the samples are those that the run held out for validation; of any other file,
all. The model is written to its place again, whole or not at all; -o writes it elsewhere.

Examples:
  lto calibrate runs/heat
  lto calibrate runs/heat --data heat_new.hdf5
  lto calibrate runs/flow --data flow_new.hdf5 --noise 0.05 -o flow_noisy.safetensors")]
pub struct CalibrateArgs {
    /// The folder of a run, or its model.safetensors
    #[arg(value_name = "RUN|MODEL")]
    pub run: String,
    /// The file to calibrate on [default: the validation samples of the run's data]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Configuration whose data section says how to read the file [default: the run's]
    #[arg(long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Set a data option: data.periodic=all
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// Which samples [default: validation; all if --data is not the run's own file]
    #[arg(long, value_name = "PART")]
    pub split: Option<Part>,
    /// At most N samples, evenly spread [default: all]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub samples: Option<usize>,
    /// Layouts of sensors drawn for each sample
    #[arg(long, value_name = "N", default_value_t = CalibrationConfig::default().draws, value_parser = positive)]
    pub draws: usize,
    /// Leads in native steps [default: 0, 1, 2, 4, … and the longest]
    #[arg(long, value_name = "K,…", value_delimiter = ',', value_parser = whole::<usize>)]
    pub leads: Vec<usize>,
    /// Deviation of the sensors' noise ÷ that of the training data, where sensors have noise that the bands are to allow for
    #[arg(long, value_name = "X", value_parser = positive_number)]
    pub noise: Option<f64>,
    /// Seed of layouts, starts and noise
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>)]
    pub seed: u64,
    /// File to write the model to [default: where it was]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite the file of -o
    #[arg(long)]
    pub force: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

impl CalibrateArgs {
    /// What to calibrate, on which data.
    pub fn request(&self) -> CalibrationRequest<'_> {
        let usual = CalibrationConfig::default();
        let context = ContextConfig { noise: self.noise.unwrap_or(0.0), ..usual.context };
        CalibrationRequest {
            run: &self.run,
            data: self.data.as_deref(),
            config: self.config.as_deref(),
            set: &self.set,
            split: self.split,
            samples: self.samples,
            protocol: CalibrationConfig {
                context,
                draws: self.draws,
                leads: self.leads.clone(),
                seed: self.seed,
            },
        }
    }
}
