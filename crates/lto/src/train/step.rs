//! One step of the optimizer.

use super::gradient::{Losses, differentiate};
use super::pushforward::unroll;
use super::{StepReport, Trainer};
use crate::data::batches::Prepared;
use crate::error::{Error, Result};
use crate::optim::adamw::{clip_scale, norm};
use crate::optim::ema;

impl Trainer {
    /// Does the next step with its batch. Parameters stay as they are where a loss or gradient is not finite.
    pub(super) fn train_step(&mut self, prepared: Prepared) -> Result<StepReport> {
        let origins = prepared.origins.clone();
        let diverged = |what: &str, value: f64, step: u64| Error::Diverged {
            step,
            what: what.into(),
            value,
            examples: origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        let batch = if prepared.unroll.is_empty() {
            prepared.batch
        } else {
            unroll(prepared, self.operator.without_gradients().as_ref(), &self.normalizers)?
        };
        let Losses { total: loss, terms } = differentiate(
            self.operator.as_ref(),
            &self.layout,
            &batch,
            &self.objective,
            &mut self.gradients,
        )?;
        if !loss.is_finite() {
            return Err(diverged("loss", loss, self.step + 1));
        }
        let gradient_norm = norm(&self.gradients);
        if !gradient_norm.is_finite() {
            return Err(diverged("norm of the gradients", gradient_norm, self.step + 1));
        }
        let train = &self.experiment.train;
        let by_steps = self.step as f64 / self.steps.saturating_sub(1).max(1) as f64;
        let learning_rate = train.learning_rate * train.schedule.factor(by_steps.max(self.progress()));
        let scale = clip_scale(gradient_norm, train.gradient_clip);
        self.step += 1;
        self.values.optimizer.step(
            &mut self.values.weights,
            &self.gradients,
            scale,
            learning_rate,
            self.step,
        );
        if let Some(average) = &mut self.values.average {
            ema::update(average, &self.values.weights, train.ema_decay, self.step);
        }
        self.layout.store(self.operator.as_mut(), &self.values.weights);
        Ok(StepReport {
            step: self.step,
            steps: None,
            loss,
            terms,
            learning_rate,
            gradient_norm,
            examples_per_second: 0.0,
            progress: 0.0,
            seconds_left: 0.0,
        })
    }
}
