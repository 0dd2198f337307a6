//! A model as a user has it: a trained operator with its normalization, its problem and its history, in one file.

mod physical;
mod prediction;
mod rolling;
mod spread;
mod way;

use crate::band::Calibration;
use crate::baseline::anomaly_persistence::AnomalyPersistence;
use crate::baseline::climatology::Climatology;
use crate::baseline::deeponet::config::DeepOnetConfig;
use crate::baseline::f_fno::config::FFnoConfig;
use crate::baseline::fno::config::FnoConfig;
use crate::baseline::interpolation::INTERPOLATION;
use crate::baseline::lno::config::LnoConfig;
use crate::baseline::persistence::PERSISTENCE;
use crate::course::{self, Course, MeanCourse};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::operator::{Operator, OperatorConfig, Symmetrized};
use crate::parameters::Named;
use crate::problem::{Problem, statics};
use crate::size::Size;
use crate::twin::config::TwinConfig;
use crate::twin::encoder::EncoderConfig;
use crate::weights;
use lto_numerics::Symmetry;
use lto_numerics::dataset::Normalizer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use physical::PIECE;
pub use prediction::{Encoded, Evolved, Forecast, Prediction};
pub use spread::Spread;
pub use way::{BestWay, Way};

/// The file of a run that holds its trained model.
pub const FILE_NAME: &str = "model.safetensors";

