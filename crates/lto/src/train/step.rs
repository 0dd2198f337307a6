//! One step of the optimizer.

use super::checkpoint::Values;
use super::flat::FlatLayout;
use super::gradient::{Losses, differentiate};
use crate::data::batches::ExampleOrigin;
use crate::error::{Error, Result};
use crate::experiment::training::TrainConfig;
use crate::loss::Objective;
use crate::model::Model;
use crate::operator::Batch;
use crate::optim::adamw::{AdamW, AdamWConfig, clip_scale, norm};
use crate::optim::ema;

/// AdamW's ε.
const EPSILON: f64 = 1e-8;

/// Improves the weights of a model: losses → gradients → AdamW → running mean.
pub struct Stepper {
    pub(super) layout: FlatLayout,
    pub(super) values: Values,
    gradients: Vec<f32>,
    objective: Objective,
    config: TrainConfig,
}

/// The result of a step.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// The losses.
    pub losses: Losses,
    /// The learning rate.
    pub learning_rate: f64,
    /// Norm of all gradients, before clipping.
    pub gradient_norm: f64,
}

impl Stepper {
    /// An optimizer for a model's weights.
    pub fn new(model: &Model, config: &TrainConfig) -> Self {
        let (layout, weights) = FlatLayout::of(model.operator());
        let adamw = AdamWConfig { betas: config.betas, epsilon: EPSILON, weight_decay: config.weight_decay };
        let values = Values {
            average: (config.ema_decay > 0.0).then(|| weights.clone()),
            optimizer: AdamW::new(adamw, weights.len()),
            weights,
        };
        let objective = config.objective.init(&model.card().target_normalizer);
        Self { layout, values, gradients: Vec::new(), objective, config: config.clone() }
    }

    /// Does step `step` (from 1), after a share `progress` of the run, on a batch in physical units with the
    /// given origins. The model must record gradients; it is unchanged if a loss or gradient is not finite.
    ///
    /// # Errors
    /// A batch the model cannot take; [`Error::Diverged`].
    pub fn step(
        &mut self,
        model: &mut Model,
        batch: Batch,
        origins: &[ExampleOrigin],
        step: u64,
        progress: f64,
    ) -> Result<Stepped> {
        let diverged = |what: &str, value: f64| Error::Diverged {
            step,
            what: what.into(),
            value,
            examples: origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        let batch = model.normalized(batch)?;
        let (layout, config) = (&self.layout, &self.config);
        let losses = differentiate(model.operator(), layout, &batch, &self.objective, &mut self.gradients)?;
        if !losses.total.is_finite() {
            return Err(diverged("loss", losses.total));
        }
        let gradient_norm = norm(&self.gradients);
        if !gradient_norm.is_finite() {
            return Err(diverged("norm of the gradients", gradient_norm));
        }
        let learning_rate = config.learning_rate * config.schedule.factor(progress);
        let scale = clip_scale(gradient_norm, config.gradient_clip);
        let Values { weights, average, optimizer } = &mut self.values;
        optimizer.step(weights, &self.gradients, scale, learning_rate, step);
        if let Some(average) = average {
            ema::update(average, weights, config.ema_decay, step);
        }
        self.store(model);
        Ok(Stepped { losses, learning_rate, gradient_norm })
    }

    /// Gives a model the weights.
    pub(super) fn store(&self, model: &mut Model) {
        *model = model.with_operator(self.layout.store(model.operator(), &self.values.weights));
    }

    /// The model to use, without gradients: with the running mean of the weights if there is one.
    pub(super) fn trained(&self, model: &Model) -> Model {
        let operator = model.operator().without_gradients();
        model.with_operator(match &self.values.average {
            Some(average) => self.layout.store(operator.as_ref(), average),
            None => operator,
        })
    }
}
