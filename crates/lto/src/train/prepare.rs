//! From a configuration, or the folder of a run, to a trainer.

use super::checkpoint::{self, Position};
use super::folder::RunFolder;
use super::means::Means;
use super::step::Stepper;
use super::validation::{Measure, Validation};
use super::{Control, Observer, Trainer, Wishes, folder};
use crate::data::Data;
use crate::data::batches::{BatchOptions, BatchSource, Batches};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Setting};
use crate::model::{Model, ModelCard};
use crate::problem::{Measured, Problem};
use crate::weights::load_into;
use lto_numerics::dataset::Normalizer;
use lto_numerics::ranks::{Alone, Ranks, from_first};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

impl Trainer {
    /// Prepares a new run in its folder: opens the data, fits the normalization, makes the model and writes the
    /// configuration and a first checkpoint. A folder that already holds a run is refused unless it may be
    /// overwritten; the old run then stays until the new one saves its first model.
    ///
    /// # Errors
    /// A configuration that does not fit the data, data that cannot be read, a folder that cannot be written, holds a run
    /// or is trained in; [`Error::Interrupted`] if the observer says so.
    pub fn start(
        experiment: Experiment,
        run: &Path,
        overwrite: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        Self::start_together(experiment, run, overwrite, Arc::new(Alone), observer)
    }

    /// As [`Trainer::start`], by several processes.
    ///
    /// # Errors
    /// As [`Trainer::start`], or more processes than a batch has examples.
    pub fn start_together(
        experiment: Experiment,
        run: &Path,
        overwrite: bool,
        ranks: Arc<dyn Ranks>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        experiment.validate()?;
        if !ranks.is_first() {
            return Self::prepare(experiment, RunFolder::watched(run), ranks, observer);
        }
        if !overwrite {
            folder::refuse_existing(run)?;
        }
        let mut trainer = Self::prepare(experiment, RunFolder::open(run)?, ranks, observer)?;
        trainer.folder.begin(overwrite)?;
        folder::write_config(trainer.folder.current(), &trainer.experiment)?;
        trainer.checkpoint()?;
        Ok(trainer)
    }

    /// Resumes a run from its last checkpoint. `overrides` change its configuration; without any, and on the
    /// same number of threads, it continues bit for bit as if it had never stopped.
    ///
    /// # Errors
    /// A folder that holds no run or is trained in, a checkpoint that is damaged or of another model, data that changed.
    pub fn resume(run: &Path, overrides: &[Setting], observer: &mut dyn Observer) -> Result<Self> {
        Self::resume_together(run, overrides, Arc::new(Alone), observer)
    }

    /// As [`Trainer::resume`], by several processes, as many as before or not.
    ///
    /// # Errors
    /// As [`Trainer::resume`], or more processes than a batch has examples.
    pub fn resume_together(
        run: &Path,
        overrides: &[Setting],
        ranks: Arc<dyn Ranks>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let folder = if ranks.is_first() { RunFolder::open(run)? } else { RunFolder::watched(run) };
        let experiment = folder::read_config(run, overrides)?;
        let mut trainer = Self::prepare(experiment, folder, ranks, observer)?;
        let (layout, values) = trainer.stepper.values();
        let position = checkpoint::read(run, layout, values)?;
        let (known, found) = (&position.normalizers, &trainer.position.normalizers);
        if !(same(&known.0, &found.0) && same(&known.1, &found.1)) {
            return Err(Error::bad_file(
                run,
                "the data are not those this run was trained on: their mean or scale differs",
            ));
        }
        if !position.means.is_whole() {
            return Err(Error::bad_file(&run.join(checkpoint::FILE_NAME), "its sums of losses are damaged"));
        }
        trainer.stepper.store(&mut trainer.model);
        trainer.position = Position { normalizers: trainer.position.normalizers, ..position };
        if !overrides.is_empty() && trainer.ranks.is_first() {
            folder::write_config(run, &trainer.experiment)?;
        }
        Ok(trainer)
    }

