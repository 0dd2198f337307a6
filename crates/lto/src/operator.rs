//! What the trainer, the evaluation and the tools see of any model of a time-evolving (or steady) field.
//!
//! An [`Architecture`] says what is computed: encode → evolve → decode. Everything else about an [`Operator`]
//! (parameters, gradients, checks and the usual loss) follows from that, written once.

mod symmetrized;

use crate::device::send;
use crate::error::{Error, Result};
use crate::loss::{LossTerm, Objective};
use crate::parameters::{
    Named, NewValues, device_of, flat_gradients, gradients, parameters, with_flat, with_parameters,
};
use crate::problem::Problem;
use crate::size::Size;
use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor};
use lto_numerics::dataset::Context;
use lto_numerics::{Points, SetConv};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

pub use symmetrized::Symmetrized;

/// Examples: observations, and the truth at the query points. In physical units from the data, in normalized
/// ones for operators.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Observations of the b source states; sizes and placements may differ.
    pub contexts: Vec<Context>,
    /// `(s, t)` of each example; a steady problem ignores them.
    pub times: Vec<(f64, f64)>,
    /// One set of M query points for all examples, or one for each.
    pub queries: Vec<Arc<Points>>,
    /// Source states at the query points, `[b, p, M]`.
    pub source: Vec<f64>,
    /// Target states at the query points, `[b, q, M]`.
    pub target: Vec<f64>,
    /// Observations of the target states if a steady problem reconstructs them too; else empty.
    pub target_contexts: Vec<Context>,
}

impl Batch {
    /// Number of examples b.
    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }

    /// Number of query points M of each example.
    pub fn n_queries(&self) -> usize {
        self.queries.first().map_or(0, |q| q.len())
    }

    /// Some of its examples.
    pub fn only(self, examples: Range<usize>) -> Self {
        let n = self.len();
        let values = |all: Vec<f64>| {
            let each = all.len() / n.max(1);
            all[examples.start * each..examples.end * each].to_vec()
        };
        let some = |all: Vec<Context>| if all.is_empty() { all } else { all[examples.clone()].to_vec() };
        Self {
            times: self.times[examples.clone()].to_vec(),
            queries: if self.queries.len() == n {
                self.queries[examples.clone()].to_vec()
            } else {
                self.queries
            },
            source: values(self.source),
            target: values(self.target),
            contexts: some(self.contexts),
            target_contexts: some(self.target_contexts),
        }
    }
}

/// How far one application of an operator goes in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// From any time s directly to any time t.
    Direct,
    /// One native interval, whatever `(s, t)`: later times are reached step by step.
    Step,
}

/// The input of a decoder: b examples, observed, encoded and evolved.
#[derive(Clone, Copy)]
pub struct Seen<'a, L> {
    /// The observations.
    pub contexts: &'a [Context],
    /// `(s, t)` of each example.
    pub times: &'a [(f64, f64)],
    /// The latent states.
    pub latent: &'a L,
}

/// What a kind of model computes, in normalized units: a Burn module whose field `network` holds the
/// parameters.
///
/// The map from source to target is decode ∘ evolve ∘ encode. Without a latent state, `Latent` is `()` and decoding is
/// one step from the observations.
pub trait Architecture: Module + Sync + 'static {
    /// The latent states of b examples.
    type Latent: Clone + Send + Sync + 'static;

    /// The problem it solves.
    fn problem(&self) -> &Problem;

    /// How far one application goes in time.
    fn reach(&self) -> Reach {
        Reach::Direct
    }

    /// Whether a large query may be decoded piece by piece; not if a model needs a whole grid.
    fn cuts_queries(&self) -> bool {
        true
    }

    /// Whether a context may miss some channels at some points.
    fn takes_missing(&self) -> bool {
        false
    }

    /// The latent states at time s of b contexts that fit the problem.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for contexts that models of this kind never take.
    fn encode(&self, contexts: &[Context]) -> Result<Self::Latent>;

    /// The latent states at time t, given `(s, t)` of each example; unchanged if only decoding uses the
    /// times.
    fn evolve(&self, latent: &Self::Latent, _times: &[(f64, f64)]) -> Self::Latent {
        latent.clone()
    }

    /// Predictions at one set of M query points for all examples, or one for each.
    ///
    /// # Shapes
    /// b examples, M points → `[b, q, M]`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for queries that models of this kind never take.
    fn decode(&self, seen: Seen<Self::Latent>, queries: &[Arc<Points>]) -> Result<Tensor<3>>;

    /// What the decoder sees at the query points, from which the size of its errors can be told; `None` for a model without
    /// a latent state.
    ///
    /// # Shapes
    /// b examples, M points → `[b, k, M]`.
    ///
    /// # Errors
    /// As [`Architecture::decode`].
    fn features(&self, _seen: Seen<Self::Latent>, _queries: &[Arc<Points>]) -> Result<Option<Tensor<3>>> {
        Ok(None)
    }

    /// The weighted terms of the training objective; their sum is minimized. By default just the prediction
    /// against the target.
    ///
    /// # Errors
    /// As [`Architecture::encode`] and [`Architecture::decode`].
    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        let latent = self.evolve(&self.encode(&batch.contexts)?, &batch.times);
        let seen = Seen { contexts: &batch.contexts, times: &batch.times, latent: &latent };
        let prediction = self.decode(seen, &batch.queries)?;
        let truth = tensor(&batch.target, prediction.dims(), &prediction.device());
        let changes = self.problem().changes_over(&batch.times);
        Ok(vec![objective.evolution(prediction, truth, &batch.queries, &changes)?])
    }

    /// How many parameters one of them counts as.
    fn count(&self, parameter: &Named) -> usize {
        parameter.values.len()
    }

    /// The set convolution that encodes observations at these points, if any: the subject of a certificate.
    fn set_convolution(&self, _points: &Points) -> Option<SetConv> {
        None
    }
}

