//! A model as a user has it: a trained operator with its normalization, its problem and its history, in one file.

use crate::error::{Error, Result};
use crate::operator::{Operator, check_inputs};
use crate::parameters::Named;
use crate::problem::Problem;
use crate::twin::Twin;
use crate::twin::config::TwinConfig;
use crate::weights;
use burn::tensor::Device;
use lto_numerics::Points;
use lto_numerics::dataset::{Context, Normalizer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The file of a run that holds its trained model.
pub const FILE_NAME: &str = "model.safetensors";

/// More query points than these are predicted piece by piece, so that memory does not grow with them.
const PIECE: usize = 1 << 16;

/// Which model, and how large: the `[model]` of a configuration file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelConfig {
    /// The Latent Twin Operator.
    Twin(TwinConfig),
}

impl ModelConfig {
    /// Name as written in configuration files.
    pub fn name(&self) -> &'static str {
        match self {
            ModelConfig::Twin(_) => "twin",
        }
    }

    /// A new operator with random weights drawn from `seed`.
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    pub fn init(&self, problem: &Problem, seed: u64, device: &Device) -> Result<Box<dyn Operator>> {
        // The random numbers of a device are one stream, and parameters are drawn from it when first looked at: without
        // the lock and the look, other threads would decide the weights.
        static DRAWING: Mutex<()> = Mutex::new(());
        let _drawing = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        device.seed(seed);
        let operator: Box<dyn Operator> = match self {
            ModelConfig::Twin(config) => Box::new(Twin::new(config.clone(), problem.clone(), device)?),
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
}

/// What a model says of a field.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Target times.
    pub times: Vec<f64>,
    /// Values `[time, channel, point]` in physical units.
    pub values: Vec<f64>,
    /// Times asked for that lie outside the trained range, s included: treat values there with suspicion.
    pub outside_range: Vec<f64>,
}

impl Model {
    /// A model of an operator that computes without gradients.
    pub fn new(card: ModelCard, operator: Box<dyn Operator>) -> Self {
        Self { card, operator }
    }

    /// Everything but the weights.
    pub fn card(&self) -> &ModelCard {
        &self.card
    }

    /// The operator, in normalized units.
    pub fn operator(&self) -> &dyn Operator {
        self.operator.as_ref()
    }

    /// Predicts from observations at time `s` each of the target times, straight; a steady problem ignores the times
    /// and gives one.
    ///
    /// # Errors
    /// A context or query the model cannot take, or a time that is not finite.
    pub fn predict(
        &self,
        context: &Context,
        s: f64,
        times: &[f64],
        query: &Arc<Points>,
    ) -> Result<Prediction> {
        let problem = &self.card.problem;
        let times = if problem.times.is_some() { times.to_vec() } else { vec![s] };
        if let Some(bad) = times.iter().chain([&s]).find(|t| !t.is_finite()) {
            let (key, requirement) = ("time".into(), "times must be finite numbers".into());
            return Err(Error::Config { key, value: bad.to_string(), requirement });
        }
        let queries = [query.clone()];
        check_inputs(problem, std::slice::from_ref(context), &[(s, s)], &queries)?;
        let mut context = context.clone();
        self.card.source_normalizer.normalize(&mut context.values, context.points.len())?;
        let (channels, n) = (problem.target_channels, query.len());
        let pieces: Vec<[Arc<Points>; 1]> = if n <= PIECE {
            vec![queries]
        } else {
            query.pieces(PIECE).into_iter().map(|p| [Arc::new(p)]).collect()
        };
        let mut values = vec![0.0; times.len() * channels * n];
        for (&t, field) in times.iter().zip(values.chunks_exact_mut(channels * n)) {
            let mut first = 0;
            for piece in &pieces {
                let m = piece[0].len();
                let predicted = self.operator.forward(std::slice::from_ref(&context), &[(s, t)], piece)?;
                let predicted: Vec<f64> = predicted.into_data().iter::<f64>().collect();
                for (channel, part) in predicted.chunks_exact(m).enumerate() {
                    field[channel * n + first..][..m].copy_from_slice(part);
                }
                first += m;
            }
        }
        self.card.target_normalizer.denormalize(&mut values, query.len())?;
        let outside_range = problem.outside_range(times.iter().copied().chain([s]));
        Ok(Prediction { times, values, outside_range })
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
        let mut operator = card.model.init(&card.problem, 0, device)?;
        weights::load_into(operator.as_mut(), tensors, &path)?;
        Ok(Self { card, operator })
    }
}
