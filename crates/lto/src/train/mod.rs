//! Training: batches → losses → gradients → AdamW, with validation, checkpoints and metrics.

pub mod checkpoint;
pub mod flat;
pub mod folder;
pub mod gradient;
pub mod history;
mod log;
pub mod means;
pub mod metrics;
pub mod observer;
mod prepare;
pub mod pushforward;
pub mod report;
mod stations;
mod step;
pub mod tensorboard;
pub mod validation;

use crate::cpu_time;
use crate::data::batches::{BatchSource, Prepared};
use crate::data::prefetch::Prefetch;
use crate::device::Device;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::model::{self, Model, ModelCard};
use checkpoint::Position;
use folder::RunFolder;
use log::Log;
use lto_numerics::Symmetry;
use lto_numerics::ranks::Ranks;
use pushforward::unroll;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use validation::Measure;

pub use observer::{
    Control, Observer, RunEnd, RunSummary, Silent, Started, StepReport, ValidationReport, in_order,
};
pub use step::{Moment, Stepped, Stepper, Wishes};

/// A run: its data, its model and its state. Several processes may train together, each with its share of every batch; they hold
/// the same weights, and the first writes and reports.
pub struct Trainer {
    experiment: Experiment,
    folder: RunFolder,
    batches: Arc<dyn BatchSource>,
    validation: Box<dyn Measure>,
    /// Records gradients.
    model: Model,
    stepper: Stepper,
    /// Those that predictions of the trained model are means over.
    symmetries: Vec<Symmetry>,
    /// Total steps.
    steps: u64,
    position: Position,
    ranks: Arc<dyn Ranks>,
    wishes: Wishes,
}

impl Trainer {
    /// The resolved configuration.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Number of parameters of the model.
    pub fn n_parameters(&self) -> usize {
        self.model.operator().n_parameters()
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.position.step
    }

    /// The same run on another device. Random numbers, and so the first weights and all batches, are the same on every device;
    /// a run may be resumed on another.
    ///
    /// # Errors
    /// [`Error::NoDevice`](crate::Error::NoDevice).
    pub fn on(mut self, device: Device) -> Result<Self> {
        if device != Device::Cpu {
            self.model = self.model.on(device)?.with_gradients();
        }
        Ok(self)
    }