/// Values as a tensor of single precision.
pub fn tensor<const D: usize>(values: &[f64], shape: [usize; D], device: &Device) -> Tensor<D> {
    send(values.iter().map(|&v| v as f32).collect(), shape, device)
}

/// The latent states of b examples, with their observations. Only the operator that made them knows their
/// contents.
#[derive(Clone)]
pub struct Latents {
    contexts: Arc<[Context]>,
    /// `(s, t)` of each example; none before it evolves.
    times: Vec<(f64, f64)>,
    latent: Arc<dyn Any + Send + Sync>,
}

impl Latents {
    /// Number of examples b.
    pub(crate) fn n_examples(&self) -> usize {
        self.contexts.len()
    }

    /// `(s, t)` of each example; none before it evolves.
    pub(crate) fn times(&self) -> &[(f64, f64)] {
        &self.times
    }
}

/// A map from an observed source state to the target state at any query points, in normalized units. Every
/// [`Architecture`] is one.
pub trait Operator: Send + Sync {
    /// The problem it solves.
    fn problem(&self) -> &Problem;

    /// How far one application goes in time.
    fn reach(&self) -> Reach;

    /// Whether a large query may be decoded piece by piece.
    fn cuts_queries(&self) -> bool;

    /// Whether a context may miss some channels at some points.
    fn takes_missing(&self) -> bool;

    /// Encodes b contexts.
    ///
    /// # Errors
    /// Contexts that do not fit the problem; [`Error::Unsupported`] for those that models of this kind never
    /// take.
    fn encode(&self, contexts: Arc<[Context]>) -> Result<Latents>;

    /// Evolves latent states, each example from its time s to its time t.
    ///
    /// # Errors
    /// Not one pair `(s, t)` for each example.
    fn evolve(&self, latents: &Latents, times: &[(f64, f64)]) -> Result<Latents>;

    /// Evolves latent states in `n` equal steps, without decoding between them.
    ///
    /// # Errors
    /// As [`Operator::evolve`].
    fn chain(&self, latents: &Latents, times: &[(f64, f64)], n: usize) -> Result<Latents> {
        let at = |(s, t): (f64, f64), k: usize| s + (t - s) * k as f64 / n as f64;
        let mut evolved = latents.clone();
        for k in 0..n {
            let step: Vec<(f64, f64)> = times.iter().map(|&pair| (at(pair, k), at(pair, k + 1))).collect();
            evolved = self.evolve(&evolved, &step)?;
        }
        Ok(Latents { times: times.to_vec(), ..evolved })
    }

    /// Predictions `[b, q, M]` from evolved states; they carry gradients if the operator does. One set of M
    /// query points for all examples, or one for each.
    ///
    /// # Errors
    /// Queries that do not fit the problem; [`Error::Unsupported`] for those that models of this kind never
    /// take.
    fn decode(&self, latents: &Latents, queries: &[Arc<Points>]) -> Result<Tensor<3>>;

    /// See [`Architecture::features`].
    ///
    /// # Errors
    /// As [`Operator::decode`].
    fn features(&self, latents: &Latents, queries: &[Arc<Points>]) -> Result<Option<Tensor<3>>>;

