//! The evolution straight from time s to time t: a dilated CNN modulated by both times.

use crate::nn::conv::{Activation, Conv, ConvConfig, Padding};
use crate::nn::film::Film;
use crate::nn::mlp::Linear;
use burn::module::Module;
use burn::tensor::activation::silu;
use burn::tensor::{Device, Tensor};

/// Dilations of the five inner convolutions.
const DILATIONS: [usize; 5] = [2, 4, 8, 16, 32];

/// conv3 (k → f), FiLM, SiLU; five dilated conv3 (f → f), SiLU; FiLM; conv3 (f → k, zero at first); added to z.
#[derive(Module, Debug)]
pub struct TimedEvolution {
    time: TimeEmbedding,
    input: Conv,
    input_film: Film,
    dilated: Vec<Conv>,
    output_film: Film,
    output: Conv,
}

impl TimedEvolution {
    /// `latent` channels, inner width `width`.
    pub fn new(latent: usize, width: usize, dim: usize, padding: [Padding; 2], device: &Device) -> Self {
        let conv = |input, output, dilation| ConvConfig { input, output, width: 3, dilation, dim, padding };
        Self {
            time: TimeEmbedding::new(width, device),
            input: conv(latent, width, 1).init(device),
            input_film: Film::new(width, width, device),
            dilated: DILATIONS.map(|d| conv(width, width, d).init(device)).into(),
            output_film: Film::new(width, width, device),
            output: conv(width, latent, 1).init_zero(device),
        }
    }

    /// # Shapes
    /// `z [b, k, n0, n1]`, `times [b, 2]` (s and t as fractions of the horizon) → as `z`.
    pub fn forward(&self, z: Tensor<4>, times: Tensor<2>) -> Tensor<4> {
        let embedding = self.time.forward(times);
        let h = self.input.forward(z.clone());
        let h = self.input_film.activated(h, embedding.clone(), Activation::Silu);
        let h = self.dilated.iter().fold(h, |h, conv| conv.activated(h, Activation::Silu));
        z + self.output.forward(self.output_film.forward(h, embedding))
    }
}

/// Linear (2 → f), SiLU, Linear (f → f) of (s, t).
#[derive(Module, Debug)]
pub struct TimeEmbedding {
    layers: [Linear; 2],
}

impl TimeEmbedding {
    /// An embedding of size `width`.
    pub fn new(width: usize, device: &Device) -> Self {
        Self { layers: [Linear::new(2, width, device), Linear::new(width, width, device)] }
    }

    /// # Shapes
    /// `[b, 2]` → `[b, f]`.
    pub fn forward(&self, times: Tensor<2>) -> Tensor<2> {
        let [first, second] = &self.layers;
        second.forward(silu(first.forward(times)))
    }
}
