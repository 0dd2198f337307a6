//! The evolution directly from time s to time t: a dilated CNN modulated by both times.

use super::{EvolutionKind, Evolve, LatentSpace};
use crate::nn::conv::{Activation, Conv, ConvConfig};
use crate::nn::film::Film;
use crate::nn::mlp::Linear;
use burn::module::Module;
use burn::tensor::activation::silu;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

/// Dilations of the five inner convolutions.
const DILATIONS: [usize; 5] = [2, 4, 8, 16, 32];

/// Configuration of a [`TimedEvolution`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedConfig {
    /// Inner width f.
    pub width: usize,
}

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

impl EvolutionKind for TimedConfig {
    type Network = TimedEvolution;

    const TIMED: Option<bool> = Some(true);

    fn sizes(&self) -> Vec<usize> {
        vec![self.width]
    }

    fn inner(&self) -> (usize, usize) {
        (self.width, 5)
    }

    fn init(&self, space: LatentSpace, device: &Device) -> TimedEvolution {
        let (width, LatentSpace { channels, dim, padding, .. }) = (self.width, space);
        let conv = |input, output, dilation| ConvConfig { input, output, width: 3, dilation, dim, padding };
        TimedEvolution {
            time: TimeEmbedding::new(width, device),
            input: conv(channels, width, 1).init(device),
            input_film: Film::new(width, width, device),
            dilated: DILATIONS.map(|d| conv(width, width, d).init(device)).into(),
            output_film: Film::new(width, width, device),
            output: conv(width, channels, 1).init_zero(device),
        }
    }
}

impl Evolve for TimedEvolution {
    /// Missing times, which its problems never have, count as zero.
    fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
        let times = times.unwrap_or_else(|| Tensor::zeros([z.dims()[0], 2], &z.device()));
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