    fn prepare(
        experiment: Experiment,
        folder: RunFolder,
        ranks: Arc<dyn Ranks>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let train = &experiment.train;
        if train.batch < ranks.size() {
            return Err(Error::Config {
                key: "train.batch".into(),
                value: train.batch.to_string(),
                requirement: format!("must be at least {}: every process needs an example", ranks.size()),
            });
        }
        if experiment.data.records.is_some() {
            return Self::prepare_stations(experiment, folder, ranks, observer);
        }
        let data = Arc::new(Data::open(&experiment.data, train.context.largest_fraction())?);
        data.notes().iter().for_each(|note| observer.log(note));
        if data.split().train.is_empty() {
            return Err(Error::Config {
                key: "data.split".into(),
                value: format!("{:?}", experiment.data.split),
                requirement: "must leave samples to train on".into(),
            });
        }
        let problem = data.problem();
        let reconstruction_weight = train.objective.reconstruction_weight;
        let reconstructs = reconstruction_weight > 0.0;
        if reconstructs && problem.source_channels != problem.target_channels {
            return Err(Error::Config {
                key: "train.objective.reconstruction_weight".into(),
                value: reconstruction_weight.to_string(),
                requirement: "must be 0 if sources and targets have different channels".into(),
            });
        }
        if train.pushforward.probability > 0.0 && problem.times.is_none() {
            return Err(Error::Config {
                key: "train.pushforward.probability".into(),
                value: train.pushforward.probability.to_string(),
                requirement: "must be 0 for a steady problem".into(),
            });
        }
        if data.history() > 1 && !experiment.model.takes_history() {
            return Err(Error::Config {
                key: "data.history".into(),
                value: data.history().to_string(),
                requirement: format!("must be 1: a {} starts from one state", experiment.model.name()),
            });
        }
        if !experiment.data.calendar.is_empty() && !experiment.model.takes_calendar() {
            return Err(Error::Config {
                key: "data.calendar".into(),
                value: format!("{:?}", experiment.data.calendar),
                requirement: format!("must be left out: a {} has no use for it", experiment.model.name()),
            });
        }
        let same_points = train.context.only_full() && train.query_points.is_none();
        if train.pushforward.probability > 0.0 && data.history() > 1 && !same_points {
            return Err(Error::Config {
                key: "train.pushforward.probability".into(),
                value: format!("{} with data.history = {}", train.pushforward.probability, data.history()),
                requirement:
                    "needs contexts at all query points: train.context.designs = { full = 1 }, without \
                              train.query_points"
                        .into(),
            });
        }
        // The model first, so that a configuration that does not fit fails before any sample is solved.
        experiment.model.size(&problem).check_training(ranks.share(train.batch).len())?;
        let operator = experiment.model.init(&problem, experiment.seed, Device::default())?.with_gradients();
        if operator.n_parameters() == 0 {
            return Err(Error::Config {
                key: "model.kind".into(),
                value: experiment.model.name().into(),
                requirement: "has no parameters to train; evaluate it as it is".into(),
            });
        }
        let (source, target, note) = from_first(ranks.as_ref(), || {
            data.fit_normalizers(&mut |done, total| observer.preparing(done, total) == Control::Continue)
        })?;
        note.iter().for_each(|note| observer.log(note));
        let options = BatchOptions {
            size: train.batch,
            pairs: train.pairs_for(operator.reach(), experiment.model.max_step())?,
            context: train.context.clone(),
            deviations: [source.scale().to_vec(), target.scale().to_vec()],
            symmetries: train.symmetries,
            query_points: train.query_points,
            pushforward: train.pushforward,
            observe_targets: problem.times.is_none() && reconstructs,
        };
        if train.symmetries && data.symmetries().is_empty() {
            observer.log("train.symmetries is on, but none are known for these data: give data.symmetries");
        }
        if train.symmetrize && data.symmetries().is_empty() {
            return Err(Error::Config {
                key: "train.symmetrize".into(),
                value: "true".into(),
                requirement: "needs symmetries of the data: give data.symmetries".into(),
            });
        }
        let (validation, note) =
            Validation::new(data.clone(), &train.validation, train.batch, experiment.seed);
        note.iter().for_each(|note| observer.log(note));
        let normalizers = experiment.model.normalizers(&problem, (source, target));
        let mut card = data.card(experiment.model.clone(), normalizers.clone());
        if let (Some(calendar), Some(interval)) = (&mut card.problem.measured.calendar, card.native_interval)
        {
            calendar.longest_lead = calendar.longest_lead.min(options.pairs.longest() as f64 * interval);
        }
        card.problem.changes = from_first(ranks.as_ref(), || data.changes(&normalizers.1))?;
        let course = experiment.data.anomalies.then(|| data.course()).transpose()?;
        if experiment.model.needs_covariance() {
            let measured = &mut card.problem.measured;
            measured.covariances =
                from_first(ranks.as_ref(), || data.covariances(&normalizers.1, course.as_ref()))?;
            if let Some(course) = &course {
                measured.memory = from_first(ranks.as_ref(), || data.memory(&normalizers.1, course))?;
            }
        }
        // Made again, with the same weights, for the problem with what was measured of it.
        let operator = card.model.init(&card.problem, experiment.seed, Device::default())?.with_gradients();
        let mut model = Model::of(card, operator);
        if let Some(course) = course {
            model = model.departing_from(course);
        }
        if let Some(path) = &train.start_from {
            model = begun(path, &model)?;
        }
        let symmetries = if train.symmetrize { data.symmetries().to_vec() } else { Vec::new() };
        // Refused now rather than when the model is saved.
        let symmetrized = ModelCard { symmetries: symmetries.clone(), ..model.card().clone() };
        model.clone().with_card(symmetrized).symmetrized()?;
        let steps = train.total_steps(data.split().train.len());
        let batches = Arc::new(Batches::new(data, options, experiment.seed));
        let trainer =
            Self::assembled(experiment, (folder, ranks), model, batches, Box::new(validation), steps);
        Ok(Self { symmetries, ..trainer })
    }

