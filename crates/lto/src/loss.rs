//! The terms of the training objective (Eq. total-loss).

mod crps;
mod mse;
mod relative_h1;
mod relative_l2;

use crate::device::{fetch, send, table};
use crate::error::Result;
use burn::tensor::{Device, Tensor};
use lto_numerics::Points;
use lto_numerics::dataset::Normalizer;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The least change, in deviations, that errors are measured in units of: over no lead at all nothing changes.
const LEAST_CHANGE: f64 = 1e-3;

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
            /// The loss `[1]` of predictions, both `[b, q, M]` in normalized units, at one or b sets of M points.
            fn evaluate(self, compared: Compared, units: &Units, queries: &[Arc<Points>]) -> Result<Tensor<1>> {
                match self {
                    $(LossKind::$kind => $name::$name(compared, units, queries),)+
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
    /// The relative L2 error plus 0.2 times that of the slopes between neighbors, on a whole grid.
    RelativeH1: relative_h1,
    /// The score of the normal distribution that a decoder with `deviation` gives; the mean of absolute differences of a model
    /// without, in normalized units.
    Crps: crps,
}

impl LossKind {
    /// How much a part of a batch counts in the loss of the whole: by its known values, or by its examples.
    fn weight(self, target: &[f64], examples: usize) -> usize {
        match self {
            LossKind::Mse | LossKind::Crps => target.iter().filter(|value| !value.is_nan()).count(),
            LossKind::RelativeL2 | LossKind::RelativeH1 => examples,
        }
    }

    /// Whether it compares neighbors, and so needs a whole grid.
    pub fn needs_grid(self) -> bool {
        self == LossKind::RelativeH1
    }
}

/// A prediction, with its deviation if the model gives one: `[b, q, M]` in normalized units.
#[derive(Clone, Debug)]
pub struct Predicted {
    /// The prediction.
    pub mean: Tensor<3>,
    /// How far it may be off.
    pub deviation: Option<Tensor<3>>,
}

impl From<Tensor<3>> for Predicted {
    fn from(mean: Tensor<3>) -> Self {
        Self { mean, deviation: None }
    }
}

/// Predictions and what is true, both `[b, q, M]`.
struct Compared {
    prediction: Tensor<3>,
    truth: Tensor<3>,
    deviation: Option<Tensor<3>>,
    /// 1 where the truth is known, 0 where it is not; both are zero there. `None` if it is known everywhere.
    known: Option<Tensor<3>>,
}

impl Compared {
    /// NaN marks truth that is not known.
    fn new(Predicted { mean: prediction, deviation }: Predicted, truth: Tensor<3>) -> Self {
        let unknown = truth.clone().is_nan();
        if fetch(unknown.clone().any().float()) == [0.0] {
            return Self { prediction, truth, deviation, known: None };
        }
        let known = unknown.clone().bool_not().float();
        Self {
            prediction: prediction.mask_fill(unknown.clone(), 0.0),
            truth: truth.mask_fill(unknown, 0.0),
            deviation,
            known: Some(known),
        }
    }
}

/// What normalized values of the target are in physical units.
#[derive(Clone, Debug)]
struct Units {
    /// `mean / scale` of each channel: adding it to normalized values gives physical values over `scale`.
    offset: Vec<f32>,
    /// `scale` of each channel relative to the largest.
    scale: Vec<f32>,
}

impl Units {
    /// `[1, q, 1]`.
    fn scale(&self, device: &Device) -> Tensor<3> {
        table(self.scale.clone(), [1, self.scale.len(), 1], device)
    }

    /// `[1, q, 1]`.
    fn offset(&self, device: &Device) -> Tensor<3> {
        table(self.offset.clone(), [1, self.offset.len(), 1], device)
    }
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
    /// Compare forecasts in units of the typical change over their lead, so that short leads count as much as long ones;
    /// with `mse` and `crps`, since relative errors have no units.
    pub per_lead: bool,
}

impl Default for ObjectiveConfig {
    fn default() -> Self {
        Self {
            evolution_weight: 1.0,
            reconstruction_weight: 1.0,
            evolution_loss: LossKind::Mse,
            reconstruction_loss: LossKind::Mse,
            per_lead: false,
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
    /// How much examples with these target values, NaN where unknown, count in the loss of a larger batch: the loss of the whole
    /// is the mean of the losses of its parts, weighted so.
    pub fn weight(&self, target: &[f64], examples: usize) -> usize {
        self.config.evolution_loss.weight(target, examples)
    }

    /// Whether reconstructions are part of it.
    pub fn reconstructs(&self) -> bool {
        self.config.reconstruction_weight > 0.0
    }

    /// The term of a forecast against the target, both `[b, q, M]` in normalized units, at one or b sets of M points, over
    /// what is known of the target (NaN where it is not);
    /// `changes` are the typical ones over the leads of the b examples.
    ///
    /// # Errors
    /// Points that the loss cannot compare at.
    pub fn evolution(
        &self,
        prediction: impl Into<Predicted>,
        mut truth: Tensor<3>,
        queries: &[Arc<Points>],
        changes: &[f64],
    ) -> Result<LossTerm> {
        let mut prediction = prediction.into();
        if self.config.per_lead {
            let units = changes.iter().map(|c| c.max(LEAST_CHANGE).recip() as f32).collect();
            let units = send(units, [changes.len(), 1, 1], &truth.device());
            prediction.mean = prediction.mean * units.clone();
            prediction.deviation = prediction.deviation.map(|deviation| deviation * units.clone());
            truth = truth * units;
        }
        let compared = Compared::new(prediction, truth);
        let value = self.config.evolution_loss.evaluate(compared, &self.units, queries)?;
        Ok(LossTerm { name: "evolution_loss", weight: self.config.evolution_weight, value })
    }

    /// The term of reconstructions: the mean over pairs of what was decoded and what is true; `None` without any.
    ///
    /// # Errors
    /// As [`Objective::evolution`].
    pub fn reconstruction(
        &self,
        pairs: Vec<(Tensor<3>, Tensor<3>)>,
        queries: &[Arc<Points>],
    ) -> Result<Option<LossTerm>> {
        let (share, loss) = (1.0 / pairs.len().max(1) as f64, self.config.reconstruction_loss);
        let mut sum: Option<Tensor<1>> = None;
        for (decoded, truth) in pairs {
            let value = loss.evaluate(Compared::new(decoded.into(), truth), &self.units, queries)?;
            sum = Some(sum.map_or(value.clone(), |sum| sum + value));
        }
        let weight = self.config.reconstruction_weight;
        Ok(sum.map(|sum| {
            let value = if share < 1.0 { sum * share } else { sum };
            LossTerm { name: "reconstruction_loss", weight, value }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Domain, Grid, Placement};

    /// Two examples by hand: channel 0 has mean 2 and scale 2 (offset 1), channel 1 mean 0 and scale 1.
    #[test]
    fn losses_match_hand_computed_values() {
        let normalizer = serde_json::from_str(r#"{"mean": [2.0, 0.0], "scale": [2.0, 1.0]}"#).unwrap();
        let units = ObjectiveConfig::default().init(&normalizer).units;
        let device = Device::flex();
        let truth = Tensor::<3>::from_floats([[[1.0, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 4.0]]], &device);
        let prediction =
            Tensor::<3>::from_floats([[[1.0, 2.0], [2.0, 0.0]], [[0.0, 0.0], [2.0, 4.0]]], &device);
        let grid = Grid::cubic(Domain::unit(1, false).unwrap(), 2, Placement::Vertex).unwrap();
        let queries = [Arc::new(Points::grid(grid))];
        // Physical over 2: truths (2, 1 | 1, 0) and (1, 1 | 0, 2); differences (0, 2 | 0, 0) and (0, 0 | 1, 0).
        let relative_l2 = 0.5 * ((4.0f32 / 6.0).sqrt() + (1.0f32 / 6.0).sqrt());
        for loss in [LossKind::Mse, LossKind::RelativeL2, LossKind::RelativeH1, LossKind::Crps] {
            let exact = match loss {
                LossKind::Mse => 1.0,
                LossKind::RelativeL2 => relative_l2,
                LossKind::Crps => 0.5,
                // Slopes of the truths (−1 | −1) and (0 | 2), of the differences (2 | 0) and (0 | −1).
                LossKind::RelativeH1 => relative_l2 + 0.2 * 0.5 * (2.0f32.sqrt() + 0.5),
            };
            let compared = || Compared::new(prediction.clone().into(), truth.clone());
            let value = loss.evaluate(compared(), &units, &queries).unwrap();
            let value = value.into_scalar::<f32>();
            assert!((value - exact).abs() < 1e-6, "{loss:?}: {value} {exact}");
        }
    }

    /// The second example lacks one value: a mean over the seven others, and no gradient where nothing is known.
    #[test]
    fn losses_are_over_what_is_known() {
        let normalizer = serde_json::from_str(r#"{"mean": [0.0], "scale": [1.0]}"#).unwrap();
        let units = ObjectiveConfig::default().init(&normalizer).units;
        let device = Device::flex().autodiff();
        let truth = Tensor::<3>::from_floats([[[1.0, 2.0]], [[3.0, f32::NAN]]], &device);
        let prediction = Tensor::<3>::from_floats([[[1.0, 4.0]], [[0.0, 9.0]]], &device).require_grad();
        let grid = Grid::cubic(Domain::unit(1, false).unwrap(), 2, Placement::Vertex).unwrap();
        let queries = [Arc::new(Points::grid(grid))];
        for (loss, exact) in [
            (LossKind::Mse, (4.0 + 9.0) / 3.0),
            (LossKind::RelativeL2, 0.5 * (2.0 / 5.0f32.sqrt() + 1.0)),
            (LossKind::Crps, (2.0 + 3.0) / 3.0),
        ] {
            let compared = Compared::new(prediction.clone().into(), truth.clone());
            let value = loss.evaluate(compared, &units, &queries).unwrap();
            let gradients = prediction.grad(&value.backward()).unwrap();
            let gradients: Vec<f32> = gradients.into_data().iter::<f32>().collect();
            let value = value.into_scalar::<f32>();
            assert!((value - exact).abs() < 1e-6, "{loss:?}: {value} {exact}");
            assert!(gradients[3] == 0.0 && gradients[1] > 0.0 && gradients[2] < 0.0, "{gradients:?}");
        }
        let compared = Compared::new(prediction.into(), truth);
        let refused = LossKind::RelativeH1.evaluate(compared, &units, &queries).unwrap_err().to_string();
        assert!(refused.contains("relative_h1"), "{refused}");
    }
}
