//! Operators without parameters or evolution: the observations, carried to the query points.

use crate::error::{Error, Result};
use crate::operator::{Architecture, Operator, OperatorConfig, Seen, tensor};
use crate::problem::Problem;
use crate::size::{Size, points};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::sync::Arc;

/// A baseline without parameters: its name, and the state at the query points of one context, `[p, N]` → `[p, M]`.
#[derive(Clone, Copy, Debug)]
pub struct Still {
    pub(super) name: &'static str,
    pub(super) carry: fn(&Context, &Points) -> Result<Vec<f64>>,
}

/// The source state at the query points, whatever the times.
#[derive(Module, Debug)]
struct StillOperator {
    #[module(skip)]
    kind: Still,
    #[module(skip)]
    problem: Problem,
    #[module(skip)]
    device: Device,
}

impl OperatorConfig for Still {
    fn name(&self) -> &'static str {
        self.name
    }

    fn takes_calendar(&self) -> bool {
        true
    }

    fn takes_history(&self) -> bool {
        false
    }

    fn size(&self, problem: &Problem) -> Size {
        Size { weights: 0.0, layers: 0.0, state: points(problem) }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(StillOperator { kind: *self, problem: problem.clone(), device: device.clone() }))
    }
}

impl Architecture for StillOperator {
    type Latent = ();

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn takes_missing(&self) -> bool {
        true
    }

    fn encode(&self, _contexts: &[Context]) -> Result<()> {
        check_frame(&self.problem, self.kind.name)
    }

    fn decode(&self, seen: Seen<()>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let mut values = Vec::new();
        for (context, query) in seen.contexts.iter().zip(queries.iter().cycle()) {
            values.extend((self.kind.carry)(context, query)?);
        }
        let shape = [seen.contexts.len(), self.problem.target_channels, queries[0].len()];
        Ok(tensor(&values, shape, &self.device))
    }
}

/// Refuses problems whose target is not the source at another time.
///
/// # Errors
/// [`Error::Unsupported`] by the model of that name.
pub(super) fn check_frame(problem: &Problem, model: &'static str) -> Result<()> {
    let (p, q) = (problem.source_channels, problem.target_channels);
    let reason = match problem.times {
        None => "source and target of a steady problem are different quantities".to_string(),
        Some(_) if p != q => {
            format!("it takes one frame of {q} channels, but the data give {p}; set data.history = 1")
        }
        Some(_) => return Ok(()),
    };
    Err(Error::Unsupported { model, reason })
}
