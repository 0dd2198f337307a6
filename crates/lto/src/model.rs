//! A model as a user has it: a trained operator with its normalization, its problem and its history, in one file.

mod prediction;

use crate::baseline::deeponet::DeepOnet;
use crate::baseline::deeponet::config::DeepOnetConfig;
use crate::baseline::fno::Fno;
use crate::baseline::fno::config::FnoConfig;
use crate::baseline::lno::Lno;
use crate::baseline::lno::config::LnoConfig;
use crate::baseline::{interpolation, persistence};
use crate::error::{Error, Result};
use crate::operator::Operator;
use crate::parameters::Named;
use crate::problem::Problem;
use crate::size::{Size, points};
use crate::twin::Twin;
use crate::twin::config::TwinConfig;
use crate::weights;
use burn::tensor::Device;
use lto_numerics::dataset::Normalizer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub use prediction::{Forecast, Prediction};

/// The file of a run that holds its trained model.
pub const FILE_NAME: &str = "model.safetensors";

/// Which model, and how large: the `[model]` of a configuration file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelConfig {
    /// The Latent Twin Operator.
    Twin(TwinConfig),
    /// The nearest observation, whatever the time; nothing to train.
    Persistence,
    /// The observations interpolated, whatever the time; nothing to train.
    Interpolation,
    /// The Latent Neural Operator.
    Lno(LnoConfig),
    /// A Fourier neural operator.
    Fno(FnoConfig),
    /// A DeepONet.
    #[serde(rename = "deeponet")]
    DeepOnet(DeepOnetConfig),
}

impl ModelConfig {
    /// Name as written in configuration files.
    pub fn name(&self) -> &'static str {
        match self {
            ModelConfig::Twin(_) => "twin",
            ModelConfig::Persistence => persistence::NAME,
            ModelConfig::Interpolation => interpolation::NAME,
            ModelConfig::Lno(_) => "lno",
            ModelConfig::Fno(_) => "fno",
            ModelConfig::DeepOnet(_) => "deeponet",
        }
    }

    /// Whether it may be given several frames as one source state (`data.history`).
    pub fn takes_history(&self) -> bool {
        match self {
            ModelConfig::Twin(_) | ModelConfig::Persistence | ModelConfig::Interpolation => false,
            ModelConfig::Lno(_) | ModelConfig::Fno(_) | ModelConfig::DeepOnet(_) => true,
        }
    }

    /// How large the model is for a problem, without making it.
    pub fn size(&self, problem: &Problem) -> Size {
        match self {
            ModelConfig::Twin(config) => config.size(problem),
            ModelConfig::Persistence | ModelConfig::Interpolation => {
                Size { weights: 0.0, layers: 0.0, state: points(problem) }
            }
            ModelConfig::Lno(config) => config.size(problem),
            ModelConfig::Fno(config) => config.size(problem),
            ModelConfig::DeepOnet(config) => config.size(problem),
        }
    }

    /// A new operator with random weights drawn from `seed`.
    ///
    /// # Errors
    /// A configuration that is inconsistent, does not fit the problem, or does not fit into memory.
    pub fn init(&self, problem: &Problem, seed: u64, device: &Device) -> Result<Box<dyn Operator>> {
        problem.validate()?;
        self.size(problem).check()?;
        // The random numbers of a device are one stream, and parameters are drawn from it when first looked at: without
        // the lock and the look, other threads would decide the weights.
        static DRAWING: Mutex<()> = Mutex::new(());
        let _drawing = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        device.seed(seed);
        let operator: Box<dyn Operator> = match self {
            ModelConfig::Twin(config) => Box::new(Twin::new(config.clone(), problem.clone(), device)?),
            ModelConfig::Persistence => Box::new(persistence::persistence(problem, device)),
            ModelConfig::Interpolation => Box::new(interpolation::interpolation(problem, device)),
            ModelConfig::Lno(config) => Box::new(Lno::new(config.clone(), problem.clone(), device)?),
            ModelConfig::Fno(config) => Box::new(Fno::new(config.clone(), problem.clone(), device)?),
            ModelConfig::DeepOnet(config) => Box::new(DeepOnet::new(config, problem.clone(), device)?),
        };
        operator.parameters();
        Ok(operator)
    }
}

/// Everything about a model but its weights; stored beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCard {
    /// What it is for.
    pub problem: Problem,
    /// Its architecture.
    pub model: ModelConfig,
    /// How source states were normalized.
    pub source_normalizer: Normalizer,
    /// How target states were normalized.
    pub target_normalizer: Normalizer,
    /// Names of the target channels.
    pub channel_names: Vec<String>,
    /// Times between consecutive frames of the training data; `None` for a steady problem.
    pub native_interval: Option<f64>,
    /// What it was trained on, in words.
    pub data: String,
    /// Steps of training behind the weights.
    pub steps: u64,
    /// Errors by name, as measured at the end of training.
    pub errors: BTreeMap<String, f64>,
}

/// A trained operator in physical units.
pub struct Model {
    card: ModelCard,
    operator: Box<dyn Operator>,
    extrapolates: bool,
}

impl Model {
    /// A model of an operator that computes without gradients.
    pub fn new(card: ModelCard, operator: Box<dyn Operator>) -> Self {
        Self { card, operator, extrapolates: false }
    }

    /// The same model, which also predicts at times outside those it was trained on.
    pub fn extrapolating(self) -> Self {
        Self { extrapolates: true, ..self }
    }

    /// Refuses times that the model was not trained on, unless it is [`Model::extrapolating`].
    ///
    /// # Errors
    /// [`Error::TimeOutsideRange`].
    pub fn check_times(&self, times: impl IntoIterator<Item = f64>) -> Result<()> {
        let problem = &self.card.problem;
        match (problem.outside_range(times).first(), problem.times) {
            (Some(&time), Some(range)) if !self.extrapolates => Err(Error::TimeOutsideRange { time, range }),
            _ => Ok(()),
        }
    }

    /// Everything but the weights.
    pub fn card(&self) -> &ModelCard {
        &self.card
    }

    /// The operator, in normalized units.
    pub fn operator(&self) -> &dyn Operator {
        self.operator.as_ref()
    }

    /// Writes the model into one file, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        weights::write(path, &self.operator.parameters(), &self.card)
    }

    /// Reads a model from its file, or from the folder of the run that made it.
    ///
    /// # Errors
    /// A file that is missing, damaged, or whose weights do not fit its architecture.
    pub fn load(path: &Path, device: &Device) -> Result<Self> {
        let path: PathBuf = if path.is_dir() { path.join(FILE_NAME) } else { path.into() };
        let (tensors, card): (Vec<Named>, ModelCard) = weights::read(&path)?;
        // Before it is made: a damaged size would ask for any amount of memory.
        let size = card.model.size(&card.problem);
        let found: usize = tensors.iter().map(|t| t.values.len()).sum();
        if size.weights > found as f64 {
            let needed = size.weights;
            let problem =
                format!("holds {found} numbers, its architecture has at least {needed:.3e} weights");
            return Err(Error::bad_file(&path, problem));
        }
        size.check().map_err(|e| Error::bad_file(&path, e.to_string()))?;
        let mut operator = card.model.init(&card.problem, 0, device)?;
        weights::load_into(operator.as_mut(), tensors, &path)?;
        Ok(Self::new(card, operator))
    }
}
