//! Transformer blocks: tokens that attend to each other.

use super::layer_norm::LayerNorm;
use super::mlp::Linear;
use crate::kernel::activation::Activation;
use crate::kernel::affine::affine;
use burn::module::Module;
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};

/// Multi-head self-attention: `softmax(q kᵀ / √c) v` of each head with its c channels, then a linear map of all heads.
#[derive(Module, Debug)]
pub struct SelfAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    #[module(skip)]
    heads: usize,
}

impl SelfAttention {
    /// Attention over tokens of `dim` numbers, a multiple of `heads`.
    pub fn new(dim: usize, heads: usize, device: &Device) -> Self {
        let linear = || Linear::new(dim, dim, device);
        Self { query: linear(), key: linear(), value: linear(), output: linear(), heads }
    }

    /// # Shapes
    /// `[b, m, d]` → as given.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [b, m, d] = x.dims();
        let x = x.reshape([b * m, d]);
        let channels = d / self.heads;
        let split = |layer: &Linear| {
            linear(x.clone(), layer, Activation::None).reshape([b, m, self.heads, channels]).swap_dims(1, 2)
        };
        let query = split(&self.query) / (channels as f32).sqrt();
        let attended = softmax(query.matmul(split(&self.key).swap_dims(2, 3)), 3).matmul(split(&self.value));
        let joined = attended.swap_dims(1, 2).reshape([b * m, d]);
        linear(joined, &self.output, Activation::None).reshape([b, m, d])
    }
}

/// A block with normalization first: `x ← x + attention(norm x)`, `x ← x + MLP(norm x)`, the MLP d → 2d → d with GELU.
#[derive(Module, Debug)]
pub struct TransformerBlock {
    attention_norm: LayerNorm,
    attention: SelfAttention,
    mlp_norm: LayerNorm,
    mlp: [Linear; 2],
}

impl TransformerBlock {
    /// A block over tokens of `dim` numbers, a multiple of `heads`.
    pub fn new(dim: usize, heads: usize, device: &Device) -> Self {
        let norm = || LayerNorm::new(dim, device);
        Self {
            attention_norm: norm(),
            attention: SelfAttention::new(dim, heads, device),
            mlp_norm: norm(),
            mlp: [Linear::new(dim, 2 * dim, device), Linear::new(2 * dim, dim, device)],
        }
    }

    /// # Shapes
    /// `[b, m, d]` → as given.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let shape @ [b, m, d] = x.dims();
        let x = x.clone() + self.attention.forward(self.attention_norm.forward(x));
        let h = self.mlp_norm.forward(x.clone()).reshape([b * m, d]);
        let [first, second] = &self.mlp;
        let h = linear(linear(h, first, Activation::Gelu), second, Activation::None);
        x + h.reshape(shape)
    }
}

fn linear(x: Tensor<2>, layer: &Linear, activation: Activation) -> Tensor<2> {
    affine(x, layer.weight.val(), layer.bias.val(), activation)
}
