//! How much memory a model needs, before any is allocated.

use crate::error::{Error, Result};
use crate::problem::Problem;
use lto_numerics::memory;

/// Bytes of a number.
const NUMBER: f64 = 4.0;
/// The least bytes a layer takes, whatever its size.
const LAYER: f64 = 512.0;
/// Weights, gradients and two moments.
const COPIES: f64 = 4.0;

/// A lower bound on the size of a model: what is left out (biases, embeddings) is comparatively small.
/// Floating-point, so that products of absurd sizes do not overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Weights of all layers.
    pub weights: f64,
    /// Number of layers.
    pub layers: f64,
    /// Numbers in the hidden state of one example.
    pub state: f64,
}

impl Size {
    /// Refuses a model that does not fit in memory with one example.
    ///
    /// # Errors
    /// Says how much memory it needs and how much there is.
    pub fn check(&self) -> Result<()> {
        self.require("a model", self.weights + self.state)
    }

    /// Refuses a model that does not fit in memory with its gradients, the optimizer's moments and what a
    /// batch keeps for the backward pass.
    ///
    /// # Errors
    /// As [`Size::check`].
    pub fn check_training(&self, batch: usize) -> Result<()> {
        let states = self.layers.max(1.0) * self.state;
        let what = format!("training in batches of {batch} a model");
        self.require(&what, COPIES * self.weights + batch as f64 * states)
    }

    fn require(&self, what: &str, numbers: f64) -> Result<()> {
        let Self { weights, state, layers } = self;
        let what = format!("{what} of {weights:.1e} weights with hidden states of {state:.1e} numbers");
        Ok(memory::require(&what, (NUMBER * numbers + LAYER * layers) as u128)?)
    }
}

/// Refuses sizes of zero, given with their keys of `[model]`.
///
/// # Errors
/// [`Error::Config`], naming the first one.
pub fn at_least_1<'a>(sizes: impl IntoIterator<Item = (&'a str, usize)>) -> Result<()> {
    match sizes.into_iter().find(|(_, size)| *size == 0) {
        Some((key, _)) => Err(Error::Config {
            key: format!("model.{key}"),
            value: "0".into(),
            requirement: "must be at least 1".into(),
        }),
        None => Ok(()),
    }
}

/// Weights of successive linear layers of these widths.
pub fn chain(widths: impl IntoIterator<Item = usize>) -> f64 {
    let widths: Vec<f64> = widths.into_iter().map(|w| w as f64).collect();
    widths.windows(2).map(|pair| pair[0] * pair[1]).sum()
}

/// Points of the training grid.
pub fn points(problem: &Problem) -> f64 {
    problem.native.iter().map(|&n| n as f64).product()
}
