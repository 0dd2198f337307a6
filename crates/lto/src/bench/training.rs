//! A training step, of the parts that training is made of.

use crate::error::Result;
use crate::experiment::training::TrainConfig;
use crate::loss::Objective;
use crate::operator::{Batch, Operator};
use crate::optim::adamw::{AdamW, AdamWConfig, clip_scale, norm};
use crate::train::flat::FlatLayout;
use crate::train::gradient::differentiate;

/// A twin that is trained on the same batch again and again.
pub struct Training {
    operator: Box<dyn Operator>,
    layout: FlatLayout,
    weights: Vec<f32>,
    gradients: Vec<f32>,
    optimizer: AdamW,
    batch: Batch,
    objective: Objective,
    learning_rate: f64,
    gradient_clip: f64,
    step: u64,
}

impl Training {
    /// A twin made on an autodiff device, and what it is trained on.
    pub fn new(
        operator: Box<dyn Operator>,
        batch: Batch,
        objective: Objective,
        config: &TrainConfig,
    ) -> Self {
        let (layout, weights) = FlatLayout::of(operator.as_ref());
        let adamw = AdamWConfig { betas: config.betas, epsilon: 1e-8, weight_decay: config.weight_decay };
        Self {
            optimizer: AdamW::new(adamw, weights.len()),
            operator,
            layout,
            weights,
            gradients: Vec::new(),
            batch,
            objective,
            learning_rate: config.learning_rate,
            gradient_clip: config.gradient_clip,
            step: 0,
        }
    }

    /// Loss, gradients, clipping, AdamW.
    ///
    /// # Errors
    /// None but those of a broken program.
    pub fn run(&mut self) -> Result<()> {
        let operator = self.operator.as_mut();
        differentiate(operator, &self.layout, &self.batch, &self.objective, &mut self.gradients)?;
        let scale = clip_scale(norm(&self.gradients), self.gradient_clip);
        self.step += 1;
        self.optimizer.step(&mut self.weights, &self.gradients, scale, self.learning_rate, self.step);
        self.layout.store(operator, &self.weights);
        Ok(())
    }
}
