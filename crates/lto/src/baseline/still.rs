//! Operators that learn nothing and take no time: what was observed, carried to the query points.

use crate::error::{Error, Result};
use crate::operator::{Architecture, Operator, Seen, tensor};
use crate::problem::Problem;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::sync::Arc;

/// The state at the query points of one context, `[p, N]` → `[p, M]`.
pub(super) type Carry = fn(&Context, &Points) -> Result<Vec<f64>>;

/// The source state at the query points, whatever the times: no parameters.
#[derive(Module, Debug)]
pub(super) struct Still {
    #[module(skip)]
    name: &'static str,
    #[module(skip)]
    carry: Carry,
    #[module(skip)]
    problem: Problem,
    #[module(skip)]
    device: Device,
}

impl Still {
    /// An operator of a name that carries what is observed to the query points.
    pub fn operator(
        name: &'static str,
        carry: Carry,
        problem: &Problem,
        device: &Device,
    ) -> Arc<dyn Operator> {
        Arc::new(Self { name, carry, problem: problem.clone(), device: device.clone() })
    }
}

impl Architecture for Still {
    type Latent = ();

    fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Refuses problems whose target is not the source at another time.
    fn encode(&self, _contexts: &[Context]) -> Result<()> {
        let (p, q) = (self.problem.source_channels, self.problem.target_channels);
        let reason = match self.problem.times {
            None => "source and target of a steady problem are different quantities".to_string(),
            Some(_) if p != q => {
                format!("it takes one frame of {q} channels, the data give {p}; set data.history = 1")
            }
            Some(_) => return Ok(()),
        };
        Err(Error::Unsupported { model: self.name, reason })
    }

    fn decode(&self, seen: Seen<()>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let mut values = Vec::new();
        for (context, query) in seen.contexts.iter().zip(queries.iter().cycle()) {
            values.extend((self.carry)(context, query)?);
        }
        let shape = [seen.contexts.len(), self.problem.target_channels, queries[0].len()];
        Ok(tensor(&values, shape, &self.device))
    }
}
