//! One step of the optimizer.

use super::checkpoint::Values;
use super::flat::FlatLayout;
use super::gradient::{Losses, differentiate};
use crate::data::batches::ExampleOrigin;
use crate::device::is_processor;
use crate::error::{Error, Result};
use crate::experiment::training::TrainConfig;
use crate::loss::Objective;
use crate::model::Model;
use crate::operator::Batch;
use crate::optim::adamw::{AdamW, AdamWConfig, clip_scale, norm};
use crate::optim::ema;
use crate::optim::on_device::{self, OnDevice};
use lto_numerics::ranks::{Alone, Ranks};
use std::sync::Arc;

/// AdamW's ε.
const EPSILON: f64 = 1e-8;

/// Improves the weights of a model: losses → gradients → AdamW → running mean.
pub struct Stepper {
    layout: FlatLayout,
    values: Values,
    /// The values where the model is, once a step was done there: `values` are then old.
    there: Option<OnDevice>,
    gradients: Vec<f32>,
    objective: Objective,
    config: TrainConfig,
    /// The processes that share each batch.
    ranks: Arc<dyn Ranks>,
}

/// Where a run is when it takes a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    /// The number of the step, from 1.
    pub step: u64,
    /// The share of the run that is done; of several processes, the first one's counts.
    pub progress: f64,
    /// What this process wishes; after the step, what any of them wished before it.
    pub wishes: Wishes,
}

/// What to do after the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// End the run: its time is up.
    pub end: bool,
    /// Save and stop.
    pub stop: bool,
}

/// The result of a step.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// The losses.
    pub losses: Losses,
    /// What the processes wished before the step.
    pub wishes: Wishes,
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
        let (gradients, ranks) = (Vec::new(), Arc::new(Alone));
        Self { layout, values, there: None, gradients, objective, config: config.clone(), ranks }
    }

    /// The same for several processes with the same weights, each with its part of every batch.
    pub fn together(self, ranks: Arc<dyn Ranks>) -> Self {
        Self { ranks, ..self }
    }

    /// Does a step on a batch in physical units with the given origins. The model must record gradients; it is unchanged if a
    /// loss or gradient is not finite.
    ///
    /// # Errors
    /// A batch the model cannot take; [`Error::Diverged`].
    pub fn step(
        &mut self,
        model: &mut Model,
        batch: Batch,
        origins: &[ExampleOrigin],
        mut moment: Moment,
    ) -> Result<Stepped> {
        let step = moment.step;
        let diverged = |what: &str, value: f64| Error::Diverged {
            step,
            what: what.into(),
            value,
            examples: origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        let batch = model.normalized(batch)?;
        let operator = model.operator();
        let (mut losses, mut computed) = differentiate(operator, &batch, &self.objective)?;
        let mut there = None;
        if let Some(computed) = &mut computed {
            // Processes sum their gradients on their hosts.
            if self.ranks.is_alone() && !is_processor(&operator.device()) {
                there = Some(operator.flat_gradients(computed));
            } else {
                self.layout.gather(&operator.gradients(computed), &mut self.gradients);
            }
        }
        if !self.ranks.is_alone() {
            let weight = self.objective.weight(&batch.target, batch.len()) as f32;
            self.join(weight, &mut losses, &mut moment);
        }
        if !losses.total.is_finite() {
            return Err(diverged("loss", losses.total));
        }
        let gradient_norm = there.as_ref().map_or_else(|| norm(&self.gradients), on_device::norm);
        if !gradient_norm.is_finite() {
            return Err(diverged("norm of the gradients", gradient_norm));
        }
        let config = &self.config;
        let learning_rate = config.learning_rate * config.schedule.factor(moment.progress);
        let scale = clip_scale(gradient_norm, config.gradient_clip);
        let Values { weights, average, optimizer } = &mut self.values;
        let factors = optimizer.config.factors(scale, learning_rate, step);
        if let Some(gradients) = there {
            let send = || OnDevice::send(weights, average.as_deref(), optimizer, &gradients.device());
            let there = self.there.get_or_insert_with(send);
            there.step(gradients, &factors);
            there.follow(ema::share(config.ema_decay, step));
        } else {
            optimizer.step(weights, &self.gradients, &factors);
            if let Some(average) = average {
                ema::update(average, weights, config.ema_decay, step);
            }
        }
        self.store(model);
        Ok(Stepped { losses, wishes: moment.wishes, learning_rate, gradient_norm })
    }

    /// Gradients and losses of the whole batch from those of its parts, and the moment as the first process sees it, by one sum
    /// over all processes: `∇L = Σ w_r ∇L_r / Σ w_r`.
    fn join(&mut self, weight: f32, losses: &mut Losses, moment: &mut Moment) {
        let n = self.values.weights.len();
        let of_first = |value: f32| if self.ranks.is_first() { value } else { 0.0 };
        let values = &mut self.gradients;
        // Without gradients, the loss is not finite, and all will know.
        values.resize(n, 0.0);
        values.iter_mut().for_each(|gradient| *gradient *= weight);
        values.extend([of_first(moment.progress as f32), of_first(moment.wishes.end.into())]);
        values.extend([moment.wishes.stop.into(), weight, weight * losses.total as f32]);
        values.extend(losses.terms.iter().map(|(_, value)| weight * *value as f32));
        self.ranks.sum(values);
        let said = values.split_off(n);
        let [progress, end, stop, whole, total, ..] = said[..] else { return };
        values.iter_mut().for_each(|gradient| *gradient /= whole);
        moment.progress = progress.into();
        moment.wishes = Wishes { end: end > 0.0, stop: stop > 0.0 };
        losses.total = f64::from(total / whole);
        for ((_, value), sum) in losses.terms.iter_mut().zip(&said[5..]) {
            *value = f64::from(sum / whole);
        }
    }

    /// Gives a model the weights.
    pub(super) fn store(&self, model: &mut Model) {
        *model = model.with_operator(match &self.there {
            Some(there) => model.operator().with_flat(&there.weights),
            None => self.layout.store(model.operator(), &self.values.weights),
        });
    }

    /// The values of the run, to be written down.
    pub(super) fn values(&mut self) -> (&FlatLayout, &mut Values) {
        let Values { weights, average, optimizer } = &mut self.values;
        if let Some(there) = &self.there {
            there.fetch(weights, average, optimizer);
        }
        (&self.layout, &mut self.values)
    }

    /// The model to use, without gradients: with the running mean of the weights if there is one.
    pub(super) fn trained(&self, model: &Model) -> Model {
        let operator = model.operator().without_gradients();
        let average = self.there.as_ref().and_then(|there| there.average.as_ref());
        model.with_operator(match (average, &self.values.average) {
            (Some(average), _) => operator.with_flat(average),
            (None, Some(average)) => self.layout.store(operator.as_ref(), average),
            (None, None) => operator,
        })
    }
}
