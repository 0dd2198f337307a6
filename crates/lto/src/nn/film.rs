//! Feature-wise modulation by an embedding.

use crate::kernel::activation::Activation;
use crate::kernel::modulate::{modulate, modulate_residual};
use crate::nn::mlp::Linear;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

/// `h (1 + γ) + β` per channel, `[γ, β] = Linear(embedding)`.
#[derive(Module, Debug)]
pub struct Film {
    linear: Linear,
}

impl Film {
    /// Modulates `channels` channels by an embedding of size `embedding`.
    pub fn new(embedding: usize, channels: usize, device: &Device) -> Self {
        Self { linear: Linear::new(embedding, 2 * channels, device) }
    }

    /// # Shapes
    /// `h [b, c, n0, n1]`, `embedding [b, f]` → `[b, c, n0, n1]`.
    pub fn forward(&self, h: Tensor<4>, embedding: Tensor<2>) -> Tensor<4> {
        self.activated(h, embedding, Activation::None)
    }

    /// `activation(h (1 + γ) + β)`, in one pass.
    ///
    /// # Shapes
    /// As [`forward`](Self::forward).
    pub fn activated(&self, h: Tensor<4>, embedding: Tensor<2>, activation: Activation) -> Tensor<4> {
        let (gamma, beta) = self.coefficients(&h, embedding);
        modulate(h, gamma, beta, activation)
    }

    /// `residual + activation(h (1 + γ) + β)`, in one pass.
    ///
    /// # Shapes
    /// As [`forward`](Self::forward); `residual` as `h`.
    pub fn added(
        &self,
        h: Tensor<4>,
        embedding: Tensor<2>,
        activation: Activation,
        residual: Tensor<4>,
    ) -> Tensor<4> {
        let (gamma, beta) = self.coefficients(&h, embedding);
        modulate_residual(h, gamma, beta, activation, residual)
    }

    /// γ and β `[b, c]`.
    fn coefficients(&self, h: &Tensor<4>, embedding: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let c = h.dims()[1];
        let both = self.linear.forward(embedding);
        (both.clone().narrow(1, 0, c), both.narrow(1, c, c))
    }
}
