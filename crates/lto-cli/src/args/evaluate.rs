//! `lto evaluate` and `lto compare` on the command line.

use super::number::{finite, positive, positive_number, whole};
use super::{DeviceArgs, named};
use clap::Args;
use lto::data::context::DesignKind;
use lto::evaluate::stations::StationRequest;
use lto::evaluate::{EvaluationConfig, EvaluationRequest, Part};
use lto::experiment::Setting;
use lto_numerics::metric::MetricKind;
use lto_report::evaluation::{Format, TABLES};
use std::path::PathBuf;

/// `lto evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every model is measured on the same samples, source frames and random contexts: one native step
at native resolution, at other resolutions, from fewer observations, from noisy ones, and over a
horizon, by rollout and direct. What a model cannot do is shown as a dash with the reason.
Unless frames are given, all models start at frames that leave room for the longest history
among them.

Without --data, the held-out test samples of the first run's config.toml are used; of any other
file, all samples. Data options are set as in a configuration: --set data.periodic=all.

Each RUN's folder keeps its own result as evaluation.json, replacing any earlier one, for lto
compare. -o names another folder for an evaluation.json with all models (everything else follows
from it) and report.html.

Persistence holds the nearest observation, interpolation the observations interpolated.
Climatology is the mean of the training samples of the same data at the same time; with
data.time_period=24, at the same hour of the day. Anomaly_persistence adds to it how the
observations differ from it. Beside persistence or climatology, the skill of all other models
is shown: 1 − RMSE ÷ that of the baseline.

Prediction times are averages over batches of up to 16.

Models trained on records of stations (data.records) are scored at stations: over held-out times,
at the stations trained on and at those held out, and over training times at those held out. The
context is what the stations trained on report; against --truth, what all stations report.

Examples:
  lto evaluate runs/heat
  lto evaluate runs/burgers persistence interpolation --resolutions 256,512,1024,2048 -o evaluation
  lto evaluate runs/flow --horizon 10 --start 9 --samples 50 --format latex
  lto evaluate persistence climatology --config configs/thirdparty/era5.toml --data era5.npz
  lto evaluate runs/darcy --data darcy_test.npz --metric rmse
  lto evaluate runs/stations persistence anomaly_persistence --leads 1,6,24 --truth grid.csv")]
pub struct EvaluateArgs {
    /// Run folders or model files; or the words persistence, interpolation, climatology and anomaly_persistence,
    /// which need no training
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,
    /// The file to evaluate on [default: the data of the first run]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Configuration whose data section says how to read the file [default: the first run's]
    #[arg(long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Set a data option: data.periodic=all
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// Which samples [default: test; all if --data is not the first run's or the configuration's file]
    #[arg(long, value_name = "PART")]
    pub split: Option<Part>,
    /// At most N samples, evenly spread [default: all]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub samples: Option<usize>,
    /// Seed of random contexts and of noise
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Resolutions of context and query, as points along the first axis [default: every 2nd point, native,
    /// every interval halved]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = positive)]
    pub resolutions: Vec<usize>,
    /// Resolutions of the context, the query being native
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = positive)]
    pub context_resolutions: Vec<usize>,
    /// Resolutions of the query, the context being native
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = positive)]
    pub query_resolutions: Vec<usize>,
    /// Observed points ÷ native points [default: 0.05,0.1,0.25,1]; records of stations: share of the stations [default: 1]
    #[arg(long, value_name = "F,…", value_delimiter = ',', value_parser = positive_number)]
    pub fractions: Option<Vec<f64>>,
    /// Which points are observed [default: random,grid,clustered,failed]
    #[arg(
        long, value_name = "DESIGN,…", value_delimiter = ',',
        value_parser = named(DesignKind::ALL, DesignKind::name)
    )]
    pub designs: Option<Vec<DesignKind>>,
    /// Standard deviations of the noise ÷ the field's [default: 0.01,0.05,0.1]
    #[arg(long, value_name = "X,…", value_delimiter = ',', value_parser = finite)]
    pub noise: Option<Vec<f64>>,
    /// Source frames to average one-step errors over [default: six, evenly spread]
    #[arg(long, value_name = "FRAME,…", value_delimiter = ',', value_parser = whole::<usize>)]
    pub starts: Option<Vec<usize>>,
    /// Native steps predicted at once, in all tables but the horizon's
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = positive)]
    pub lead: usize,
    /// Native steps of the horizon; 0 for none [default: 10, or fewer if the data end]
    #[arg(long, value_name = "K", value_parser = whole::<usize>)]
    pub horizon: Option<usize>,
    /// Source frame of the horizon [default: the first that all models can start from]
    #[arg(long, value_name = "FRAME", value_parser = whole::<usize>)]
    pub start: Option<usize>,
    /// Records of stations: leads, in intervals between their times
    #[arg(long, value_name = "K,…", value_delimiter = ',', value_parser = positive, default_value = "1,6,12,24")]
    pub leads: Vec<usize>,
    /// Records of stations: begin a forecast at every N-th time
    #[arg(long, value_name = "N", value_parser = positive, default_value_t = 4)]
    pub every: usize,
    /// Records of stations: also compare with these records of other places at the same times, as a whole grid
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// Compare only inside a mask: a field on a grid that is 1 inside, or missing outside; !FILE for its outside
    #[arg(long, value_name = "FILE[:ARRAY]")]
    pub mask: Option<String>,
    /// Measure only the bands of calibrated models
    #[arg(long)]
    pub bands_only: bool,
    /// Also evaluate at times outside the training data's
    #[arg(long)]
    pub allow_extrapolation: bool,
    /// Where models compute.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// How results are shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// How results are shown and kept.
