//! The twin Ψ = decode ∘ evolve ∘ encode (Definition lto).

pub mod boundary;
pub mod config;
pub mod decoder;
pub mod encoder;
pub mod evolution;
pub mod gate;
pub mod latent_grid;
pub mod semigroup;
pub mod source;

use crate::device::{send, table};
use crate::error::Result;
use crate::interpolate::at_queries;
use crate::kernel::transport::transport;
use crate::loss::{LossTerm, Objective, Predicted};
use crate::operator::{Architecture, Batch, Operator, OperatorConfig, Seen, tensor};
use crate::parameters::Named;
use crate::problem::Problem;
use crate::size::{Size, chain};
use boundary::Boundary;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use config::{Interpolation, OutputForm, SourceEstimate, TwinConfig, refuse};
use decoder::Decoder;
use encoder::{Encode, Encoder};
use evolution::{Evolution, Evolve, LatentSpace};
use latent_grid::LatentGrid;
use lto_numerics::dataset::Context;
use lto_numerics::kriging::Kriging;
use lto_numerics::{Points, SetConv};
use semigroup::Semigroup;
use source::SourceFields;
use std::sync::Arc;

/// Largest displacement of a transport output that is of size one for the decoder, as a share of an axis.
pub const REACH: f64 = 0.2;

/// How far the logarithm of a deviation may be from that of the typical change: beyond, single precision tells nothing.
const LOG_DEVIATIONS: [f64; 2] = [-10.0, 5.0];

/// The learned parts of a twin.
#[derive(Module, Debug)]
pub struct TwinNetwork {
    /// Observations → latent state.
    pub encoder: Encoder,
    /// Latent state at s → latent state at t.
    pub evolution: Evolution,
    /// Latent state → values at query points.
    pub decoder: Decoder,
    /// What waves of the source do by themselves.
    pub semigroup: Option<Semigroup>,
}

/// A twin: its learned parts, its latent grid and its problem.
#[derive(Module, Debug)]
pub struct Twin {
    /// The learned parts.
    pub network: TwinNetwork,
    #[module(skip)]
    output: OutputForm,
    #[module(skip)]
    deviation: bool,
    #[module(skip)]
    needs_source: bool,
    /// What estimates each channel of a source best, if sources are estimated so.
    #[module(skip)]
    best_linear: Option<Arc<Vec<Kriging>>>,
    #[module(skip)]
    takes_missing: bool,
    /// The static fields on the latent grid, `[c, n0, n1]`; none if the problem has none.
    #[module(skip)]
    statics: Vec<f64>,
    #[module(skip)]
    boundary: Option<Boundary>,
    #[module(skip)]
    problem: Problem,
    #[module(skip)]
    grid: LatentGrid,
}

