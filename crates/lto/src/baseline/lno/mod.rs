//! The Latent Neural Operator: points attend to a fixed number of modes and back, a transformer works on the modes.

pub mod config;
mod network;
mod places;

use crate::device::{send, table};
use crate::error::{Error, Result};
use crate::operator::{Architecture, Operator, OperatorConfig, Reach, Seen};
use crate::parameters::device_of;
use crate::problem::Problem;
use crate::size::{Size, chain, points};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use config::{LnoConfig, LnoQueries};
use lto_numerics::Points;
use lto_numerics::dataset::Context;
pub use network::LnoNetwork;
use places::{Places, is_among};
use std::ops::Range;
use std::sync::Arc;

/// A Latent Neural Operator: its network and its problem. For a timed problem it learns one native interval.
#[derive(Module, Debug)]
pub struct Lno {
    /// The learned parts.
    pub network: LnoNetwork,
    #[module(skip)]
    queries: LnoQueries,
    #[module(skip)]
    problem: Problem,
}

/// The modes of b examples, and the scores of the observed points, which usually are also queried.
#[derive(Clone)]
pub struct LnoLatent {
    /// `[b, modes, dim]`.
    z: Tensor<3>,
    places: Places,
    /// `[S, modes]`.
    scores: Tensor<2>,
}

impl Lno {
    /// A new operator with random weights (seed the device first).
    ///
    /// # Errors
    /// A size of zero, or heads that do not divide the dimension.
    pub fn new(config: &LnoConfig, problem: &Problem, device: &Device) -> Result<Self> {
        problem.validate()?;
        config.validate()?;
        let network = LnoNetwork::new(config, problem, device);
        Ok(Self { network, queries: config.queries, problem: problem.clone() })
    }

    /// Where points are, `[S, D]`.
    fn positions(&self, places: &Places, first: usize) -> Tensor<2> {
        let (values, dim) = (places.positions(first), self.problem.domain.dim());
        let rows = values.len() / dim;
        table(values, [rows, dim], &device_of(&self.network))
    }

    /// Refuses queries away from the observations, which the published form cannot answer.
    fn check_queries(&self, contexts: &[Context], queries: &[Arc<Points>]) -> Result<()> {
        if self.queries == LnoQueries::Any {
            return Ok(());
        }
        let queries = queries.iter().cycle();
        match contexts.iter().zip(queries).find(|(context, query)| !is_among(query, &context.points)) {
            None => Ok(()),
            Some((context, query)) => Err(Error::Unsupported {
                model: "lno",
                reason: format!(
                    "with model.queries = \"observations\" it predicts only at observed points; some of the \
                     {} query points are not among the {} of the context. A model with queries = \"any\" \
                     predicts anywhere",
                    query.len(),
                    context.points.len()
                ),
            }),
        }
    }
}

impl Architecture for Lno {
    type Latent = LnoLatent;

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn reach(&self) -> Reach {
        if self.problem.times.is_some() { Reach::Step } else { Reach::Direct }
    }

    fn encode(&self, contexts: &[Context]) -> Result<LnoLatent> {
        let channels = self.problem.source_channels;
        let mut places = Places::default();
        let of_example = contexts.iter().map(|context| places.add(&context.points)).collect();
        let (observed, positions) = (places.of_examples(of_example), self.positions(&places, 0));
        let mut values = Vec::with_capacity(observed.n_features() * channels);
        for context in contexts {
            let n = context.points.len();
            let point = |i: usize| context.values.iter().skip(i).step_by(n).map(|&value| value as f32);
            (0..n).for_each(|i| values.extend(point(i)));
        }
        let values = send(values, [observed.n_features(), channels], &positions.device());
        let places_of = |rows: Range<usize>| positions.clone().narrow(0, rows.start, rows.len());
        let observations =
            Tensor::cat(vec![Tensor::cat(observed.of_examples().map(places_of).collect(), 0), values], 1);
        let scores = self.network.scores(positions);
        let z = self.network.encode(scores.clone(), observations, &observed);
        Ok(LnoLatent { z, places, scores })
    }

    fn decode(&self, seen: Seen<LnoLatent>, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        self.check_queries(seen.contexts, queries)?;
        let LnoLatent { z, mut places, mut scores } = seen.latent.clone();
        let known = places.len();
        let sets: Vec<usize> = queries.iter().map(|query| places.add(query)).collect();
        if places.len() > known {
            let new = self.network.scores(self.positions(&places, known));
            scores = Tensor::cat(vec![scores, new], 0);
        }
        let b = seen.contexts.len();
        let queried = places.of_examples(sets.into_iter().cycle().take(b).collect());
        let predicted = self.network.decode(scores, z, &queried);
        let shape = [b, queries[0].len(), self.problem.target_channels];
        Ok(predicted.reshape(shape).swap_dims(1, 2))
    }
}

impl OperatorConfig for LnoConfig {
    fn name(&self) -> &'static str {
        "lno"
    }

    fn size(&self, problem: &Problem) -> Size {
        let [blocks, modes, dim, layers] = [self.blocks, self.modes, self.dim, self.layers].map(|n| n as f64);
        let ends = chain([problem.source_channels, self.dim, problem.target_channels]) + dim * modes;
        Size {
            weights: ends + dim * dim * (8.0 * blocks + 4.0 * layers),
            layers: 6.0 * blocks + 4.0 * layers,
            state: points(problem) * (dim + modes) + modes * dim,
        }
    }

    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>> {
        Ok(Arc::new(Lno::new(self, problem, device)?))
    }
}
