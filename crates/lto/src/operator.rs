//! What every model of a time-evolving (or steady) field is to the trainer, the evaluation and the tools.

use crate::error::{Error, Result};
use crate::loss::{LossTerm, Objective};
use crate::parameters::{Named, NewValues};
use crate::problem::Problem;
use burn::tensor::{Gradients, Tensor};
use lto_numerics::dataset::Context;
use lto_numerics::{Points, SetConv};
use std::sync::Arc;

/// Examples in normalized units: what is observed, and what is true at the query points.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Observations of the b source states; sizes and placements may differ.
    pub contexts: Vec<Context>,
    /// `(s, t)` of each example; a steady problem ignores them.
    pub times: Vec<(f64, f64)>,
    /// One set of M query points for all examples, or one for each.
    pub queries: Vec<Arc<Points>>,
    /// Source states at the query points, `[b, p, M]`.
    pub source: Vec<f32>,
    /// Target states at the query points, `[b, q, M]`.
    pub target: Vec<f32>,
    /// Observations of the target states, where a steady problem reconstructs them too; else empty.
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
}

/// How far one application of an operator goes in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// From any time s straight to any time t.
    Direct,
    /// One native interval, whatever `(s, t)` say: later times are reached step by step.
    Step,
}

/// A learned map from an observed source state to the target state at any query points.
///
/// Values are in normalized units throughout; the `Model` that holds it converts.
pub trait Operator: Send {
    /// What it is for.
    fn problem(&self) -> &Problem;

    /// How far one application goes in time.
    fn reach(&self) -> Reach {
        Reach::Direct
    }

    /// Whether a large query may be predicted piece by piece. Not where a model needs a whole grid, or all query points
    /// at once.
    fn cuts_queries(&self) -> bool {
        true
    }

    /// Predictions as a tensor that carries gradients if the model was made on an autodiff device.
    ///
    /// # Shapes
    /// b contexts, b pairs `(s, t)`, one or b sets of M points → `[b, q, M]`.
    ///
    /// # Errors
    /// A context or query the model cannot take; [`Error::Unsupported`] where models of its kind never can.
    fn forward(
        &self,
        contexts: &[Context],
        times: &[(f64, f64)],
        queries: &[Arc<Points>],
    ) -> Result<Tensor<3>>;

    /// The weighted terms of the training objective; their sum is minimized.
    ///
    /// # Errors
    /// As [`Operator::forward`].
    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>>;

    /// All parameters, by name.
    fn parameters(&self) -> Vec<Named>;

    /// As how many parameters one of them counts.
    fn count(&self, parameter: &Named) -> usize {
        parameter.values.len()
    }

    /// Total number of parameters.
    fn n_parameters(&self) -> usize {
        self.parameters().iter().map(|p| self.count(p)).sum()
    }

    /// The gradients of all parameters that have one.
    fn gradients(&self, gradients: &mut Gradients) -> Vec<Named>;

    /// Replaces every parameter by what `values` gives for its name and shape, and leaves it where that is `None`.
    fn set_parameters(&mut self, values: &mut NewValues);

    /// The set convolution that it encodes observations with, if it has one: what a certificate is about.
    fn set_convolution(&self) -> Option<SetConv> {
        None
    }

    /// A copy that computes without recording gradients.
    fn without_gradients(&self) -> Box<dyn Operator>;
}

/// Refuses contexts, times and queries that do not fit each other or the problem.
///
/// # Errors
/// No context, the wrong number of channels or values, points on another domain, or counts that differ.
pub fn check_inputs(
    problem: &Problem,
    contexts: &[Context],
    times: &[(f64, f64)],
    queries: &[Arc<Points>],
) -> Result<()> {
    if contexts.is_empty() || queries.is_empty() {
        return Err(Error::Numerics(lto_numerics::Error::NoPoints));
    }
    let mismatch = |what: &str, expected, got| {
        Err(Error::Numerics(lto_numerics::Error::Mismatch { what: what.into(), expected, got }))
    };
    if times.len() != contexts.len() {
        return mismatch("number of (s, t) pairs", contexts.len(), times.len());
    }
    if queries.len() != 1 && queries.len() != contexts.len() {
        return mismatch("number of query sets (1, or one for each context)", contexts.len(), queries.len());
    }
    if let Some(other) = queries.iter().find(|q| q.len() != queries[0].len()) {
        return mismatch("number of query points of every example", queries[0].len(), other.len());
    }
    for context in contexts {
        let (expected, got) = (problem.source_channels, context.n_channels);
        if expected != got {
            return Err(Error::ContextChannels { expected, got });
        }
        if context.points.is_empty() {
            return Err(Error::Numerics(lto_numerics::Error::NoPoints));
        }
        let expected = got * context.points.len();
        if context.values.len() != expected {
            return mismatch("number of context values", expected, context.values.len());
        }
        problem.check_domain("context", context.points.domain())?;
    }
    queries.iter().try_for_each(|query| problem.check_domain("query", query.domain()))
}