/// The state of b examples between encoding and decoding.
#[derive(Clone, Debug)]
pub struct TwinLatent {
    /// `[b, k, n0, n1]`.
    pub z: Tensor<4>,
    /// The estimated sources, if anything uses them.
    pub source: Option<SourceFields>,
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
        let grid = LatentGrid::new(&problem.domain, config.latent_points, config.latent_placement)?;
        let time_inputs = problem.time_inputs();
        let space = LatentSpace { channels: latent, dim, padding, axes: grid.axes(), time_inputs };
        let evolution = config.evolution.init(space, device);
        let length_scale = config.decoder.length_scale.resolve(problem, config.latent_points);
        let zero = config.output.moves();
        let statics = problem.measured.statics.as_ref();
        let n_statics = statics.map_or(0, |fields| fields.names.len());
        let widths =
            [latent + n_statics, config.decoder.hidden, config.decoder.hidden, config.decoded(problem)];
        let kernel = config.decoder.interpolation == Interpolation::Kernel;
        let decoder = Decoder::new(&widths, kernel.then_some(length_scale), zero, device);
        let semigroup = config.semigroup.map(|config| config.init(problem.source_channels, dim, device));
        let network = TwinNetwork { encoder, evolution, decoder, semigroup };
        let places = Points::grid(grid.grid().clone());
        let statics = statics.map(|fields| fields.at(&problem.domain, &places)).transpose()?;
        let best_linear = (config.source == SourceEstimate::BestLinear).then(|| {
            let each = problem.measured.covariances.iter();
            each.map(|covariance| Ok(Kriging::new(covariance, &problem.domain)?)).collect::<Result<Vec<_>>>()
        });
        Ok(Self {
            network,
            output: config.output,
            deviation: config.decoder.deviation,
            needs_source: config.needs_source(),
            best_linear: best_linear.transpose()?.map(Arc::new),
            takes_missing: config.encoder.takes_missing(),
            statics: statics.unwrap_or_default(),
            boundary: config.boundary,
            problem: problem.clone(),
            grid,
        })
    }

    /// The latent grid.
    pub fn grid(&self) -> &LatentGrid {
        &self.grid
    }

    /// The estimated sources, if anything uses them.
    fn source(&self, contexts: &[Context]) -> Result<Option<SourceFields>> {
        if self.best_linear.as_ref().is_some_and(|kriging| kriging.is_empty()) {
            let requirement = "needs the covariance of training data, which this model was not made with";
            refuse("source", "best_linear".into(), requirement)?;
        }
        let best_linear = self.best_linear.as_deref().map(Vec::as_slice);
        let fields = || SourceFields::new(contexts, &self.grid, best_linear, self.problem.target_channels);
        self.needs_source.then(fields).transpose()
    }

    /// What the decoder gives at query points, where it also sees the static fields.
    fn decoded(&self, z: Tensor<4>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let Some(fields) = &self.problem.measured.statics else {
            return Ok(self.network.decoder.forward(z, &self.grid, queries, None));
        };
        let (n, m) = (queries.len(), queries[0].len());
        let each = queries.iter().map(|query| fields.at(&self.problem.domain, query));
        let values = each.collect::<Result<Vec<_>>>()?.concat().into_iter().map(|value| value as f32);
        let statics = table(values.collect(), [n, fields.names.len(), m], &z.device());
        let statics = if n == 1 { statics.repeat_dim(0, z.dims()[0]) } else { statics };
        Ok(self.network.decoder.forward(z, &self.grid, queries, Some(statics)))
    }

    /// What was decoded apart from the deviations, which come first if there are any: log σ/c of every channel, with the typical
    /// change c over the lead.
    fn parted(&self, decoded: Tensor<3>) -> (Tensor<3>, Option<Tensor<3>>) {
        let (given, q) = (decoded.dims()[1], self.problem.target_channels);
        if !self.deviation {
            return (decoded, None);
        }
        let [least, most] = LOG_DEVIATIONS;
        (decoded.clone().narrow(1, q, given - q), Some(decoded.narrow(1, 0, q).clamp(least, most)))
    }

    /// What was decoded as a target state: with the values it has on the boundary.
    fn bounded(&self, decoded: Tensor<3>, queries: &[Arc<Points>]) -> Tensor<3> {
        match self.boundary {
            Some(boundary) => boundary.apply(decoded, queries),
            None => decoded,
        }
    }

    /// The leads as shares of the trained range.
    fn shares(&self, times: &[(f64, f64)]) -> Vec<f64> {
        let range = self.problem.times.map_or(1.0, |[first, last]| last - first);
        times.iter().map(|(s, t)| (t - s) / range).collect()
    }

    /// The decoder's output as a prediction, as [`OutputForm`] says; a [`Semigroup`] adds its change to the source.
    fn output(
        &self,
        decoded: Tensor<3>,
        contexts: &[Context],
        source: Option<&SourceFields>,
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>> {
        let ([b, given, m], device) = (decoded.dims(), decoded.device());
        let changes = self.problem.changes_over(times);
        let scaled = |decoded: Tensor<3>| decoded * tensor::<3>(&changes, [b, 1, 1], &device);
        let dim = self.problem.domain.dim();
        let part = |first: usize, n: usize| decoded.clone().narrow(1, first, n);
        let changed = |base: Tensor<3>| match (&self.network.semigroup, source) {
            (Some(semigroup), Some(source)) => {
                let source = source.on_grid(&self.grid, &device);
                base + semigroup.change(source, &self.shares(times), &self.grid, queries)
            }
            _ => base,
        };
        let persisting: Vec<f64> =
            times.iter().map(|(s, t)| self.problem.measured.persisting(t - s)).collect();
        let moved = |source: &SourceFields| {
            let moved = transport(scaled(part(0, dim)) * REACH, source.fields(), queries.to_vec());
            changed(if self.best_linear.is_some() {
                moved * tensor::<3>(&persisting, [b, 1, 1], &device)
            } else {
                moved
            })
        };
        match (self.output, source) {
            (OutputForm::Residual, _) => {
                let newest: Vec<Context> = contexts.iter().map(|context| context.newest(given)).collect();
                let source = send(at_queries(&newest, queries)?, [b, given, m], &device);
                Ok(changed(source) + scaled(decoded))
            }
            (OutputForm::Transport, Some(source)) => Ok(moved(source) + scaled(part(dim, given - dim))),
            (OutputForm::Gated, Some(source)) => {
                // The best linear estimate knows what it does not see.
                let freedom = match self.best_linear.is_some() {
                    true => tensor::<3>(&changes, [b, 1, 1], &device),
                    false => {
                        let freedom = gate::freedom(contexts, queries, &changes, self.grid.spacing())?;
                        tensor::<3>(&freedom, [b, 1, m], &device)
                    }
                };
                let (gate, rest) = (part(dim, 1), part(dim + 1, given - dim - 1));
                let moved = moved(source);
                Ok(moved.clone() + freedom * (rest - gate * moved))
            }
            _ => Ok(self.bounded(decoded, queries)),
        }
    }
}