#[derive(Debug, Args)]
pub struct ShownArgs {
    /// Format of the tables
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: Format,
    /// Tables to print [default: all]
    #[arg(long, value_name = "TABLE,…", value_delimiter = ',', value_parser = named(TABLES, |name| name))]
    pub tables: Vec<&'static str>,
    /// Metric shown in tables and curves, and used to mark the best
    #[arg(
        long, value_name = "METRIC", default_value = MetricKind::RelativeL2.name(),
        value_parser = named(MetricKind::ALL, MetricKind::name)
    )]
    pub metric: MetricKind,
    /// Print JSON instead of tables: a list of evaluations, with all metrics
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Folder to write evaluation.json and report.html to
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace an earlier evaluation in the folder of -o; in evaluate, implies --allow-extrapolation
    #[arg(long)]
    pub force: bool,
    /// Published numbers to show beside ours: a TOML file of tables with name, table (resolution, rollout, …)
    /// and relative_l2 = { "64" = 0.078 }
    #[arg(long, value_name = "FILE")]
    pub published: Option<PathBuf>,
}

/// `lto compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Runs are read from the evaluation.json that lto evaluate RUN leaves in their folders. An
asterisk (bold in Markdown, LaTeX and HTML) marks the best of a row if its 95 % interval
overlaps no other, every model has ten samples or more, and all were evaluated on the same data,
samples, source frames and seed; differences are listed.

Examples:
  lto compare runs/a runs/b --format markdown --tables models,resolution,rollout
  lto compare evaluation/evaluation.json other/evaluation.json --metric max_error
  lto compare runs/a runs/b -o comparison")]
pub struct CompareArgs {
    /// evaluation.json files, or folders that hold one
    #[arg(value_name = "RUN|FILE", required = true)]
    pub evaluations: Vec<PathBuf>,
    /// How results are shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

impl EvaluateArgs {
    /// What to evaluate on records of stations.
    pub fn stations(&self) -> StationRequest<'_> {
        StationRequest {
            runs: &self.runs,
            data: self.data.as_deref(),
            config: self.config.as_deref(),
            set: &self.set,
            leads: &self.leads,
            every: self.every,
            truth: self.truth.as_deref(),
            fractions: self.fractions.as_deref().unwrap_or_default(),
            mask: self.mask.as_deref(),
            validation: self.split == Some(Part::Validation),
            device: self.device.device,
        }
    }

    /// What to evaluate, on which data, by which protocol.
    pub fn request(&self) -> EvaluationRequest<'_> {
        let default = EvaluationConfig::default();
        let protocol = EvaluationConfig {
            samples: self.samples,
            seed: self.seed,
            starts: self.starts.clone(),
            lead: self.lead,
            resolutions: self.resolutions.clone(),
            context_resolutions: self.context_resolutions.clone(),
            query_resolutions: self.query_resolutions.clone(),
            fractions: self.fractions.clone().unwrap_or(default.fractions),
            designs: self.designs.clone().unwrap_or(default.designs),
            noise: self.noise.clone().unwrap_or(default.noise),
            horizon: self.horizon,
            start: self.start,
            bands_only: self.bands_only,
            mask: self.mask.clone(),
            ..default
        };
        EvaluationRequest {
            runs: &self.runs,
            data: self.data.as_deref(),
            config: self.config.as_deref(),
            set: &self.set,
            split: self.split,
            protocol,
            device: self.device.device,
        }
    }
}
