//! Layer normalization.

use super::initial::Initial;
use burn::module::{Module, Param};
use burn::tensor::module::layer_norm;
use burn::tensor::{Device, Tensor};

/// Added to the variance.
const EPSILON: f64 = 1e-5;

/// `y = γ (x − mean x)/√(var x + ε) + β` over the last axis.
#[derive(Module, Debug)]
pub struct LayerNorm {
    /// γ, `[d]`.
    pub gamma: Param<Tensor<1>>,
    /// β, `[d]`.
    pub beta: Param<Tensor<1>>,
}

impl LayerNorm {
    /// Of `dim` numbers: γ = 1, β = 0.
    pub fn new(dim: usize, device: &Device) -> Self {
        Self {
            gamma: Initial::Constant(1.0).init([dim], device),
            beta: Initial::Constant(0.0).init([dim], device),
        }
    }

    /// # Shapes
    /// `[.., d]` → as given.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        layer_norm(x, self.gamma.val(), Some(self.beta.val()), EPSILON)
    }
}