impl Architecture for Twin {
    type Latent = TwinLatent;

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn takes_missing(&self) -> bool {
        self.takes_missing
    }

    /// Contexts may have any size and placement.
    fn encode(&self, contexts: &[Context]) -> Result<TwinLatent> {
        let source = self.source(contexts)?;
        let z = self.network.encoder.forward(contexts, source.as_ref(), &self.statics, &self.grid);
        Ok(TwinLatent { z, source })
    }

    /// Each state directly from its own time s to its own time t; steady problems ignore the times.
    fn evolve(&self, latent: &TwinLatent, times: &[(f64, f64)]) -> TwinLatent {
        let shape = [times.len(), self.problem.time_inputs()];
        let inputs = self.problem.times_as_inputs(times);
        let inputs = inputs.map(|flat| tensor::<2>(&flat, shape, &latent.z.device()));
        let z = self.network.evolution.forward(latent.z.clone(), inputs);
        TwinLatent { z, source: latent.source.clone() }
    }

    fn decode(&self, seen: Seen<TwinLatent>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let TwinLatent { z, source } = seen.latent;
        let (decoded, _) = self.parted(self.decoded(z.clone(), queries)?);
        self.output(decoded, seen.contexts, source.as_ref(), seen.times, queries)
    }

    /// The logarithms of the deviations that the decoder gives, if it does; else the latent state at the query points.
    fn features(&self, seen: Seen<TwinLatent>, queries: &[Arc<Points>]) -> Result<Option<Tensor<3>>> {
        if self.deviation {
            return Ok(self.parted(self.decoded(seen.latent.z.clone(), queries)?).1);
        }
        Ok(Some(self.network.decoder.latent(seen.latent.z.clone(), &self.grid, queries)))
    }

