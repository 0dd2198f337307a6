//! Training: batches → losses → gradients → AdamW, with validation, checkpoints and metrics.

pub mod checkpoint;
pub mod flat;
pub mod folder;
pub mod gradient;
pub mod history;
pub mod means;
pub mod metrics;
pub mod observer;
mod prepare;
pub mod pushforward;
pub mod report;
mod step;
pub mod tensorboard;
pub mod validation;

use crate::data::Data;
use crate::data::batches::Batches;
use crate::data::prefetch::Prefetch;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::loss::Objective;
use crate::model::{self, Model, ModelCard};
use crate::operator::Operator;
use checkpoint::{Position, Values};
use flat::FlatLayout;
use lto_numerics::dataset::Normalizer;
use means::Means;
use metrics::Metrics;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tensorboard::EventFile;
use validation::Validation;

pub use observer::{Control, Observer, Outcome, Silent, Started, StepReport, Summary, ValidationReport};

/// A run: its data, its model and where it is.
pub struct Trainer {
    experiment: Experiment,
    run: PathBuf,
    data: Arc<Data>,
    batches: Arc<Batches>,
    validation: Validation,
    normalizers: (Normalizer, Normalizer),
    objective: Objective,
    operator: Box<dyn Operator>,
    layout: FlatLayout,
    values: Values,
    gradients: Vec<f32>,
    steps: u64,
    step: u64,
    seconds: f64,
    means: Means,
    errors: BTreeMap<String, f64>,
}

impl Trainer {
    /// The resolved configuration.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Number of parameters of the model.
    pub fn n_parameters(&self) -> usize {
        self.operator.n_parameters()
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Trains until the steps are done or the time is up, or the observer says stop. Writes metrics, checkpoints and the
    /// model on the way; the model is that of the last weights (or their running mean): the schedule ends at a learning
    /// rate of next to nothing, so they are the best, and none is picked by a lucky validation.
    ///
    /// # Errors
    /// [`Error::Diverged`](crate::Error::Diverged) where a loss or gradient is not finite (the last checkpoint is then still good); data that
    /// cannot be read; files that cannot be written.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Outcome> {
        let train = self.experiment.train.clone();
        let known_steps = (self.steps < u64::MAX).then_some(self.steps);
        observer.started(&Started {
            run: &self.run,
            n_parameters: self.n_parameters(),
            step: self.step,
            steps: known_steps,
            minutes: train.minutes,
        });
        let mut finished = self.progress() >= 1.0;
        if finished {
            observer.log("the run is finished already");
            return Ok(Outcome::Finished(self.summary()));
        }
        let mut metrics = Metrics::open(&self.run, self.step)?;
        let mut events = EventFile::create(&self.run, self.step)?;
        let mut batches = Prefetch::start(self.batches.clone(), self.step..self.steps)?;
        let (first_step, first_seconds, clock) = (self.step, self.seconds, Instant::now());
        while !finished {
            let prepared = batches.take()?;
            let mut report = self.train_step(prepared)?;
            self.seconds = first_seconds + clock.elapsed().as_secs_f64();
            let pace = (self.seconds - first_seconds) / (self.step - first_step) as f64;
            report.progress = self.progress();
            report.examples_per_second = train.batch as f64 / pace.max(f64::MIN_POSITIVE);
            let by_time = train.minutes.map(|m| (60.0 * m - self.seconds).max(0.0));
            let by_steps = known_steps.map(|n| (n - self.step) as f64 * pace);
            report.seconds_left = by_time.into_iter().chain(by_steps).fold(f64::INFINITY, f64::min);
            report.steps = known_steps.or_else(|| Some(self.step + (report.seconds_left / pace) as u64));
            finished = report.progress >= 1.0;

            self.means.add(&report);
            if self.step.is_multiple_of(train.log_every) || finished {
                self.log(&report, &mut metrics, &mut events)?;
            }
            let stop = observer.step(&report) == Control::Stop && !finished;
            let every = train.validation.every;
            if finished || every > 0 && self.step.is_multiple_of(every) {
                self.validate(&mut metrics, &mut events, observer)?;
            }
            if stop || finished || self.step.is_multiple_of(train.checkpoint_every) {
                self.checkpoint()?;
            }
            if stop {
                self.save_model()?;
                return Ok(Outcome::Interrupted(self.summary()));
            }
        }
        Ok(Outcome::Finished(self.summary()))
    }

    /// Share of the run that is done: of the steps or of the time, whichever is more.
    fn progress(&self) -> f64 {
        let by_steps = self.step as f64 / self.steps as f64;
        let by_time = self.experiment.train.minutes.map_or(0.0, |minutes| self.seconds / (60.0 * minutes));
        by_steps.max(by_time)
    }

    fn log(&mut self, report: &StepReport, metrics: &mut Metrics, events: &mut EventFile) -> Result<()> {
        let mut values = self.means.take();
        values.push(("learning_rate".into(), report.learning_rate));
        let scalars: Vec<(String, f64)> =
            values.iter().map(|(name, v)| (format!("train/{name}"), *v)).collect();
        events.scalars(self.step, scalars.iter().map(|(name, value)| (name.as_str(), *value)))?;
        values.push(("seconds".into(), self.seconds));
        values.push(("examples_per_second".into(), report.examples_per_second));
        metrics.append(self.step, "train", values)
    }

    fn validate(
        &mut self,
        metrics: &mut Metrics,
        events: &mut EventFile,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        self.errors = self.validation.measure(self.trained().as_ref(), &self.normalizers)?;
        observer.validation(&ValidationReport { step: self.step, errors: &self.errors });
        metrics.append(self.step, "validation", self.errors.clone())?;
        let scalars: Vec<(String, f64)> =
            self.errors.iter().map(|(name, v)| (format!("validation/{name}"), *v)).collect();
        events.scalars(self.step, scalars.iter().map(|(name, value)| (name.as_str(), *value)))?;
        self.save_model()
    }

    /// The operator to use: the running mean of the weights where there is one.
    fn trained(&self) -> Box<dyn Operator> {
        let mut operator = self.operator.without_gradients();
        if let Some(average) = &self.values.average {
            self.layout.store(operator.as_mut(), average);
        }
        operator
    }

    fn checkpoint(&self) -> Result<()> {
        let position = Position {
            step: self.step,
            seconds: self.seconds,
            means: self.means.clone(),
            errors: finite(&self.errors),
            normalizers: self.normalizers.clone(),
        };
        checkpoint::write(&self.run, &self.layout, &self.values, &position)
    }

    fn save_model(&self) -> Result<()> {
        let card = ModelCard {
            steps: self.step,
            errors: finite(&self.errors),
            ..self.data.card(self.experiment.model.clone(), self.normalizers.clone())
        };
        Model::new(card, self.trained()).save(&self.run.join(model::FILE_NAME))
    }

    fn summary(&self) -> Summary {
        Summary {
            steps: self.step,
            seconds: self.seconds,
            errors: self.errors.clone(),
            model: self.run.join(model::FILE_NAME),
        }
    }
}

/// Without what JSON cannot hold.
fn finite(errors: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    errors.iter().filter(|(_, e)| e.is_finite()).map(|(name, e)| (name.clone(), *e)).collect()
}