    /// Encode, evolve and decode: predictions `[b, q, M]` from b contexts.
    ///
    /// # Errors
    /// As each of them.
    fn forward(
        &self,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>> {
        self.decode(&self.evolve(&self.encode(contexts.into())?, times)?, queries)
    }

    /// The weighted terms of the training objective; their sum is minimized.
    ///
    /// # Errors
    /// As [`Operator::forward`].
    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>>;

    /// All parameters, by name.
    fn parameters(&self) -> Vec<Named>;

    /// How many parameters one of them counts as.
    fn count(&self, parameter: &Named) -> usize;

    /// Total number of parameters.
    fn n_parameters(&self) -> usize {
        self.parameters().iter().map(|p| self.count(p)).sum()
    }

    /// The gradients of all parameters that have one.
    fn gradients(&self, gradients: &mut Gradients) -> Vec<Named>;

    /// The gradients of all parameters as one vector on their device, 0 where there is none.
    fn flat_gradients(&self, gradients: &mut Gradients) -> Tensor<1>;

    /// A copy with all parameters replaced by the numbers of one vector on their device, in the order of
    /// [`Operator::parameters`].
    fn with_flat(&self, values: &Tensor<1>) -> Arc<dyn Operator>;

    /// The device of the parameters.
    fn device(&self) -> Device;

    /// A copy with every parameter replaced by what `values` gives for its name and shape, or kept if that is
    /// `None`.
    fn with_parameters(&self, values: &mut NewValues) -> Arc<dyn Operator>;

    /// See [`Architecture::set_convolution`].
    fn set_convolution(&self, points: &Points) -> Option<SetConv>;

    /// A copy that records gradients.
    fn with_gradients(&self) -> Arc<dyn Operator>;

    /// A copy that computes without recording gradients.
    fn without_gradients(&self) -> Arc<dyn Operator>;

    /// A copy whose parameters are on another device, where it computes without recording gradients.
    fn on(&self, device: &Device) -> Arc<dyn Operator>;
}

impl<A: Architecture> Operator for A {
    fn problem(&self) -> &Problem {
        Architecture::problem(self)
    }

    fn reach(&self) -> Reach {
        Architecture::reach(self)
    }

    fn cuts_queries(&self) -> bool {
        Architecture::cuts_queries(self)
    }

    fn takes_missing(&self) -> bool {
        Architecture::takes_missing(self)
    }

    fn encode(&self, contexts: Arc<[Context]>) -> Result<Latents> {
        check_contexts(Architecture::problem(self), &contexts)?;
        let latent = Arc::new(Architecture::encode(self, &contexts)?);
        Ok(Latents { contexts, times: Vec::new(), latent })
    }

    fn evolve(&self, latents: &Latents, times: &[(f64, f64)]) -> Result<Latents> {
        expect("number of (s, t) pairs", latents.contexts.len(), times.len())?;
        let latent = Arc::new(Architecture::evolve(self, latent_of::<A>(latents)?, times));
        Ok(Latents { contexts: latents.contexts.clone(), times: times.to_vec(), latent })
    }

    fn decode(&self, latents: &Latents, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let Latents { contexts, times, .. } = latents;
        expect("number of (s, t) pairs; evolve before decoding", contexts.len(), times.len())?;
        check_queries(Architecture::problem(self), contexts.len(), queries)?;
        Architecture::decode(self, Seen { contexts, times, latent: latent_of::<A>(latents)? }, queries)
    }

    fn features(&self, latents: &Latents, queries: &[Arc<Points>]) -> Result<Option<Tensor<3>>> {
        let Latents { contexts, times, .. } = latents;
        check_queries(Architecture::problem(self), contexts.len(), queries)?;
        Architecture::features(self, Seen { contexts, times, latent: latent_of::<A>(latents)? }, queries)
    }

    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        check_contexts(Architecture::problem(self), &batch.contexts)?;
        expect("number of (s, t) pairs", batch.len(), batch.times.len())?;
        check_queries(Architecture::problem(self), batch.len(), &batch.queries)?;
        Architecture::loss_terms(self, batch, objective)
    }

    fn parameters(&self) -> Vec<Named> {
        parameters(self)
    }

    fn count(&self, parameter: &Named) -> usize {
        Architecture::count(self, parameter)
    }

    fn gradients(&self, computed: &mut Gradients) -> Vec<Named> {
        gradients(self, computed)
    }