    /// Evolution: decode ∘ evolve ∘ encode against the target. Reconstruction: decode ∘ encode against the source (and,
    /// for a steady problem, half of it against the target from its own observations). Both are decoded
    /// together.
    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        let (b, m) = (batch.len(), batch.n_queries());
        let latent = Architecture::encode(self, &batch.contexts)?;
        let device = latent.z.device();
        let truth = |values: &[f64], channels| tensor::<3>(values, [b, channels, m], &device);
        let target = truth(&batch.target, self.problem.target_channels);
        let mut latents = vec![Architecture::evolve(self, &latent, &batch.times).z];
        if objective.reconstructs() {
            latents.push(latent.z);
            if !batch.target_contexts.is_empty() {
                latents.push(Architecture::encode(self, &batch.target_contexts)?.z);
            }
        }
        let n = latents.len();
        let queries: Vec<_> = match batch.queries.len() {
            1 => batch.queries.clone(),
            _ => std::iter::repeat_n(&batch.queries, n).flatten().cloned().collect(),
        };
        let latents = if n == 1 { latents.swap_remove(0) } else { Tensor::cat(latents, 0) };
        let decoded = self.decoded(latents, &queries)?;
        let part = |i: usize| decoded.clone().narrow(0, i * b, b);
        let forecast = if n == 1 { decoded.clone() } else { part(0) };
        let source = latent.source.as_ref();
        let (forecast, log_deviation) = self.parted(forecast);
        let mean = self.output(forecast, &batch.contexts, source, &batch.times, &batch.queries)?;
        let changes = self.problem.changes_over(&batch.times);
        let deviation = log_deviation.map(|log| log.exp() * tensor::<3>(&changes, [b, 1, 1], &device));
        let forecast = Predicted { mean, deviation };
        let mut terms = vec![objective.evolution(forecast, target.clone(), &batch.queries, &changes)?];
        let mut reconstructed = Vec::new();
        // Whatever a decoder gives ends with a field.
        let field = |decoded: Tensor<3>| {
            let (given, q) = (decoded.dims()[1], self.problem.target_channels);
            if given == q { decoded } else { decoded.narrow(1, given - q, q) }
        };
        if n > 1 {
            // A steady source is another kind of state than the target.
            let steady = self.problem.times.is_none();
            let source = field(part(1));
            let source = if steady { source } else { self.bounded(source, &batch.queries) };
            reconstructed.push((source, truth(&batch.source, self.problem.source_channels)));
        }
        if n > 2 {
            reconstructed.push((self.bounded(field(part(2)), &batch.queries), target));
        }
        terms.extend(objective.reconstruction(reconstructed, &batch.queries)?);
        Ok(terms)
    }

    /// A complex weight of a spectral convolution counts once, as in the published counts.
    fn count(&self, parameter: &Named) -> usize {
        if parameter.name.ends_with(".imaginary") { 0 } else { parameter.values.len() }
    }

    fn set_convolution(&self, points: &Points) -> Option<SetConv> {
        self.network.encoder.set_convolution(points)
    }
}

impl OperatorConfig for TwinConfig {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn takes_calendar(&self) -> bool {
        true
    }

    fn needs_covariance(&self) -> bool {
        self.source == SourceEstimate::BestLinear
    }

    fn max_step(&self) -> Option<f64> {
        self.max_step
    }

    fn keeps_zero(&self) -> bool {
        self.boundary.is_some()
    }

    fn size(&self, problem: &Problem) -> Size {
        let (k, dim) = (self.latent_channels, problem.domain.dim());
        let (p, q) = (problem.source_channels, self.decoded(problem));
        let taps = if dim == 2 { 25.0 } else { 5.0 };
        let encoder = self.encoder.weights(p, k, taps);
        let (width, evolution, depth) = self.evolution.size(k, dim);
        let semigroup = self.semigroup.map_or(0.0, |semigroup| semigroup.weights(p, dim));
        let d = self.decoder.hidden;
        Size {
            weights: encoder + evolution + chain([k, d, d, q]) + semigroup,
            layers: 6.0 + depth,
            state: (self.latent_points as f64).powi(dim as i32) * width as f64,
        }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(Twin::new(self, problem, device)?))
    }
}
