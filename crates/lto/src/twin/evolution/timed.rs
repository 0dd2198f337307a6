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
        let (width, LatentSpace { channels, dim, padding, time_inputs, .. }) = (self.width, space);
        let conv = |input, output, dilation| ConvConfig { input, output, width: 3, dilation, dim, padding };
        TimedEvolution {
            time: TimeEmbedding::new(time_inputs, width, device),
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
        let times = times.unwrap_or_else(|| Tensor::zeros([z.dims()[0], self.time.n_inputs()], &z.device()));
        let embedding = self.time.forward(times);
        let h = self.input.forward(z.clone());
        let h = self.input_film.activated(h, embedding.clone(), Activation::Silu);
        let h = self.dilated.iter().fold(h, |h, conv| conv.activated(h, Activation::Silu));
        z + self.output.forward(self.output_film.forward(h, embedding))
    }
}

/// Linear (n → f), SiLU, Linear (f → f) of the n = 2 times (s, t), or of what a calendar makes of them.
#[derive(Module, Debug)]
pub struct TimeEmbedding {
    layers: [Linear; 2],
}

impl TimeEmbedding {
    /// An embedding of size `width` of `inputs` numbers.
    pub fn new(inputs: usize, width: usize, device: &Device) -> Self {
        Self { layers: [Linear::new(inputs, width, device), Linear::new(width, width, device)] }
    }

    fn n_inputs(&self) -> usize {
        self.layers[0].weight.dims()[0]
    }

    /// # Shapes
    /// `[b, n]` → `[b, f]`.
    pub fn forward(&self, times: Tensor<2>) -> Tensor<2> {
        let [first, second] = &self.layers;
        second.forward(silu(first.forward(times)))
    }
}
