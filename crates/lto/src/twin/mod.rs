//! The twin Ψ = decode ∘ evolve ∘ encode (Definition lto).

pub mod config;
pub mod decoder;
pub mod encoder;
pub mod evolution;
pub mod latent_grid;

use crate::error::Result;
use crate::interpolate::at_queries;
use crate::loss::{LossTerm, Objective};
use crate::operator::{Batch, Operator, check_inputs};
use crate::parameters::{Named, NewValues, gradients, parameters, with_parameters};
use crate::problem::Problem;
use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use config::{EncoderConfig, OutputForm, TwinConfig};
use decoder::Decoder;
use encoder::attention::{AttentionEncoder, AttentionEncoderConfig};
use encoder::setconv::{SetConvEncoder, SetConvEncoderConfig};
use evolution::Evolution;
use latent_grid::LatentGrid;
use lto_numerics::dataset::Context;
use lto_numerics::{Points, SetConv};
use std::sync::Arc;

/// An encoder.
#[derive(Module, Debug)]
pub enum Encoder {
    /// See [`EncoderConfig::SetConv`].
    SetConv(SetConvEncoder),
    /// See [`EncoderConfig::Attention`].
    Attention(AttentionEncoder),
}

/// The learned parts of a twin.
#[derive(Module, Debug)]
pub struct TwinNetwork {
    /// Observations → latent state.
    pub encoder: Encoder,
    /// Latent state at s → latent state at t.
    pub evolution: Evolution,
    /// Latent state → values at query points.
    pub decoder: Decoder,
}

/// A twin: its learned parts, its latent grid and the problem it is for.
#[derive(Clone, Debug)]
pub struct Twin {
    /// The learned parts.
    pub network: TwinNetwork,
    config: TwinConfig,
    problem: Problem,
    grid: LatentGrid,
    device: Device,
}

impl Twin {
    /// A new twin with random weights (seed the device first).
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    pub fn new(config: TwinConfig, problem: Problem, device: &Device) -> Result<Self> {
        problem.validate()?;
        config.validate(&problem)?;
        let (latent, dim, padding) =
            (config.latent_channels, problem.domain.dim(), config.padding(&problem.domain));
        let source_channels = problem.source_channels;
        let encoder = match config.encoder {
            EncoderConfig::SetConv { hidden, length_scale, density_floor, density } => {
                let length_scale = length_scale.resolve(&problem, config.latent_points);
                Encoder::SetConv(
                    SetConvEncoderConfig {
                        source_channels,
                        hidden,
                        latent,
                        length_scale,
                        density_floor,
                        density,
                        dim,
                        padding,
                    }
                    .init(device),
                )
            }
            EncoderConfig::Attention { width } => Encoder::Attention(
                AttentionEncoderConfig { source_channels, width, latent, dim, padding }.init(device),
            ),
        };
        let evolution = config.evolution.init(latent, dim, padding, problem.times.is_some(), device);
        let length_scale = config.decoder.length_scale.resolve(&problem, config.latent_points);
        let decoder =
            Decoder::new(latent, config.decoder.hidden, problem.target_channels, length_scale, device);
        let grid = LatentGrid::new(&problem.domain, config.latent_points)?;
        let network = TwinNetwork { encoder, evolution, decoder };
        Ok(Self { network, config, problem, grid, device: device.clone() })
    }

    /// The configuration.
    pub fn config(&self) -> &TwinConfig {
        &self.config
    }

    /// The latent grid.
    pub fn grid(&self) -> &LatentGrid {
        &self.grid
    }

    /// The set convolution of its encoder, as it is computed; `None` for other encoders.
    pub fn set_convolution(&self) -> Option<SetConv> {
        match &self.network.encoder {
            Encoder::SetConv(encoder) => encoder.set_convolution(),
            Encoder::Attention(_) => None,
        }
    }

    /// Encodes contexts of any sizes and placements, already checked by [`check_inputs`].
    ///
    /// # Shapes
    /// b contexts → `[b, k, n0, n1]`.
    pub fn encode(&self, contexts: &[Context]) -> Tensor<4> {
        match &self.network.encoder {
            Encoder::SetConv(encoder) => encoder.forward(contexts, &self.grid),
            Encoder::Attention(encoder) => encoder.forward(contexts, &self.grid, &self.device),
        }
    }

