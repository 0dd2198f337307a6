//! The Latent Neural Operator: points attend to a fixed number of modes and back, a transformer works on the modes.

pub mod config;
mod network;
mod places;

use super::prediction_loss;
use crate::error::{Error, Result};
use crate::loss::{LossTerm, Objective};
use crate::operator::{Batch, Operator, Reach, check_inputs};
use crate::parameters::{Named, NewValues, gradients, parameters, with_parameters};
use crate::problem::Problem;
use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use config::{LnoConfig, LnoQueries};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
pub use network::LnoNetwork;
use places::{Places, is_among};
use std::sync::Arc;

/// A Latent Neural Operator: its network and the problem it is for. Of a timed problem it learns one native interval.
#[derive(Clone, Debug)]
pub struct Lno {
    /// The learned parts.
    pub network: LnoNetwork,
    config: LnoConfig,
    problem: Problem,
    device: Device,
}

impl Lno {
    /// A new operator with random weights (seed the device first).
    ///
    /// # Errors
    /// A size of zero, or heads that do not divide the dimension.
    pub fn new(config: LnoConfig, problem: Problem, device: &Device) -> Result<Self> {
        problem.validate()?;
        config.validate()?;
        let network = LnoNetwork::new(&config, &problem, device);
        Ok(Self { network, config, problem, device: device.clone() })
    }

    /// Positions and values of all observations, `[R, D + p]`.
    fn observations(&self, contexts: &[Context], places: &Places) -> Tensor<2> {
        let (dim, channels) = (self.problem.domain.dim(), self.problem.source_channels);
        let mut flat = Vec::with_capacity(places.observed.n_features() * (dim + channels));
        for (context, rows) in contexts.iter().zip(places.observed.of_examples()) {
            let n = context.points.len();
            for (i, row) in rows.enumerate() {
                flat.extend_from_slice(&places.positions[row * dim..(row + 1) * dim]);
                flat.extend((0..channels).map(|channel| context.values[channel * n + i] as f32));
            }
        }
        let shape = [places.observed.n_features(), dim + channels];
        Tensor::from_data(TensorData::new(flat, shape), &self.device)
    }

    /// Refuses queries elsewhere than the observations, where the published form has none.
    fn check_queries(&self, contexts: &[Context], queries: &[Arc<Points>]) -> Result<()> {
        if self.config.queries == LnoQueries::Any {
            return Ok(());
        }
        let queries = queries.iter().cycle();
        match contexts.iter().zip(queries).find(|(context, query)| !is_among(query, &context.points)) {
            None => Ok(()),
            Some((context, query)) => Err(Error::Unsupported {
                model: "lno",
                reason: format!(
                    "with model.queries = \"observations\" it predicts at observed points only; of the {} query points some are \
                     not among the {} of the context. A model with queries = \"any\" predicts anywhere",
                    query.len(),
                    context.points.len()
                ),
            }),
        }
    }
}

impl Operator for Lno {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn reach(&self) -> Reach {
        if self.problem.times.is_some() { Reach::Step } else { Reach::Direct }
    }

    fn forward(
        &self,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>> {
        check_inputs(&self.problem, contexts, times, queries)?;
        self.check_queries(contexts, queries)?;
        let places = Places::new(contexts, queries);
        let positions = places.positions.clone();
        let dim = self.problem.domain.dim();
        let shape = [positions.len() / dim, dim];
        let positions = Tensor::from_data(TensorData::new(positions, shape), &self.device);
        let observations = self.observations(contexts, &places);
        let predicted = self.network.forward(positions, observations, &places.observed, &places.queried);
        let shape = [contexts.len(), queries[0].len(), self.problem.target_channels];
        Ok(predicted.reshape(shape).swap_dims(1, 2))
    }

    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        prediction_loss(self, batch, objective, &self.device)
    }

    fn parameters(&self) -> Vec<Named> {
        parameters(&self.network)
    }

    fn gradients(&self, computed: &mut Gradients) -> Vec<Named> {
        gradients(&self.network, computed)
    }

    fn set_parameters(&mut self, values: &mut NewValues) {
        self.network = with_parameters(self.network.clone(), values);
    }

    fn without_gradients(&self) -> Box<dyn Operator> {
        Box::new(Self {
            network: self.network.clone().valid(),
            device: self.device.clone().inner(),
            ..self.clone()
        })
    }
}
