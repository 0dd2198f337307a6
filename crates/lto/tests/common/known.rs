//! An operator whose answers are known: a formula of the frames and times it is given.

use lto::data::Data;
use lto::loss::{LossTerm, Objective};
use lto::model::{Model, ModelConfig};
use lto::operator::{Batch, Operator, Reach};
use lto::parameters::{Named, NewValues};
use lto::problem::Problem;
use lto::{Device, Error, Result};
use lto_numerics::Points;
use lto_numerics::dataset::{Context, Normalizer};
use std::sync::Arc;

/// The value at a point from those of the frames there, oldest first, and `(s, t)`.
pub type Formula = fn(&[f64], (f64, f64)) -> f64;

/// Applies a formula where the query is the context.
struct Known {
    problem: Problem,
    reach: Reach,
    formula: Formula,
}

/// A model of the formula for data with so many frames in a source.
pub fn known(data: &Data, reach: Reach, formula: Formula) -> Model {
    let problem = data.problem();
    let identity = |channels| Normalizer::identity(channels);
    let normalizers = (identity(problem.source_channels), identity(problem.target_channels));
    let operator = Known { problem, reach, formula };
    Model::new(data.card(ModelConfig::Persistence, normalizers), Box::new(operator))
}

impl Operator for Known {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn reach(&self) -> Reach {
        self.reach
    }

    fn forward(
        &self,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<burn::tensor::Tensor<3>> {
        let mut values = Vec::new();
        for (context, times) in contexts.iter().zip(times) {
            if context.points != *queries[0] {
                let reason = "the query must be the context".into();
                return Err(Error::Unsupported { model: "known", reason });
            }
            let n = context.points.len();
            let frames = |i: usize| context.values.iter().skip(i).step_by(n).copied().collect::<Vec<_>>();
            values.extend((0..n).map(|i| (self.formula)(&frames(i), *times) as f32));
        }
        let data = burn::tensor::TensorData::new(values, [contexts.len(), 1, queries[0].len()]);
        Ok(burn::tensor::Tensor::from_data(data, &Device::flex()))
    }

    fn loss_terms(&self, _batch: &Batch, _objective: &Objective) -> Result<Vec<LossTerm>> {
        Ok(Vec::new())
    }

    fn parameters(&self) -> Vec<Named> {
        Vec::new()
    }

    fn gradients(&self, _gradients: &mut burn::tensor::Gradients) -> Vec<Named> {
        Vec::new()
    }

    fn set_parameters(&mut self, _values: &mut NewValues) {}

    fn without_gradients(&self) -> Box<dyn Operator> {
        Box::new(Self { problem: self.problem.clone(), reach: self.reach, formula: self.formula })
    }
}