    /// Trains until the steps are done, the time is up or the observer stops it, writing metrics, checkpoints
    /// and the model along the way. The model has the last weights (or their running mean): the schedule ends
    /// at almost no learning rate, so they are the best, and none is picked by a lucky validation.
    ///
    /// # Errors
    /// [`Error::Diverged`](crate::Error::Diverged) if a loss or gradient is not finite (the last checkpoint
    /// is still good); data that cannot be read; files that cannot be written.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<RunEnd> {
        let train = self.experiment.train.clone();
        let known_steps = (self.steps < u64::MAX).then_some(self.steps);
        observer.started(&Started {
            run: self.folder.path(),
            n_parameters: self.n_parameters(),
            step: self.position.step,
            steps: known_steps,
            minutes: train.minutes,
            cpu_minutes: train.cpu_minutes,
        });
        let mut finished = self.progress() >= 1.0;
        if finished {
            observer.log("the run is already finished");
            return Ok(RunEnd::Finished(self.summary()));
        }
        let mut log = match self.ranks.is_first() {
            true => Some(Log::open(self.folder.current(), self.position.step)?),
            false => None,
        };
        let share = self.ranks.share(train.batch);
        let mut batches = Prefetch::start(self.batches.clone(), self.position.step..self.steps, share)?;
        let (begin, clock, cpu) = (self.position.clone(), Instant::now(), cpu_time::seconds().unwrap_or(0.0));
        while !finished {
            let (mut report, agreed) = self.train_step(batches.take()?)?;
            let seconds = clock.elapsed().as_secs_f64();
            // All processes work alike.
            let cpu_seconds = (cpu_time::seconds().unwrap_or(0.0) - cpu) * self.ranks.size() as f64;
            self.position.seconds = begin.seconds + seconds;
            self.position.cpu_seconds = begin.cpu_seconds + cpu_seconds;
            let pace = seconds / (self.position.step - begin.step) as f64;
            report.progress = self.progress();
            report.examples_per_second = train.batch as f64 / pace.max(f64::MIN_POSITIVE);
            let by_time = train.minutes.map(|m| 60.0 * m - self.position.seconds);
            let by_cpu = train.cpu_minutes.map(|m| {
                (60.0 * m - self.position.cpu_seconds) * seconds / cpu_seconds.max(f64::MIN_POSITIVE)
            });
            let by_steps = known_steps.map(|n| (n - self.position.step) as f64 * pace);
            report.seconds_left =
                [by_time, by_cpu, by_steps].into_iter().flatten().fold(f64::INFINITY, f64::min).max(0.0);
            report.steps =
                known_steps.or_else(|| Some(self.position.step + (report.seconds_left / pace) as u64));
            let stop = observer.step(&report) == Control::Stop;
            self.wishes = Wishes { end: report.progress >= 1.0, stop };
            // Several processes agree with their next gradients, and act one step later; steps they all count.
            let agreed = if self.ranks.is_alone() { self.wishes } else { agreed };
            finished = agreed.end || self.position.step >= self.steps;
            let stop = agreed.stop && !finished;

            self.position.means.add(&report);
            if let Some(log) = &mut log {
                self.keep(&report, finished, stop, log, observer)?;
            }
            if stop {
                return Ok(RunEnd::Interrupted(self.summary()));
            }
        }
        Ok(RunEnd::Finished(self.summary()))
    }

    /// Logs, validates and saves after a step, each when it is due.
    fn keep(
        &mut self,
        report: &StepReport,
        finished: bool,
        stop: bool,
        log: &mut Log,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let (train, step) = (&self.experiment.train, self.position.step);
        let (every, checkpoint_every) = (train.validation.every, train.checkpoint_every);
        if step.is_multiple_of(train.log_every) || finished {
            self.log(report, log)?;
        }
        if finished || every > 0 && step.is_multiple_of(every) {
            self.validate(finished, log, observer)?;
        }
        if stop || finished || step.is_multiple_of(checkpoint_every) {
            self.checkpoint()?;
        }
        if stop { self.save_model() } else { Ok(()) }
    }

    /// Does the next step with its batch; also returns what the processes wished before it.
    fn train_step(&mut self, prepared: Prepared) -> Result<(StepReport, Wishes)> {
        let origins = prepared.origins.clone();
        let batch = if prepared.unroll.is_empty() {
            prepared.batch
        } else {
            unroll(prepared, &self.model.without_gradients())?
        };
        let by_steps = self.position.step as f64 / self.steps.saturating_sub(1).max(1) as f64;
        let progress = by_steps.max(self.progress());
        let moment = Moment { step: self.position.step + 1, progress, wishes: self.wishes };
        let Stepped { losses, wishes, learning_rate, gradient_norm } =
            self.stepper.step(&mut self.model, batch, &origins, moment)?;
        self.position.step = moment.step;
        let report = StepReport {
            step: moment.step,
            steps: None,
            loss: losses.total,
            terms: losses.terms,
            learning_rate,
            gradient_norm,
            examples_per_second: 0.0,
            progress: 0.0,
            seconds_left: 0.0,
        };
        Ok((report, wishes))
    }

    /// Share of the run that is done: of the steps, the time or the processor time, whichever is largest.
    fn progress(&self) -> f64 {
        let (train, position) = (&self.experiment.train, &self.position);
        let share = |seconds: f64, minutes: Option<f64>| minutes.map_or(0.0, |m| seconds / (60.0 * m));
        let by_steps = position.step as f64 / self.steps as f64;
        by_steps
            .max(share(position.seconds, train.minutes))
            .max(share(position.cpu_seconds, train.cpu_minutes))
    }

    fn log(&mut self, report: &StepReport, log: &mut Log) -> Result<()> {
        let mut values = self.position.means.take();
        values.push(("learning_rate".into(), report.learning_rate));
        let kept = [
            ("seconds".into(), self.position.seconds),
            ("cpu_seconds".into(), self.position.cpu_seconds),
            ("examples_per_second".into(), report.examples_per_second),
        ];
        log.write(self.position.step, "train", values, kept)
    }

    /// At the end of the run also the ways to later times.
    fn validate(&mut self, finished: bool, log: &mut Log, observer: &mut dyn Observer) -> Result<()> {
        let trained = self.trained()?;
        self.position.errors = self.validation.measure(&trained)?;
        if finished {
            let (errors, ways) = self.validation.ways(&trained)?;
            self.position.errors.extend(errors);
            self.model = self.model.clone().with_card(ModelCard { ways, ..self.model.card().clone() });
        }
        observer.validation(&ValidationReport { step: self.position.step, errors: &self.position.errors });
        log.write(self.position.step, "validation", self.position.errors.clone().into_iter().collect(), [])?;
        self.save_model()
    }

    fn checkpoint(&mut self) -> Result<()> {
        let position = Position { errors: finite(&self.position.errors), ..self.position.clone() };
        let (layout, values) = self.stepper.values();
        checkpoint::write(self.folder.current(), layout, values, &position)
    }

    /// Saves the model and removes the evaluation of an earlier one. The first model replaces a run that is
    /// to be overwritten.
    fn save_model(&mut self) -> Result<()> {
        let (Position { step, errors, .. }, trained) = (&self.position, self.trained()?);
        let cpu_minutes = Some(self.position.cpu_seconds / 60.0);
        let card = ModelCard { steps: *step, cpu_minutes, errors: finite(errors), ..trained.card().clone() };
        let folder = &mut self.folder;
        if folder.current() == folder.path() {
            folder.forget_evaluation()?;
        }
        trained.with_card(card).save(&folder.current().join(model::FILE_NAME))?;
        folder.replace()
    }

    /// The model as it is validated and saved.
    fn trained(&self) -> Result<Model> {
        let trained = self.stepper.trained(&self.model);
        let card = ModelCard { symmetries: self.symmetries.clone(), ..trained.card().clone() };
        trained.with_card(card).symmetrized()
    }

    fn summary(&self) -> RunSummary {
        RunSummary {
            steps: self.position.step,
            seconds: self.position.seconds,
            cpu_seconds: self.position.cpu_seconds,
            errors: self.position.errors.clone(),
            model: self.folder.path().join(model::FILE_NAME),
        }
    }
}

/// Only the finite errors: JSON cannot hold others.
fn finite(errors: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    errors.iter().filter(|(_, e)| e.is_finite()).map(|(name, e)| (name.clone(), *e)).collect()
}