    fn flat_gradients(&self, computed: &mut Gradients) -> Tensor<1> {
        flat_gradients(self, computed)
    }

    fn with_flat(&self, values: &Tensor<1>) -> Arc<dyn Operator> {
        Arc::new(with_flat(self.clone(), values))
    }

    fn device(&self) -> Device {
        device_of(self)
    }

    fn with_parameters(&self, values: &mut NewValues) -> Arc<dyn Operator> {
        Arc::new(with_parameters(self.clone(), values))
    }

    fn set_convolution(&self, points: &Points) -> Option<SetConv> {
        Architecture::set_convolution(self, points)
    }

    fn with_gradients(&self) -> Arc<dyn Operator> {
        Arc::new(self.clone().train())
    }

    fn without_gradients(&self) -> Arc<dyn Operator> {
        Arc::new(self.valid())
    }

    fn on(&self, device: &Device) -> Arc<dyn Operator> {
        Arc::new(self.valid().to_device(device))
    }
}

/// A kind of model: its configuration makes its operator.
pub trait OperatorConfig {
    /// Name as written in configuration files.
    fn name(&self) -> &'static str;

    /// Whether it sees times by a [`Calendar`](crate::problem::Calendar) if the problem has one.
    fn takes_calendar(&self) -> bool {
        false
    }

    /// Whether it is made with the covariance of the training data.
    fn needs_covariance(&self) -> bool {
        false
    }

    /// Whether it may be given several frames as one source state (`data.history`).
    fn takes_history(&self) -> bool {
        true
    }

    /// The longest step it is trained to take, in native intervals, if later times are reached by several.
    fn max_step(&self) -> Option<f64> {
        None
    }

    /// Whether targets of zero must be zero in normalized units too, so that no mean is subtracted.
    fn keeps_zero(&self) -> bool {
        false
    }

    /// A lower bound on its size for a problem, without making it.
    fn size(&self, problem: &Problem) -> Size;

    /// A new operator with random weights (seed the device first).
    ///
    /// # Errors
    /// A configuration that is inconsistent, or does not fit the problem.
    fn init(&self, problem: &Problem, device: &Device) -> Result<Arc<dyn Operator>>;
}

/// The latent states that architecture `A` made.
fn latent_of<A: Architecture>(latents: &Latents) -> Result<&A::Latent> {
    let found = latents.latent.downcast_ref();
    found.ok_or_else(|| Error::Config {
        key: "latent states".into(),
        value: "of another kind of model".into(),
        requirement: "must be evolved and decoded by the model that encoded them".into(),
    })
}

fn expect(what: &str, expected: usize, got: usize) -> Result<()> {
    if expected == got {
        return Ok(());
    }
    Err(Error::Numerics(lto_numerics::Error::Mismatch { what: what.into(), expected, got }))
}

/// Refuses missing contexts or points, the wrong number of channels or values, and points on another domain.
pub(crate) fn check_contexts(problem: &Problem, contexts: &[Context]) -> Result<()> {
    if contexts.is_empty() || contexts.iter().any(|context| context.points.is_empty()) {
        return Err(Error::Numerics(lto_numerics::Error::NoPoints));
    }
    for context in contexts {
        let (expected, got) = (problem.source_channels, context.n_channels);
        if expected != got {
            return Err(Error::ContextChannels { expected, got });
        }
        expect("number of context values", got * context.points.len(), context.values.len())?;
        if let Some(deviations) = &context.deviations {
            expect("number of deviations of a context", context.values.len(), deviations.len())?;
            if let Some(index) =
                deviations.iter().position(|deviation| deviation.is_nan() || *deviation < 0.0)
            {
                let (what, value) = ("deviations of the observations".into(), deviations[index]);
                return Err(Error::Numerics(lto_numerics::Error::NonFiniteValue {
                    what,
                    index: vec![index],
                    value,
                }));
            }
        }
        problem.check_domain("context", context.points.domain())?;
    }
    Ok(())
}

/// Refuses anything but one query set or one for each of `n` examples, sets of different sizes, and other
/// domains.
fn check_queries(problem: &Problem, n: usize, queries: &[Arc<Points>]) -> Result<()> {
    let first = queries.first().ok_or(Error::Numerics(lto_numerics::Error::NoPoints))?;
    if queries.len() != 1 {
        expect("number of query sets (1, or one for each context)", n, queries.len())?;
    }
    for query in queries {
        expect("number of query points of every example", first.len(), query.len())?;
        problem.check_domain("query", query.domain())?;
    }
    Ok(())
}
