//! A deep residual evolution with growing and shrinking dilations.

use super::timed::TimeEmbedding;
use super::{EvolutionKind, Evolve, LatentSpace};
use crate::nn::conv::{Activation, Conv, ConvConfig};
use crate::nn::film::Film;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

/// Dilations of the blocks.
const DILATIONS: [usize; 7] = [1, 2, 4, 8, 4, 2, 1];

/// Configuration of a [`ResidualEvolution`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResidualConfig {
    /// Inner width f.
    pub width: usize,
}

/// Lift k → f by conv3, seven blocks `h + GELU(FiLM(conv3 h))`, conv3 (f → k, zero at first), added to z. Without
/// times (a steady problem) the modulation is left out.
#[derive(Module, Debug)]
pub struct ResidualEvolution {
    time: Option<TimeEmbedding>,
    input: Conv,
    blocks: Vec<Conv>,
    films: Vec<Film>,
    output: Conv,
}

impl EvolutionKind for ResidualConfig {
    type Network = ResidualEvolution;

    fn sizes(&self) -> Vec<usize> {
        vec![self.width]
    }

    fn inner(&self) -> (usize, usize) {
        (self.width, 7)
    }

    fn init(&self, space: LatentSpace, device: &Device) -> ResidualEvolution {
        let (width, LatentSpace { channels, dim, padding, time_inputs, .. }) = (self.width, space);
        let conv = |input, output, dilation| ConvConfig { input, output, width: 3, dilation, dim, padding };
        let films = if time_inputs > 0 { DILATIONS.len() } else { 0 };
        ResidualEvolution {
            time: (time_inputs > 0).then(|| TimeEmbedding::new(time_inputs, width, device)),
            input: conv(channels, width, 1).init(device),
            blocks: DILATIONS.map(|d| conv(width, width, d).init(device)).into(),
            films: (0..films).map(|_| Film::new(width, width, device)).collect(),
            output: conv(width, channels, 1).init_zero(device),
        }
    }
}

impl Evolve for ResidualEvolution {
    fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
        let embedding = self.time.as_ref().zip(times).map(|(time, times)| time.forward(times));
        let mut h = self.input.forward(z.clone());
        for (i, conv) in self.blocks.iter().enumerate() {
            h = match &embedding {
                Some(embedding) => {
                    let y = conv.forward(h.clone());
                    self.films[i].added(y, embedding.clone(), Activation::Gelu, h)
                }
                None => h.clone() + conv.activated(h, Activation::Gelu),
            };
        }
        z + self.output.forward(h)
    }
}
