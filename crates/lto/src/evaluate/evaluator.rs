//! Several models on the same samples, source frames and contexts.

use super::config::{EvaluationConfig, Part};
use super::evaluation::Evaluation;
use super::level::Levels;
use super::protocol::Progress;
use super::run::{evaluate_run, load};
use super::shape::default_resolutions;
use super::source::EvaluationData;
use crate::data::Data;
use crate::device::Device;
use crate::error::Result;
use crate::experiment::Setting;
use lto_numerics::ranks::{Alone, Ranks};
use std::path::Path;
use std::sync::Arc;

/// What to evaluate, and on which data.
#[derive(Clone, Debug)]
pub struct EvaluationRequest<'a> {
    /// Folders of runs, files of models, or names of models that need no training.
    pub runs: &'a [String],
    /// The file to evaluate on; the data of the first run if not given.
    pub data: Option<&'a Path>,
    /// The configuration that says how to read the data; the first run's if not given.
    pub config: Option<&'a Path>,
    /// Settings of the data that override that configuration.
    pub set: &'a [Setting],
    /// Which samples: those held out if not given, or all of a file that no model was trained on.
    pub split: Option<Part>,
    /// The protocol; its split and its history are set here, its resolutions chosen if there are none.
    pub protocol: EvaluationConfig,
    /// Where models compute.
    pub device: Device,
}

/// A protocol with its data and models checked, ready to evaluate one model after the other.
pub struct Evaluator {
    data: Data,
    levels: Levels,
    protocol: EvaluationConfig,
    ranks: Arc<dyn Ranks>,
    device: Device,
}

impl Evaluator {
    /// Opens the data, and every model once, so that what cannot be read fails before anything is computed.
    ///
    /// # Errors
    /// Data or a model that cannot be read, or a protocol that the data do not allow.
    pub fn open(request: &EvaluationRequest) -> Result<Self> {
        let source = EvaluationData::find(request.runs, request.config, request.data, request.set)?;
        let data = Data::open(&source.config, 1.0)?;
        let mut protocol = request.protocol.clone();
        protocol.split = request.split.unwrap_or(source.part);
        protocol.history = 1;
        for run in request.runs {
            protocol.history = protocol.history.max(load(run, &data)?.card().problem.history());
        }
        if protocol.all_resolutions().is_empty() {
            protocol.resolutions = default_resolutions(&data.layout().grid);
        }
        let levels = Levels::open(&source.config, &protocol.all_resolutions())?;
        Ok(Self { data, levels, protocol, ranks: Arc::new(Alone), device: request.device })
    }

    /// The same by several processes, which share the samples.
    pub fn together(self, ranks: Arc<dyn Ranks>) -> Self {
        Self { ranks, ..self }
    }

    /// Which samples are used: their part, how many of it, and how many there are.
    ///
    /// # Errors
    /// A part without samples.
    pub fn samples(&self) -> Result<(Part, usize, usize)> {
        let chosen = self.protocol.chosen_samples(&self.data)?.len();
        Ok((self.protocol.split, chosen, self.data.layout().n_samples))
    }

    /// Remarks on the data.
    pub fn notes(&self) -> &[String] {
        self.levels.notes()
    }

    /// Evaluates one of the runs; `extrapolate` allows times outside its training. `progress` receives the number of samples
    /// done and of all, and says whether to go on.
    ///
    /// # Errors
    /// A model that cannot be read, or [`crate::Error::Interrupted`].
    pub fn evaluate(&self, run: &str, extrapolate: bool, progress: &mut Progress) -> Result<Evaluation> {
        let model = load(run, &self.data)?.on(self.device)?;
        let model = if extrapolate { model.extrapolating() } else { model };
        evaluate_run(run, &model, &self.levels, &self.protocol, self.ranks.as_ref(), progress)
    }
}
