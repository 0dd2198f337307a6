//! The terms of the training objective (Eq. total-loss).

mod mse;
mod relative_l2;

use burn::tensor::Tensor;
use lto_numerics::dataset::Normalizer;
use serde::{Deserialize, Serialize};

/// All losses, one line each: the variant and its file, which holds a function of that name.
macro_rules! losses {
    ($($(#[$attribute:meta])* $kind:ident: $name:ident,)+) => {
        /// How a prediction is compared with the truth.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum LossKind {
            $($(#[$attribute])* $kind,)+
        }

        impl LossKind {
            /// The loss `[1]` of predictions, both `[b, q, M]` in normalized units.
            fn evaluate(self, prediction: Tensor<3>, truth: Tensor<3>, units: &Units) -> Tensor<1> {
                match self {
                    $(LossKind::$kind => $name::$name(prediction, truth, units),)+
                }
            }
        }
    };
}

losses! {
    /// Mean of squared differences, in normalized units.
    #[default]
    Mse: mse,
    /// `‖prediction − truth‖₂ / ‖truth‖₂` of each example in physical units, then the mean.
    RelativeL2: relative_l2,
}

/// What normalized values of the target are in physical units.
#[derive(Clone, Debug)]
struct Units {
    /// `mean / scale` of each channel: adding it to normalized values gives physical values over `scale`.
    offset: Vec<f32>,
    /// `scale` of each channel relative to the largest.
    scale: Vec<f32>,
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
            units: Units {
                offset: target.mean().iter().zip(target.scale()).map(|(m, s)| (m / s) as f32).collect(),
                scale: target.scale().iter().map(|s| (s / largest) as f32).collect(),
            },
        }
    }
}

/// The objective with what it takes to speak of physical units.
#[derive(Clone, Debug)]
pub struct Objective {
    config: ObjectiveConfig,
    units: Units,
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
        let value = self.config.evolution_loss.evaluate(prediction, truth, &self.units);
        LossTerm { name: "evolution_loss", weight: self.config.evolution_weight, value }
    }

    /// The term of reconstructions: the mean over pairs of what was decoded and what is true.
    pub fn reconstruction(&self, pairs: Vec<(Tensor<3>, Tensor<3>)>) -> Option<LossTerm> {
        let share = 1.0 / pairs.len().max(1) as f64;
        let losses = pairs
            .into_iter()
            .map(|(decoded, truth)| self.config.reconstruction_loss.evaluate(decoded, truth, &self.units));
        let sum = losses.reduce(|a, b| a + b)?;
        let value = if share < 1.0 { sum * share } else { sum };
        Some(LossTerm { name: "reconstruction_loss", weight: self.config.reconstruction_weight, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    /// Two examples by hand: channel 0 has mean 2 and scale 2 (offset 1), channel 1 mean 0 and scale 1.
    #[test]
    fn losses_match_hand_computed_values() {
        let normalizer = serde_json::from_str(r#"{"mean": [2.0, 0.0], "scale": [2.0, 1.0]}"#).unwrap();
        let units = ObjectiveConfig::default().init(&normalizer).units;
        let device = Device::flex();
        let truth = Tensor::<3>::from_floats([[[1.0, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 4.0]]], &device);
        let prediction =
            Tensor::<3>::from_floats([[[1.0, 2.0], [2.0, 0.0]], [[0.0, 0.0], [2.0, 4.0]]], &device);
        for loss in [LossKind::Mse, LossKind::RelativeL2] {
            let exact = match loss {
                LossKind::Mse => 1.0,
                // Physical over 2: truths (2, 1 | 1, 0) and (1, 1 | 0, 2); differences (0, 2 | 0, 0) and (0, 0 | 1, 0).
                LossKind::RelativeL2 => 0.5 * ((4.0f32 / 6.0).sqrt() + (1.0f32 / 6.0).sqrt()),
            };
            let value = loss.evaluate(prediction.clone(), truth.clone(), &units).into_scalar::<f32>();
            assert!((value - exact).abs() < 1e-6, "{loss:?}: {value} {exact}");
        }
    }
}
