//! The twin Ψ = decode ∘ evolve ∘ encode (Definition lto).

pub mod boundary;
pub mod config;
pub mod decoder;
pub mod encoder;
pub mod evolution;
pub mod latent_grid;

use crate::error::Result;
use crate::interpolate::at_queries;
use crate::loss::{LossTerm, Objective};
use crate::operator::{Architecture, Batch, Operator, OperatorConfig, Seen, tensor};
use crate::problem::Problem;
use crate::size::{Size, chain};
use boundary::Boundary;
use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use config::{OutputForm, TwinConfig};
use decoder::Decoder;
use encoder::{Encode, Encoder};
use evolution::{Evolution, Evolve, LatentSpace};
use latent_grid::LatentGrid;
use lto_numerics::dataset::Context;
use lto_numerics::{Points, SetConv};
use std::sync::Arc;

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

/// A twin: its learned parts, its latent grid and its problem.
#[derive(Module, Debug)]
pub struct Twin {
    /// The learned parts.
    pub network: TwinNetwork,
    #[module(skip)]
    output: OutputForm,
    #[module(skip)]
    boundary: Option<Boundary>,
    #[module(skip)]
    problem: Problem,
    #[module(skip)]
    grid: LatentGrid,
}

impl Twin {
    /// A new twin with random weights (seed the device first).
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    pub fn new(config: &TwinConfig, problem: &Problem, device: &Device) -> Result<Self> {
        problem.validate()?;
        config.validate(problem)?;
        let (latent, dim, padding) =
            (config.latent_channels, problem.domain.dim(), config.padding(&problem.domain));
        let encoder = config.encoder.init(config, problem, device);
        let grid = LatentGrid::new(&problem.domain, config.latent_points)?;
        let timed = problem.times.is_some();
        let space = LatentSpace { channels: latent, dim, padding, axes: grid.axes(), timed };
        let evolution = config.evolution.init(space, device);
        let length_scale = config.decoder.length_scale.resolve(problem, config.latent_points);
        let decoder =
            Decoder::new(latent, config.decoder.hidden, problem.target_channels, length_scale, device);
        let network = TwinNetwork { encoder, evolution, decoder };
        let (output, boundary) = (config.output, config.boundary);
        Ok(Self { network, output, boundary, problem: problem.clone(), grid })
    }

    /// The latent grid.
    pub fn grid(&self) -> &LatentGrid {
        &self.grid
    }

    /// What was decoded as a target state: with the values it has on the boundary.
    fn bounded(&self, decoded: Tensor<3>, queries: &[Arc<Points>]) -> Tensor<3> {
        match self.boundary {
            Some(boundary) => boundary.apply(decoded, queries),
            None => decoded,
        }
    }

    /// The decoder's output as a prediction: itself, or the interpolated source plus `(t − s)/T` times it.
    fn output(
        &self,
        decoded: Tensor<3>,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>> {
        let (OutputForm::Residual, Some([first, last])) = (self.output, self.problem.times) else {
            return Ok(self.bounded(decoded, queries));
        };
        let (shape, device) = (decoded.dims(), decoded.device());
        let source = TensorData::new(at_queries(contexts, queries)?, shape);
        let steps: Vec<f64> = times.iter().map(|&(s, t)| (t - s) / (last - first)).collect();
        let steps = tensor::<3>(&steps, [shape[0], 1, 1], &device);
        Ok(Tensor::from_data(source, &device) + decoded * steps)
    }
}

impl Architecture for Twin {
    /// `[b, k, n0, n1]`.
    type Latent = Tensor<4>;

    fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Contexts may have any size and placement.
    fn encode(&self, contexts: &[Context]) -> Result<Tensor<4>> {
        Ok(self.network.encoder.forward(contexts, &self.grid))
    }

    /// Each state directly from its own time s to its own time t; steady problems ignore the times.
    fn evolve(&self, z: &Tensor<4>, times: &[(f64, f64)]) -> Tensor<4> {
        let fractions = self.problem.times.map(|[first, last]| {
            let fraction = |t: f64| (t - first) / (last - first);
            let flat: Vec<f64> = times.iter().flat_map(|&(s, t)| [fraction(s), fraction(t)]).collect();
            tensor::<2>(&flat, [times.len(), 2], &z.device())
        });
        self.network.evolution.forward(z.clone(), fractions)
    }

    fn decode(&self, seen: Seen<Tensor<4>>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let decoded = self.network.decoder.forward(seen.latent.clone(), &self.grid, queries);
        self.output(decoded, seen.contexts, seen.times, queries)
    }

    /// Evolution: decode ∘ evolve ∘ encode against the target. Reconstruction: decode ∘ encode against the source (and,
    /// for a steady problem, half of it against the target from its own observations). Both are decoded
    /// together.
    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        let (b, m) = (batch.len(), batch.n_queries());
        let z = Architecture::encode(self, &batch.contexts)?;
        let device = z.device();
        let truth = |values: &[f64], channels| tensor::<3>(values, [b, channels, m], &device);
        let target = truth(&batch.target, self.problem.target_channels);
        let mut latents = vec![Architecture::evolve(self, &z, &batch.times)];
        if objective.reconstructs() {
            latents.push(z);
            if !batch.target_contexts.is_empty() {
                latents.push(Architecture::encode(self, &batch.target_contexts)?);
            }
        }
        let n = latents.len();
        let queries: Vec<_> = match batch.queries.len() {
            1 => batch.queries.clone(),
            _ => std::iter::repeat_n(&batch.queries, n).flatten().cloned().collect(),
        };
        let latents = if n == 1 { latents.swap_remove(0) } else { Tensor::cat(latents, 0) };
        let decoded = self.network.decoder.forward(latents, &self.grid, &queries);
        let part = |i: usize| decoded.clone().narrow(0, i * b, b);
        let forecast = if n == 1 { decoded.clone() } else { part(0) };
        let forecast = self.output(forecast, &batch.contexts, &batch.times, &batch.queries)?;
        let mut terms = vec![objective.evolution(forecast, target.clone(), &batch.queries)?];
        let mut reconstructed = Vec::new();
        if n > 1 {
            // A steady source is another kind of state than the target.
            let steady = self.problem.times.is_none();
            let source = if steady { part(1) } else { self.bounded(part(1), &batch.queries) };
            reconstructed.push((source, truth(&batch.source, self.problem.source_channels)));
        }
        if n > 2 {
            reconstructed.push((self.bounded(part(2), &batch.queries), target));
        }
        terms.extend(objective.reconstruction(reconstructed, &batch.queries)?);
        Ok(terms)
    }

    fn set_convolution(&self) -> Option<SetConv> {
        self.network.encoder.set_convolution()
    }
}

impl OperatorConfig for TwinConfig {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn takes_history(&self) -> bool {
        false
    }

    fn keeps_zero(&self) -> bool {
        self.boundary.is_some()
    }

    fn size(&self, problem: &Problem) -> Size {
        let (k, dim) = (self.latent_channels, problem.domain.dim());
        let (p, q) = (problem.source_channels, problem.target_channels);
        let taps = if dim == 2 { 25.0 } else { 5.0 };
        let encoder = self.encoder.weights(p, k, taps);
        let (width, evolution, depth) = self.evolution.size(k, dim);
        let d = self.decoder.hidden;
        Size {
            weights: encoder + evolution + chain([k, d, d, q]),
            layers: 6.0 + depth,
            state: (self.latent_points as f64).powi(dim as i32) * width as f64,
        }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(Twin::new(self, problem, device)?))
    }
}
