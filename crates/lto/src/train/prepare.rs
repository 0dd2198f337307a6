//! From a configuration, or the folder of a run, to a trainer.

use super::checkpoint::{self, Position, Values};
use super::flat::FlatLayout;
use super::means::Means;
use super::validation::Validation;
use super::{Control, Observer, Trainer, folder};
use crate::data::Data;
use crate::data::batches::{BatchOptions, Batches};
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Setting};
use crate::loss::Objective;
use crate::optim::adamw::{AdamW, AdamWConfig};
use burn::tensor::Device;
use lto_numerics::dataset::Normalizer;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// AdamW's ε.
const EPSILON: f64 = 1e-8;

impl Trainer {
    /// Prepares a new run in its folder: opens the data, fits the normalization, makes the model and writes the
    /// configuration and a first checkpoint. A folder that holds a run already is refused unless it is to be overwritten.
    ///
    /// # Errors
    /// A configuration that does not fit the data, data that cannot be read, a folder that cannot be written or holds a
    /// run; [`Error::Interrupted`] if the observer says so.
    pub fn start(
        experiment: Experiment,
        run: &Path,
        overwrite: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        experiment.validate()?;
        if !overwrite {
            folder::refuse_existing(run)?;
        }
        let trainer = Self::prepare(experiment, run, observer)?;
        folder::create(run)?;
        folder::write_config(run, &trainer.experiment)?;
        trainer.checkpoint()?;
        Ok(trainer)
    }

    /// Takes up a run where its last checkpoint was written. `overrides` change its configuration;
    /// without any, and on as many threads, it goes on bit for bit as if it had never stopped.
    ///
    /// # Errors
    /// A folder that holds no run, a checkpoint that is damaged or of another model, data that changed.
    pub fn resume(run: &Path, overrides: &[Setting], observer: &mut dyn Observer) -> Result<Self> {
        let experiment = folder::read_config(run, overrides)?;
        let mut trainer = Self::prepare(experiment, run, observer)?;
        let position = checkpoint::read(run, &trainer.layout, &mut trainer.values)?;
        let known = [&position.normalizers.0, &position.normalizers.1];
        if !known.into_iter().zip([&trainer.normalizers.0, &trainer.normalizers.1]).all(|(a, b)| same(a, b)) {
            return Err(Error::bad_file(
                run,
                "the data are not those this run was trained on: their mean or scale differs",
            ));
        }
        if !position.means.is_whole() {
            return Err(Error::bad_file(&run.join(checkpoint::FILE_NAME), "its sums of losses are damaged"));
        }
        trainer.layout.store(trainer.operator.as_mut(), &trainer.values.weights);
        Position {
            step: trainer.step,
            seconds: trainer.seconds,
            means: trainer.means,
            errors: trainer.errors,
            ..
        } = position;
        if !overrides.is_empty() {
            folder::write_config(run, &trainer.experiment)?;
        }
        folder::forget_evaluation(run)?;
        Ok(trainer)
    }

    fn prepare(experiment: Experiment, run: &Path, observer: &mut dyn Observer) -> Result<Self> {
        let train = &experiment.train;
        let data = Arc::new(Data::open(&experiment.data, train.context.largest_fraction())?);
        data.notes().iter().for_each(|note| observer.log(note));
        let problem = data.problem();
        let objective = &train.objective;
        let reconstructs = objective.reconstruction_weight > 0.0;
        if reconstructs && problem.source_channels != problem.target_channels {
            return Err(Error::Config {
                key: "train.objective.reconstruction_weight".into(),
                value: objective.reconstruction_weight.to_string(),
                requirement: "must be 0 where sources and targets have different channels".into(),
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
        // The model first: a configuration that does not fit is found before any sample is solved.
        let device = Device::flex().autodiff();
        let operator = experiment.model.init(&problem, experiment.seed, &device)?;
        let (layout, weights) = FlatLayout::of(operator.as_ref());
        if weights.is_empty() {
            return Err(Error::Config {
                key: "model.kind".into(),
                value: experiment.model.name().into(),
                requirement: "has no parameters to train; evaluate it as it is".into(),
            });
        }
        let (source, target, note) =
            data.fit_normalizers(&mut |done, total| observer.preparing(done, total) == Control::Continue)?;
        note.iter().for_each(|note| observer.log(note));
        let options = BatchOptions {
            size: train.batch,
            pairs: train.pairs_for(operator.reach())?,
            context: train.context.clone(),
            symmetries: train.symmetries,
            query_points: train.query_points,
            pushforward: train.pushforward,
            observe_targets: problem.times.is_none() && reconstructs,
        };
        if train.symmetries && data.symmetries().is_empty() {
            observer.log("train.symmetries is on, but none are known for these data: give data.symmetries");
        }
        let (validation, note) =
            Validation::new(data.clone(), &train.validation, train.batch, experiment.seed);
        note.iter().for_each(|note| observer.log(note));
        let largest = target.scale().iter().fold(0.0, |a: f64, &b| a.max(b));
        let objective = Objective {
            config: objective.clone(),
            target_offset: target.mean().iter().zip(target.scale()).map(|(m, s)| (m / s) as f32).collect(),
            target_scale: target.scale().iter().map(|s| (s / largest) as f32).collect(),
        };
        let normalizers = (source, target);
        let batches = Batches::new(data.clone(), options, normalizers.clone(), experiment.seed);
        let config = AdamWConfig { betas: train.betas, epsilon: EPSILON, weight_decay: train.weight_decay };
        let values = Values {
            average: (train.ema_decay > 0.0).then(|| weights.clone()),
            optimizer: AdamW::new(config, weights.len()),
            weights,
        };
        Ok(Self {
            run: run.into(),
            steps: train.total_steps(data.split().train.len()),
            batches: Arc::new(batches),
            validation,
            normalizers,
            objective,
            operator,
            layout,
            values,
            gradients: Vec::new(),
            step: 0,
            seconds: 0.0,
            means: Means::default(),
            errors: BTreeMap::new(),
            data,
            experiment,
        })
    }
}

/// Whether two normalizers are equal but for rounding.
fn same(a: &Normalizer, b: &Normalizer) -> bool {
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(1e-300);
    let means = a.mean().iter().zip(b.mean()).zip(b.scale());
    a.mean().len() == b.mean().len()
        && a.scale().iter().zip(b.scale()).all(near)
        && means.into_iter().all(|((x, y), scale)| (x - y).abs() <= 1e-9 * scale.max(x.abs()))
}