    /// A trainer that has not done a step.
    pub(super) fn assembled(
        experiment: Experiment,
        (folder, ranks): (RunFolder, Arc<dyn Ranks>),
        model: Model,
        batches: Arc<dyn BatchSource>,
        validation: Box<dyn Measure>,
        steps: u64,
    ) -> Self {
        let card = model.card();
        let normalizers = (card.source_normalizer.clone(), card.target_normalizer.clone());
        Self {
            folder,
            steps,
            batches,
            validation,
            stepper: Stepper::new(&model, &experiment.train).together(ranks.clone()),
            model,
            symmetries: Vec::new(),
            position: Position {
                step: 0,
                seconds: 0.0,
                cpu_seconds: 0.0,
                means: Means::default(),
                errors: BTreeMap::new(),
                normalizers,
            },
            ranks,
            wishes: Wishes::default(),
            experiment,
        }
    }
}

/// An untrained model with the weights and the normalization of a trained one, for the same problem; what was measured of the
/// data may differ.
fn begun(path: &Path, untrained: &Model) -> Result<Model> {
    let (found, card) = (Model::load(path)?, untrained.card());
    let problem = |card: &ModelCard| Problem {
        changes: Vec::new(),
        measured: Measured::default(),
        ..card.problem.clone()
    };
    let refused = || {
        Error::Config {
        key: "train.start_from".into(),
        value: path.display().to_string(),
        requirement:
            "must be a model whose weights fit this [model], for the same domain, channels, grid, times and mean course"
                .into(),
    }
    };
    if problem(found.card()) != problem(card) || found.card().course != card.course {
        return Err(refused());
    }
    // Weights are used to the scale of changes that they were trained with.
    let card = ModelCard {
        problem: Problem { changes: found.card().problem.changes.clone(), ..card.problem.clone() },
        source_normalizer: found.card().source_normalizer.clone(),
        target_normalizer: found.card().target_normalizer.clone(),
        ..card.clone()
    };
    let operator = card.model.init(&card.problem, 0, Device::default())?.with_gradients();
    let operator =
        load_into(operator.as_ref(), found.operator().parameters(), path).map_err(|_| refused())?;
    Ok(untrained.with_operator(operator).with_card(card))
}

/// Whether two normalizers are equal up to rounding.
fn same(a: &Normalizer, b: &Normalizer) -> bool {
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(1e-300);
    let means = a.mean().iter().zip(b.mean()).zip(b.scale());
    a.mean().len() == b.mean().len()
        && a.scale().iter().zip(b.scale()).all(near)
        && means.into_iter().all(|((x, y), scale)| (x - y).abs() <= 1e-9 * scale.max(x.abs()))
}
