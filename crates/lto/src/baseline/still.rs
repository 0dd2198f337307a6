//! Operators that learn nothing and take no time: what was observed, carried to the query points.

use super::prediction_loss;
use crate::error::{Error, Result};
use crate::loss::{LossTerm, Objective};
use crate::operator::{Batch, Operator, check_inputs};
use crate::parameters::{Named, NewValues};
use crate::problem::Problem;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::sync::Arc;

/// The state at the query points of one context, `[p, M]`.
pub type Carry = fn(&Context, &Points) -> Result<Vec<f64>>;

/// The source state at the query points, whatever the times: no parameters.
#[derive(Clone)]
pub struct Still {
    name: &'static str,
    carry: Carry,
    problem: Problem,
    device: Device,
}

impl Still {
    /// An operator of a name that carries what is observed to the query points.
    pub fn new(name: &'static str, carry: Carry, problem: &Problem, device: &Device) -> Self {
        Self { name, carry, problem: problem.clone(), device: device.clone() }
    }

    /// Refuses problems whose target is not the source at another time.
    fn check_problem(&self) -> Result<()> {
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
}

impl Operator for Still {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn forward(
        &self,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>> {
        self.check_problem()?;
        check_inputs(&self.problem, contexts, times, queries)?;
        let mut values: Vec<f32> = Vec::new();
        for (i, context) in contexts.iter().enumerate() {
            let query = &queries[if queries.len() == 1 { 0 } else { i }];
            values.extend((self.carry)(context, query)?.into_iter().map(|v| v as f32));
        }
        let shape = [contexts.len(), self.problem.target_channels, queries[0].len()];
        Ok(Tensor::from_data(TensorData::new(values, shape), &self.device))
    }

    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        prediction_loss(self, batch, objective, &self.device)
    }

    fn parameters(&self) -> Vec<Named> {
        Vec::new()
    }

    fn gradients(&self, _gradients: &mut Gradients) -> Vec<Named> {
        Vec::new()
    }

    fn set_parameters(&mut self, _values: &mut NewValues) {}

    fn without_gradients(&self) -> Box<dyn Operator> {
        Box::new(self.clone())
    }
}
