//! An operator whose answers are known: a formula of the frames and times it is given.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use lto::data::Data;
use lto::model::{Model, ModelConfig};
use lto::operator::{Architecture, Reach, Seen, tensor};
use lto::problem::Problem;
use lto::{Error, Result};
use lto_numerics::Points;
use lto_numerics::dataset::{Context, Normalizer};
use std::sync::Arc;

/// The value at a point from those of the frames there, oldest first, and `(s, t)`.
pub type Formula = fn(&[f64], (f64, f64)) -> f64;

/// Applies a formula where the query is the context.
#[derive(Module, Debug)]
struct Known {
    #[module(skip)]
    problem: Problem,
    #[module(skip)]
    reach: Reach,
    #[module(skip)]
    formula: Formula,
}

/// A model of the formula for data with so many frames in a source.
pub fn known(data: &Data, reach: Reach, formula: Formula) -> Model {
    let problem = data.problem();
    let identity = |channels| Normalizer::identity(channels);
    let normalizers = (identity(problem.source_channels), identity(problem.target_channels));
    let operator = Known { problem, reach, formula };
    Model::of(data.card(ModelConfig::Persistence, normalizers), Arc::new(operator))
}

impl Architecture for Known {
    type Latent = ();

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn reach(&self) -> Reach {
        self.reach
    }

    fn encode(&self, _contexts: &[Context]) -> Result<()> {
        Ok(())
    }

    fn decode(&self, seen: Seen<()>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let mut values = Vec::new();
        for (context, times) in seen.contexts.iter().zip(seen.times) {
            if context.points != *queries[0] {
                let reason = "the query must be the context".into();
                return Err(Error::Unsupported { model: "known", reason });
            }
            let n = context.points.len();
            let frames = |i: usize| context.values.iter().skip(i).step_by(n).copied().collect::<Vec<_>>();
            values.extend((0..n).map(|i| (self.formula)(&frames(i), *times)));
        }
        Ok(tensor(&values, [seen.contexts.len(), 1, queries[0].len()], &Device::flex()))
    }
}
