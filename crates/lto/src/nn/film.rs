//! Feature-wise modulation by an embedding.

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
        let [b, c, _, _] = h.dims();
        let both = self.linear.forward(embedding);
        let gamma = both.clone().narrow(1, 0, c).reshape([b, c, 1, 1]);
        let beta = both.narrow(1, c, c).reshape([b, c, 1, 1]);
        h * (gamma + 1.0) + beta
    }
}
