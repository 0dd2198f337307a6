//! `lto evaluate` and `lto compare` on the command line.

use super::named;
use super::number::{finite, positive, positive_number, whole};
use clap::Args;
use lto::data::context::DesignKind;
use lto::evaluate::{EvaluationConfig, Part};
use lto::experiment::Setting;
use lto_numerics::metric::MetricKind;
use lto_report::evaluation::Format;
use std::path::PathBuf;

/// `lto evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every model is measured on the same samples, source frames and random contexts: one native step at native resolution,
at other resolutions, from fewer observations, from noisy ones, and over a horizon, by rollout and straight. What a model
cannot do is a dash with its reason. Where no frames are given, all start at frames where the model that sees most
frames at once can.

Without --data the data are those of the first run's config.toml, of which the test samples are held out. Of another
file than that all samples are taken. Options of the data are set as in a configuration: --set data.periodic=all.

The folder of every RUN keeps its own result as evaluation.json, in place of an earlier one, for lto compare. With -o,
another folder then holds evaluation.json with all models (everything else follows from it) and report.html.

Times of predictions are those of batches of up to 16, shared out.

Examples:
  lto evaluate runs/heat
  lto evaluate runs/burgers persistence interpolation --resolutions 256,512,1024,2048 -o evaluation
  lto evaluate runs/flow --horizon 10 --start 9 --samples 50 --format latex
  lto evaluate persistence interpolation --config configs/thirdparty/era5.toml --data era5.npz
  lto evaluate runs/darcy --data darcy_test.npz --metric rmse")]
pub struct EvaluateArgs {
    /// Folders of runs or model files; or the words persistence and interpolation, which need no training
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,
    /// The file to evaluate on [default: the data of the first run]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// The configuration whose data section says how the file is to be read [default: that of the first run]
    #[arg(long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// An option of the data: data.periodic=all
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// Which samples [default: test; all where --data is not the file of the first run or configuration]
    #[arg(long, value_name = "PART")]
    pub split: Option<Part>,
    /// At most so many samples, evenly spread [default: all]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub samples: Option<usize>,
    /// Seed of random contexts and of noise
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Resolutions of context and query, as points along the first axis [default: every second of them, native, every interval
    /// halved]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = positive)]
    pub resolutions: Vec<usize>,
    /// Resolutions of the context, the query being native
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = positive)]
    pub context_resolutions: Vec<usize>,
    /// Resolutions of the query, the context being native
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = positive)]
    pub query_resolutions: Vec<usize>,
    /// Observed points ÷ native points [default: 0.05,0.1,0.25,1]
    #[arg(long, value_name = "F,…", value_delimiter = ',', value_parser = positive_number)]
    pub fractions: Option<Vec<f64>>,
    /// Which points are observed [default: random,grid,clustered,failed]
    #[arg(
        long, value_name = "DESIGN,…", value_delimiter = ',',
        value_parser = named(DesignKind::ALL, DesignKind::name)
    )]
    pub designs: Option<Vec<DesignKind>>,
    /// Deviations of noise ÷ that of the field [default: 0.01,0.05,0.1]
    #[arg(long, value_name = "X,…", value_delimiter = ',', value_parser = finite)]
    pub noise: Option<Vec<f64>>,
    /// Source frames that errors of one step are averaged over [default: six, evenly spread]
    #[arg(long, value_name = "FRAME,…", value_delimiter = ',', value_parser = whole::<usize>)]
    pub starts: Option<Vec<usize>>,
    /// Native steps predicted at once in all tables but those of the horizon
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = positive)]
    pub lead: usize,
    /// Native steps of the horizon; 0 for none [default: 10, or as many as there are]
    #[arg(long, value_name = "K", value_parser = whole::<usize>)]
    pub horizon: Option<usize>,
    /// Source frame of the horizon [default: the first that all models can start from]
    #[arg(long, value_name = "FRAME", value_parser = whole::<usize>)]
    pub start: Option<usize>,
    /// Evaluate also at times outside those of the training data
    #[arg(long)]
    pub allow_extrapolation: bool,
    /// How results are shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// How results are shown and kept.
#[derive(Debug, Args)]
pub struct ShownArgs {
    /// Form of the tables
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: Format,
    /// What tables and curves show, and by what the best is marked
    #[arg(
        long, value_name = "METRIC", default_value = MetricKind::RelativeL2.name(),
        value_parser = named(MetricKind::ALL, MetricKind::name)
    )]
    pub metric: MetricKind,
    /// Print JSON in place of tables: a list of evaluations, with all metrics
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Folder to write evaluation.json and report.html to
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace what an earlier evaluation left in the folder of -o; evaluate also implies --allow-extrapolation
    #[arg(long)]
    pub force: bool,
    /// Numbers of others to show beside ours: a TOML file of published tables with name, table (resolution, rollout, …) and
    /// relative_l2 = { "64" = 0.078 }
    #[arg(long, value_name = "FILE")]
    pub published: Option<PathBuf>,
}

/// `lto compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Runs are read from the evaluation.json that lto evaluate RUN leaves in their folders. An asterisk (bold in Markdown,
LaTeX and HTML) marks the best of a row where its 95 % interval overlaps no other, every model has ten samples or more,
and all were evaluated on the same data, samples, source frames and seed; what differs is told.

Examples:
  lto compare runs/a runs/b --format markdown
  lto compare evaluation/evaluation.json other/evaluation.json --metric max_error
  lto compare runs/a runs/b -o comparison")]
pub struct CompareArgs {
    /// Files evaluation.json, or folders that hold one
    #[arg(value_name = "RUN|FILE", required = true)]
    pub evaluations: Vec<PathBuf>,
    /// How results are shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

impl EvaluateArgs {
    /// The protocol for models of which the longest source has `history` frames; `split` is which samples by default.
    pub fn protocol(&self, split: Part, history: usize) -> EvaluationConfig {
        let default = EvaluationConfig::default();
        EvaluationConfig {
            split: self.split.unwrap_or(split),
            samples: self.samples,
            seed: self.seed,
            history,
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
        }
    }
}
