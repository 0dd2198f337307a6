//! The terms of the training objective (Eq. total-loss).

use burn::tensor::Tensor;
use lto_numerics::dataset::Normalizer;
use serde::{Deserialize, Serialize};

/// How a prediction is compared with the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossKind {
    /// Mean of squared differences, in normalized units.
    #[default]
    Mse,
    /// `‖prediction − truth‖₂ / ‖truth‖₂` of each example in physical units, then the mean.
    RelativeL2,
}

/// Weights and kinds of the terms, the `[train.objective]` of a configuration file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ObjectiveConfig {
    /// λ_evol.
    pub evolution_weight: f64,
    /// λ_recon; 0 leaves the reconstruction out.
    pub reconstruction_weight: f64,
    /// How forecasts are compared.
    pub evolution_loss: LossKind,
    /// How reconstructions are compared.
    pub reconstruction_loss: LossKind,
}

impl Default for ObjectiveConfig {
    fn default() -> Self {
        Self {
            evolution_weight: 1.0,
            reconstruction_weight: 1.0,
            evolution_loss: LossKind::Mse,
            reconstruction_loss: LossKind::Mse,
        }
    }
}

impl ObjectiveConfig {
    /// The objective for targets normalized so.
    pub fn init(&self, target: &Normalizer) -> Objective {
        let largest = target.scale().iter().fold(0.0, |a: f64, &b| a.max(b));
        Objective {
            config: self.clone(),
            target_offset: target.mean().iter().zip(target.scale()).map(|(m, s)| (m / s) as f32).collect(),
            target_scale: target.scale().iter().map(|s| (s / largest) as f32).collect(),
        }
    }
}

/// The objective with what it takes to speak of physical units.
#[derive(Clone, Debug)]
pub struct Objective {
    config: ObjectiveConfig,
    /// `mean / scale` of each target channel: adding it to normalized values gives physical values over `scale`.
    target_offset: Vec<f32>,
    /// `scale` of each target channel relative to the largest.
    target_scale: Vec<f32>,
}

/// One weighted term.
#[derive(Clone, Debug)]
pub struct LossTerm {
    /// `evolution_loss` or `reconstruction_loss`.
    pub name: &'static str,
    /// Its weight.
    pub weight: f64,
    /// Its value before weighting, `[1]`.
    pub value: Tensor<1>,
}

impl Objective {
    /// Whether reconstructions are part of it.
    pub fn reconstructs(&self) -> bool {
        self.config.reconstruction_weight > 0.0
    }

    /// The term of a forecast against the target, both `[b, q, M]` in normalized units.
    pub fn evolution(&self, prediction: Tensor<3>, truth: Tensor<3>) -> LossTerm {
        let value = self.evaluate(self.config.evolution_loss, prediction, truth);
        LossTerm { name: "evolution_loss", weight: self.config.evolution_weight, value }
    }

    /// The term of reconstructions: the mean over pairs of what was decoded and what is true.
    pub fn reconstruction(&self, pairs: Vec<(Tensor<3>, Tensor<3>)>) -> Option<LossTerm> {
        let share = 1.0 / pairs.len().max(1) as f64;
        let losses = pairs
            .into_iter()
            .map(|(decoded, truth)| self.evaluate(self.config.reconstruction_loss, decoded, truth));
        let sum = losses.reduce(|a, b| a + b)?;
        let value = if share < 1.0 { sum * share } else { sum };
        Some(LossTerm { name: "reconstruction_loss", weight: self.config.reconstruction_weight, value })
    }

    /// The loss of predictions, both `[b, q, M]` in normalized units.
    fn evaluate(&self, kind: LossKind, prediction: Tensor<3>, truth: Tensor<3>) -> Tensor<1> {
        match kind {
            LossKind::Mse => (prediction - truth).square().mean(),
            LossKind::RelativeL2 => {
                let channels = |values: &[f32]| {
                    Tensor::<1>::from_floats(values, &truth.device()).reshape([1, values.len(), 1])
                };
                let scale = channels(&self.target_scale);
                let difference = (prediction - truth.clone()) * scale.clone();
                let size = (truth.clone() + channels(&self.target_offset)) * scale;
                (squares(difference) / squares(size).clamp_min(f32::MIN_POSITIVE)).sqrt().mean()
            }
        }
    }
}

/// Sum of squares of each example, `[b, q, M]` → `[b]`. The tiny summand keeps the gradient of its root finite at 0.
fn squares(x: Tensor<3>) -> Tensor<1> {
    let b = x.dims()[0];
    x.square().reshape([b as i32, -1]).sum_dim(1).reshape([b]) + 1e-30
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    /// Two examples by hand: channel 0 has mean 2 and scale 2 (offset 1), channel 1 mean 0 and scale 1.
    #[test]
    fn losses_match_hand_computed_values() {
        let normalizer = serde_json::from_str(r#"{"mean": [2.0, 0.0], "scale": [2.0, 1.0]}"#).unwrap();
        let objective = ObjectiveConfig::default().init(&normalizer);
        let device = Device::flex();
        let truth = Tensor::<3>::from_floats([[[1.0, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 4.0]]], &device);
        let prediction =
            Tensor::<3>::from_floats([[[1.0, 2.0], [2.0, 0.0]], [[0.0, 0.0], [2.0, 4.0]]], &device);
        let mse = objective.evaluate(LossKind::Mse, prediction.clone(), truth.clone()).into_scalar::<f32>();
        assert!((mse - 1.0).abs() < 1e-6);
        // Physical over 2: truths (2, 1 | 1, 0) and (1, 1 | 0, 2); differences (0, 2 | 0, 0) and (0, 0 | 1, 0).
        let exact = 0.5 * ((4.0f32 / 6.0).sqrt() + (1.0f32 / 6.0).sqrt());
        let relative = objective.evaluate(LossKind::RelativeL2, prediction, truth).into_scalar::<f32>();
        assert!((relative - exact).abs() < 1e-6, "{relative} {exact}");
    }
}
