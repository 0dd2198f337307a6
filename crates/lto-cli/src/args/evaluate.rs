//! `lto evaluate` and `lto compare` on the command line.

use super::number::{finite, positive, positive_number, whole};
use crate::evaluation::Format;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use lto::data::context::Design;
use lto::evaluate::{EvaluationConfig, Part};
use std::path::PathBuf;

/// `lto evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every model is measured on the same samples, source frames and random contexts: one native step at native resolution,
at other resolutions, from fewer observations, from noisy ones, and over a horizon, by rollout and straight. What a model
cannot do is a dash with its reason.

Without --data the data are those of the first run's config.toml, of which the test samples are held out. Options of
the data are set as in a configuration: --set data.periodic=all.

With -o, the folder then holds evaluation.json (everything else follows from it) and report.html.

Examples:
  lto evaluate runs/heat
  lto evaluate runs/burgers persistence interpolation --resolutions 256,512,1024,2048 -o evaluation
  lto evaluate runs/flow --horizon 10 --start 9 --samples 50 --format latex
  lto evaluate persistence interpolation --config configs/thirdparty/era5.toml --data era5.npz
  lto evaluate runs/darcy --data darcy_test.npz --split all --set data.layout=neuraloperator")]
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
    pub set: Vec<String>,
    /// Which samples
    #[arg(long, value_name = "PART", default_value = "test")]
    pub split: SplitArg,
    /// At most so many samples, evenly spread [default: all]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub samples: Option<usize>,
    /// Seed of random contexts and of noise
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Resolutions of context and query, as points along the first axis [default: half, native, twice]
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
        value_parser = PossibleValuesParser::new(Design::ALL.map(Design::name)).try_map(design)
    )]
    pub designs: Option<Vec<Design>>,
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
    /// Source frame of the horizon [default: the first]
    #[arg(long, value_name = "FRAME", value_parser = whole::<usize>)]
    pub start: Option<usize>,
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
    /// Print JSON in place of tables
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Folder to write evaluation.json and report.html to
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Numbers of others to show beside ours: a TOML file of published tables with name, table (resolution, rollout, …) and
    /// relative_l2 = { "64" = 0.078 }
    #[arg(long, value_name = "FILE")]
    pub published: Option<PathBuf>,
}

/// `lto compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
An asterisk (bold in Markdown, LaTeX and HTML) marks the best of a row where its 95 % interval overlaps no other.

Examples:
  lto compare evaluation/evaluation.json other/evaluation.json
  lto compare runs/a runs/b --format markdown
  lto compare runs/a runs/b -o comparison")]
pub struct CompareArgs {
    /// Files evaluation.json, or folders that hold one
    #[arg(value_name = "RUN|FILE", required = true)]
    pub evaluations: Vec<PathBuf>,
    /// How results are shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Which samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SplitArg {
    /// Those held out for tests.
    Test,
    /// Those held out for validation.
    Validation,
    /// All.
    All,
}

fn design(name: String) -> Result<Design, String> {
    let found = Design::ALL.into_iter().find(|design| design.name() == name);
    found.ok_or_else(|| format!("there is no design {name}"))
}

impl EvaluateArgs {
    /// The protocol.
    pub fn protocol(&self) -> EvaluationConfig {
        let default = EvaluationConfig::default();
        EvaluationConfig {
            split: match self.split {
                SplitArg::Test => Part::Test,
                SplitArg::Validation => Part::Validation,
                SplitArg::All => Part::All,
            },
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
        }
    }
}