/// All models, one line each: the variant, its configuration if it has any, and what it is made by.
macro_rules! models {
    ($($(#[$attribute:meta])* $kind:ident$(($bound:ident: $config:ty))? => $made_by:expr,)+) => {
        /// Which model, and how large: the `[model]` of a configuration file.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum ModelConfig {
            $($(#[$attribute])* $kind$(($config))?,)+
        }

        impl ModelConfig {
            fn kind(&self) -> &dyn OperatorConfig {
                match self {
                    $(ModelConfig::$kind$(($bound))? => $made_by,)+
                }
            }
        }
    };
}

models! {
    /// The Latent Twin Operator.
    Twin(config: TwinConfig) => config,
    /// The nearest observation, whatever the time; nothing to train.
    Persistence => &PERSISTENCE,
    /// The observations interpolated, whatever the time; nothing to train.
    Interpolation => &INTERPOLATION,
    /// The mean of the training samples at that time; estimated from them, nothing to train.
    Climatology(config: Climatology) => config,
    /// The mean at that time, and the anomalies of the observations held; nothing to train.
    AnomalyPersistence(config: AnomalyPersistence) => config,
    /// The Latent Neural Operator.
    Lno(config: LnoConfig) => config,
    /// A Fourier neural operator.
    Fno(config: FnoConfig) => config,
    /// A factorized Fourier neural operator.
    FFno(config: FFnoConfig) => config,
    /// A DeepONet.
    #[serde(rename = "deeponet")]
    DeepOnet(config: DeepOnetConfig) => config,
}

impl ModelConfig {
    /// Name as written in configuration files.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Whether it may be given several frames as one source state (`data.history`).
    pub fn takes_history(&self) -> bool {
        self.kind().takes_history()
    }

    /// Whether it sees times by a [`Calendar`](crate::problem::Calendar) if the problem has one.
    pub fn takes_calendar(&self) -> bool {
        self.kind().takes_calendar()
    }

    /// Whether it is made with the covariance of the training data.
    pub fn needs_covariance(&self) -> bool {
        self.kind().needs_covariance()
    }

    /// The longest step it is trained to take, in native intervals, if later times are reached by several.
    pub fn max_step(&self) -> Option<f64> {
        self.kind().max_step()
    }

    /// The normalizers it takes of sources and targets, given those of the data: without means for targets whose zero must
    /// stay zero, and for sources that are states of the same kind.
    pub fn normalizers(
        &self,
        problem: &Problem,
        (source, target): (Normalizer, Normalizer),
    ) -> (Normalizer, Normalizer) {
        match (self.kind().keeps_zero(), problem.times.is_some()) {
            (false, _) => (source, target),
            (true, false) => (source, target.uncentered()),
            (true, true) => (source.uncentered(), target.uncentered()),
        }
    }

    /// The same for records of stations, where any channel may be missing anywhere: a twin has a density for each.
    pub fn for_records(mut self) -> Self {
        if let Self::Twin(TwinConfig { encoder: EncoderConfig::SetConv(encoder), .. }) = &mut self {
            encoder.each = true;
        }
        self
    }

    /// How large the model is for a problem, without making it.
    pub fn size(&self, problem: &Problem) -> Size {
        self.kind().size(problem)
    }

    /// What a certificate of its set convolution leaves out of its predictions, if anything.
    pub fn uncertified(&self) -> Option<&'static str> {
        match self {
            Self::Twin(twin) if twin.output.moves() => Some(
                "the certificate covers what this model encodes; its predictions also move an estimate of the source, \
                 which from a whole grid of spacing h is at most ½Mh² off (open axes: ¾Mh²), and from scattered sensors \
                 has no bound",
            ),
            _ => None,
        }
    }

    /// The mean course that it is made of, to be estimated from data; `None` for models without one.
    pub(crate) fn course_mut(&mut self) -> Option<&mut MeanCourse> {
        match self {
            Self::Climatology(Climatology(course)) | Self::AnomalyPersistence(AnomalyPersistence(course)) => {
                Some(course)
            }
            _ => None,
        }
    }

    /// A new operator with random weights drawn from `seed`, the same on every device.
    ///
    /// # Errors
    /// A configuration that is inconsistent, does not fit the problem, or does not fit into memory; a device that is not there.
    pub fn init(&self, problem: &Problem, seed: u64, device: Device) -> Result<Arc<dyn Operator>> {
        problem.validate()?;
        self.size(problem).check()?;
        // The random numbers of a device are one stream, and parameters are drawn from it when first looked at: without
        // the lock and the look, other threads would decide the weights.
        static DRAWING: Mutex<()> = Mutex::new(());
        let _drawing = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        // Drawn by the processor: other devices have other random numbers.
        let (cpu, there) = (Device::Cpu.tensors()?, device.tensors()?);
        cpu.seed(seed);
        let operator = self.kind().init(problem, &cpu)?;
        operator.parameters();
        Ok(if device == Device::Cpu { operator } else { operator.on(&there) })
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
    /// The mean course that its states are departures from, if they are; its values are stored beside the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<MeanCourse>,
    /// Names of the target channels.
    pub channel_names: Vec<String>,
    /// Times between consecutive frames of the training data; `None` for a steady problem.
    pub native_interval: Option<f64>,
    /// What it was trained on, in words.
    pub data: String,
    /// Steps of training behind the weights.
    pub steps: u64,
    /// Processor time of that training, in minutes over all threads; `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_minutes: Option<f64>,
    /// Which way to later times was best on held-out samples, by lead; empty if it was not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<BestWay>,
    /// The symmetries that its predictions are [means](crate::operator::Symmetrized) over; if none, they are what the operator
    /// gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symmetries: Vec<Symmetry>,
    /// Errors by name, as measured at the end of training.
    pub errors: BTreeMap<String, f64>,
    /// How far its forecasts are off, if that was measured on held-out samples: what bands are made of. One that another version
    /// measured in another way counts as none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::band::if_current")]
    pub calibration: Option<Calibration>,
}

impl ModelCard {
    /// The card of a model that has not been trained, for states in normalized units.
    pub fn untrained(problem: Problem, model: ModelConfig) -> Self {
        let n = problem.target_channels;
        Self {
            source_normalizer: Normalizer::identity(problem.source_channels),
            target_normalizer: Normalizer::identity(n),
            course: None,
            channel_names: (0..n).map(|c| if n == 1 { "u".into() } else { format!("u{c}") }).collect(),
            native_interval: None,
            data: String::new(),
            steps: 0,
            cpu_minutes: None,
            ways: Vec::new(),
            symmetries: Vec::new(),
            errors: BTreeMap::new(),
            calibration: None,
            problem,
            model,
        }
    }
}

/// An operator in physical units. Clones share its weights; threads may share it.
#[derive(Clone)]
pub struct Model {
    card: Arc<ModelCard>,
    operator: Arc<dyn Operator>,
    course: Option<Arc<Course>>,
    extrapolates: bool,
}

impl Model {
    /// A model with random weights drawn from `seed`.
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    pub fn new(card: ModelCard, seed: u64) -> Result<Self> {
        let operator = card.model.init(&card.problem, seed, Device::default())?;
        Self::of(card, operator).symmetrized()
    }

    /// The same model, whose predictions are means over the symmetries of its card.
    ///
    /// # Errors
    /// A symmetry that the domain does not have, or a mean course or static fields, which have none.
    pub(crate) fn symmetrized(self) -> Result<Self> {
        let card = &self.card;
        if card.symmetries.is_empty() {
            return Ok(self);
        }
        if card.course.is_some() || card.problem.measured.statics.is_some() {
            return Err(Error::Config {
                key: "train.symmetrize".into(),
                value: "true".into(),
                requirement: "must be left out with data.anomalies and data.static, which no symmetry leaves as they are".into(),
            });
        }
        let normalizers = [&card.source_normalizer, &card.target_normalizer];
        let operator = Symmetrized::new(self.operator.clone(), &card.symmetries, normalizers)?;
        Ok(self.with_operator(Arc::new(operator)))
    }

    /// A model of an operator.
    pub fn of(card: ModelCard, operator: Arc<dyn Operator>) -> Self {
        Self { card: Arc::new(card), operator, course: None, extrapolates: false }
    }

    /// The same model, whose operator sees and gives departures from a mean course.
    pub(crate) fn departing_from(self, course: Course) -> Self {
        let card = ModelCard { course: Some(course.when().clone()), ..self.card().clone() };
        Self { course: Some(Arc::new(course)), ..self }.with_card(card)
    }

    /// The same model, which also predicts at times outside those it was trained on.
    pub fn extrapolating(self) -> Self {
        Self { extrapolates: true, ..self }
    }

    /// Everything but the weights.
    pub fn card(&self) -> &ModelCard {
        &self.card
    }

    /// The operator, in normalized units.
    pub fn operator(&self) -> &dyn Operator {
        self.operator.as_ref()
    }

    /// The same with another operator of its kind: other weights, with or without gradients.
    pub(crate) fn with_operator(&self, operator: Arc<dyn Operator>) -> Self {
        Self { operator, ..self.clone() }
    }

    /// The same, recording gradients: what is trained.
    pub fn with_gradients(&self) -> Self {
        self.with_operator(self.operator.with_gradients())
    }

    /// The same, computing without recording gradients.
    pub fn without_gradients(&self) -> Self {
        self.with_operator(self.operator.without_gradients())
    }

    /// The same on another device, without recording gradients.
    ///
    /// # Errors
    /// [`Error::NoDevice`].
    pub fn on(&self, device: Device) -> Result<Self> {
        Ok(self.with_operator(self.operator.on(&device.tensors()?)))
    }

    /// The same with a calibration: it then gives bands.
    ///
    /// # Errors
    /// A calibration of another model.
    pub fn calibrated(self, calibration: Calibration) -> Result<Self> {
        calibration.validate(self.card.problem.target_channels)?;
        let card = ModelCard { calibration: Some(calibration), ..self.card().clone() };
        Ok(self.with_card(card))
    }

    /// The same with another card.
    pub(crate) fn with_card(self, card: ModelCard) -> Self {
        Self { card: Arc::new(card), ..self }
    }

    /// Writes the model into one file, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        weights::write(path, &self.tensors(), self.card())
    }

    /// Everything in its file but the card: the weights, and the mean course if there is one.
    fn tensors(&self) -> Vec<Named> {
        let mut tensors = self.operator.parameters();
        tensors.extend(self.course.iter().map(|course| course.tensor()));
        tensors.extend(self.card.problem.measured.statics.iter().map(|fields| Named {
            name: statics::TENSOR.into(),
            shape: vec![fields.names.len(), fields.values.len() / fields.names.len().max(1)],
            values: fields.values.to_vec(),
        }));
        tensors
    }

    /// The bytes of the file that [`Model::save`] writes.
    ///
    /// # Errors
    /// None for a sound model.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        weights::to_bytes(Path::new(FILE_NAME), &self.tensors(), self.card())
    }

    /// The model of the bytes of a file.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let path = Path::new(FILE_NAME);
        Self::of_weights(weights::from_bytes(path, bytes)?, path, Device::default())
    }

    /// Reads a model from its file, or from the folder of the run that made it.
    ///
    /// # Errors
    /// A file that is missing, damaged, or whose weights do not fit its architecture.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_on(path, Device::default())
    }

    /// As [`Model::load`], on a device.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_on(path: impl AsRef<Path>, device: Device) -> Result<Self> {
        let path = path.as_ref();
        let path: PathBuf = if path.is_dir() { path.join(FILE_NAME) } else { path.into() };
        Self::of_weights(weights::read(&path)?, &path, device)
    }

    fn of_weights(
        (mut tensors, mut card): (Vec<Named>, ModelCard),
        path: &Path,
        device: Device,
    ) -> Result<Self> {
        // Before it is made: a damaged size would ask for any amount of memory.
        let size = card.model.size(&card.problem);
        let found: usize = tensors.iter().map(|t| t.values.len()).sum();
        if size.weights > found as f64 {
            let needed = size.weights;
            let problem =
                format!("holds {found} numbers, its architecture has at least {needed:.3e} weights");
            return Err(Error::bad_file(path, problem));
        }
        size.check().map_err(|e| Error::bad_file(path, e.to_string()))?;
        if let Some(calibration) = &card.calibration {
            let sound = calibration.validate(card.problem.target_channels);
            sound.map_err(|e| Error::bad_file(path, e.to_string()))?;
        }
        let mut take = |name: &str| {
            let at = tensors.iter().position(|tensor| tensor.name == name);
            at.map(|at| tensors.swap_remove(at).values).unwrap_or_default()
        };
        if let Some(fields) = &mut card.problem.measured.statics {
            fields.values = Arc::new(take(statics::TENSOR));
        }
        let mean = if card.course.is_some() { take(course::TENSOR) } else { Vec::new() };
        let operator = card.model.init(&card.problem, 0, device)?;
        let course = card.course.clone().map(|when| {
            Course::new(when, mean, &card.problem).map_err(|e| Error::bad_file(path, e.to_string()))
        });
        let course = course.transpose()?;
        let operator = weights::load_into(operator.as_ref(), tensors, path)?;
        let mut model = Self::of(card, operator);
        if let Some(course) = course {
            model = model.departing_from(course);
        }
        model.symmetrized().map_err(|e| Error::bad_file(path, e.to_string()))
    }
}