    /// Evolves latent states, each from its own time s straight to its own time t; steady problems ignore the times.
    ///
    /// # Shapes
    /// `z [b, k, n0, n1]`, b pairs `(s, t)` → as `z`.
    pub fn evolve(&self, z: Tensor<4>, times: &[(f64, f64)]) -> Tensor<4> {
        let fractions = self.problem.times.map(|[first, last]| {
            let fraction = |t: f64| ((t - first) / (last - first)) as f32;
            let flat: Vec<f32> = times.iter().flat_map(|&(s, t)| [fraction(s), fraction(t)]).collect();
            Tensor::<2>::from_data(TensorData::new(flat, [times.len(), 2]), &z.device())
        });
        self.network.evolution.forward(z, fractions)
    }

    /// Decodes latent states at query points, one set for all or one for each.
    ///
    /// # Shapes
    /// `z [b, k, n0, n1]`, M points → `[b, q, M]`.
    pub fn decode(&self, z: Tensor<4>, queries: &[Arc<Points>]) -> Tensor<3> {
        self.network.decoder.forward(z, &self.grid, queries)
    }

    /// The decoder's output as a prediction: itself, or the interpolated source plus `(t − s)/T` times it.
    fn output(
        &self,
        decoded: Tensor<3>,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>> {
        let (OutputForm::Residual, Some([first, last])) = (self.config.output, self.problem.times) else {
            return Ok(decoded);
        };
        let shape = decoded.dims();
        let source = at_queries(contexts, queries)?;
        let source = Tensor::<3>::from_data(TensorData::new(source, shape), &self.device);
        let steps: Vec<f32> = times.iter().map(|&(s, t)| ((t - s) / (last - first)) as f32).collect();
        let steps = Tensor::<3>::from_data(TensorData::new(steps, [shape[0], 1, 1]), &self.device);
        Ok(source + decoded * steps)
    }
}

impl Operator for Twin {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn forward(
        &self,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>> {
        check_inputs(&self.problem, contexts, times, queries)?;
        let z = self.evolve(self.encode(contexts), times);
        self.output(self.decode(z, queries), contexts, times, queries)
    }

    /// Evolution: decode ∘ evolve ∘ encode against the target. Reconstruction: decode ∘ encode against the source (and,
    /// for a steady problem, half of it against the target from its own observations). Both are decoded in one go.
    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        check_inputs(&self.problem, &batch.contexts, &batch.times, &batch.queries)?;
        let (b, q, m) = (batch.len(), self.problem.target_channels, batch.n_queries());
        let truth = |values: &[f32], p| {
            Tensor::<3>::from_data(TensorData::new(values.to_vec(), [b, p, m]), &self.device)
        };
        let config = &objective.config;
        let target = truth(&batch.target, q);
        let z = self.encode(&batch.contexts);
        let evolved = self.evolve(z.clone(), &batch.times);
        let mut terms = Vec::with_capacity(2);
        let mut evolution_term = |decoded: Tensor<3>| -> Result<()> {
            let prediction = self.output(decoded, &batch.contexts, &batch.times, &batch.queries)?;
            let value = objective.evaluate(config.evolution_loss, prediction, target.clone());
            terms.push(LossTerm { name: "evolution_loss", weight: config.evolution_weight, value });
            Ok(())
        };
        if config.reconstruction_weight == 0.0 {
            evolution_term(self.decode(evolved, &batch.queries))?;
            return Ok(terms);
        }
        let mut latents = vec![evolved, z];
        if !batch.target_contexts.is_empty() {
            latents.push(self.encode(&batch.target_contexts));
        }
        let n = latents.len();
        let queries: Vec<_> = match batch.queries.len() {
            1 => batch.queries.clone(),
            _ => std::iter::repeat_n(&batch.queries, n).flatten().cloned().collect(),
        };
        let decoded = self.decode(Tensor::cat(latents, 0), &queries);
        let part = |i: usize| decoded.clone().narrow(0, i * b, b);
        evolution_term(part(0))?;
        let source = truth(&batch.source, self.problem.source_channels);
        let mut value = objective.evaluate(config.reconstruction_loss, part(1), source);
        if n == 3 {
            value = (value + objective.evaluate(config.reconstruction_loss, part(2), target)) * 0.5;
        }
        terms.push(LossTerm { name: "reconstruction_loss", weight: config.reconstruction_weight, value });
        Ok(terms)
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

    fn set_convolution(&self) -> Option<SetConv> {
        Twin::set_convolution(self)
    }

    fn without_gradients(&self) -> Box<dyn Operator> {
        let network = self.network.clone().valid();
        let device = network.decoder.log_length_scale.val().device();
        Box::new(Self { network, device, ..self.clone() })
    }
}
