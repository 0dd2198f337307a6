//! The form of the first publication.

use super::block::Block;
use super::config::FnoConfig;
use crate::kernel::activation::Activation;
use crate::kernel::spectral::Transform;
use crate::nn::mlp::Linear;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use std::sync::Arc;

/// Linear to w channels; blocks `F⁻¹(R · F h) + W h + b`, GELU after all but the last; Linear, GELU, Linear.
#[derive(Module, Debug)]
pub struct Published {
    lift: Linear,
    blocks: Vec<Block>,
    hidden: Linear,
    output: Linear,
}

impl Published {
    /// `input` channels (coordinates included) → `output` channels, with `modes` wavenumbers in all.
    pub fn new(config: &FnoConfig, [input, output]: [usize; 2], modes: usize, device: &Device) -> Self {
        let (width, hidden) = (config.width, config.hidden());
        Self {
            lift: Linear::new(input, width, device),
            blocks: (0..config.blocks).map(|_| Block::published(width, modes, device)).collect(),
            hidden: Linear::new(width, hidden, device),
            output: Linear::new(hidden, output, device),
        }
    }

    /// # Shapes
    /// `[b, in, n0 n1]` → `[b, out, n0 n1]`.
    pub fn forward(&self, x: Tensor<3>, transform: &Arc<Transform>) -> Tensor<3> {
        let ([b, _, m], [n0, n1]) = (x.dims(), transform.grid());
        let mut h = self.lift.pointwise(x, Activation::None);
        let width = h.dims()[1];
        let mut plane = h.reshape([b, width, n0, n1]);
        for (i, block) in self.blocks.iter().enumerate() {
            let is_last = i + 1 == self.blocks.len();
            plane =
                block.forward(plane, transform, if is_last { Activation::None } else { Activation::Gelu });
        }
        h = plane.reshape([b, width, m]);
        self.output.pointwise(self.hidden.pointwise(h, Activation::Gelu), Activation::None)
    }
}
