//! What a model is: architecture, parameters by part, domain, times, errors.

use crate::data::Data;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::model::{BestWay, FILE_NAME, Model, ModelConfig};
use crate::operator::Operator;
use crate::parameters::Named;
use crate::problem::Problem;
use crate::train::folder::CONFIG_FILE;
use lto_numerics::dataset::Normalizer;
use lto_numerics::{Points, Symmetry};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A model, trained or not, in numbers and words.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// The file or folder it was read from.
    pub path: PathBuf,
    /// Number of parameters, in all and by part.
    pub parameters: Parameters,
    /// Length scales, in the units of the domain; one that follows the layout as it is on the training grid.
    pub length_scales: Vec<PartLengthScale>,
    /// The problem it solves.
    pub problem: Problem,
    /// Its architecture.
    pub model: ModelConfig,
    /// How source states were normalized; `None` before training.
    pub source_normalizer: Option<Normalizer>,
    /// How target states were normalized; `None` before training.
    pub target_normalizer: Option<Normalizer>,
    /// Names of the target channels.
    pub channel_names: Vec<String>,
    /// Time between consecutive frames of the training data; `None` for a steady problem.
    pub native_interval: Option<f64>,
    /// What it was trained on, in words.
    pub data: String,
    /// Steps of training.
    pub steps: u64,
    /// Processor time of training, in minutes; `None` if it was not measured.
    pub cpu_minutes: Option<f64>,
    /// Which way to later times was best on held-out samples, by lead.
    pub ways: Vec<BestWay>,
    /// The symmetries that its predictions are means over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symmetries: Vec<Symmetry>,
    /// Errors by name, as measured at the end of training.
    pub errors: BTreeMap<String, f64>,
    /// What its bands were calibrated on, in words; `None` if it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated_on: Option<String>,
}

/// Numbers of parameters.
#[derive(Clone, Debug, Serialize)]
pub struct Parameters {
    /// All.
    pub total: usize,
    /// By part, in the order of the network.
    pub parts: Vec<ModelPart>,
}

/// A part of a network.
#[derive(Clone, Debug, Serialize)]
pub struct ModelPart {
    /// `encoder`, `evolution`, …
    pub name: String,
    /// Number of its parameters.
    pub parameters: usize,
}

/// The length scale of a part.
#[derive(Clone, Debug, Serialize)]
pub struct PartLengthScale {
    /// The part.
    pub part: String,
    /// In the units of the domain.
    pub value: f64,
}

impl Parameters {
    fn of(operator: &dyn Operator, all: &[Named]) -> Self {
        let mut parts: Vec<ModelPart> = Vec::new();
        for parameter in all {
            let (name, n) = (part(parameter), operator.count(parameter));
            match parts.iter_mut().find(|part| part.name == name) {
                Some(part) => part.parameters += n,
                None => parts.push(ModelPart { name: name.into(), parameters: n }),
            }
        }
        Self { total: parts.iter().map(|part| part.parameters).sum(), parts }
    }
}

/// The length scales among the parameters.
fn length_scales(model: &Model, all: &[Named]) -> Vec<PartLengthScale> {
    let problem = &model.card().problem;
    let native = problem.query_grid(&problem.native).ok().map(Points::grid);
    let encoder = native.and_then(|points| model.operator().set_convolution(&points));
    let scale = |p: &Named| {
        let log = p.name.ends_with("log_length_scale").then(|| p.values.first()).flatten()?;
        let value = match (&encoder, part(p)) {
            (Some(setconv), "encoder") => setconv.kernel().length_scale(),
            _ => f64::from(*log).exp(),
        };
        Some(PartLengthScale { part: part(p).into(), value })
    };
    all.iter().filter_map(scale).collect()
}

/// The part of a network a parameter belongs to: the first name of its path.
fn part(parameter: &Named) -> &str {
    parameter.name.split('.').next().unwrap_or_default()
}

impl Description {
    /// Describes the model of a run or a file; for a configuration, or a run without a model yet, the model
    /// it makes with random weights.
    ///
    /// # Errors
    /// A model, configuration or data that cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let of_run = path.join(CONFIG_FILE);
        let config = if path.extension().is_some_and(|suffix| suffix == "toml") {
            path
        } else if !path.join(FILE_NAME).exists() && of_run.is_file() {
            &of_run
        } else {
            return Ok(Self::of_model(path, &Model::load(path)?));
        };
        let experiment = Experiment::read(config, &[])?;
        let data = Data::open(&experiment.data, experiment.train.context.largest_fraction())?;
        let model = data.untrained(experiment.model)?;
        Ok(Self { source_normalizer: None, target_normalizer: None, ..Self::of_model(config, &model) })
    }

    /// Describes a model that was read from a path.
    pub fn of_model(path: &Path, model: &Model) -> Self {
        let card = model.card().clone();
        let all = model.operator().parameters();
        Self {
            path: path.into(),
            parameters: Parameters::of(model.operator(), &all),
            length_scales: length_scales(model, &all),
            problem: card.problem,
            model: card.model,
            source_normalizer: Some(card.source_normalizer),
            target_normalizer: Some(card.target_normalizer),
            channel_names: card.channel_names,
            native_interval: card.native_interval,
            data: card.data,
            steps: card.steps,
            cpu_minutes: card.cpu_minutes,
            ways: card.ways,
            symmetries: card.symmetries,
            errors: card.errors,
            calibrated_on: card.calibration.map(|calibration| calibration.data),
        }
    }
}
