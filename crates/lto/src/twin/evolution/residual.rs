//! A deep residual evolution with growing and shrinking dilations.

use super::timed::TimeEmbedding;
use crate::nn::conv::{Activation, Conv, ConvConfig, Padding};
use crate::nn::film::Film;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

/// Dilations of the blocks.
const DILATIONS: [usize; 7] = [1, 2, 4, 8, 4, 2, 1];

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

impl ResidualEvolution {
    /// `latent` channels, inner width `width`; `timed` for problems with times.
    pub fn new(
        latent: usize,
        width: usize,
        dim: usize,
        padding: [Padding; 2],
        timed: bool,
        device: &Device,
    ) -> Self {
        let conv = |input, output, dilation| ConvConfig { input, output, width: 3, dilation, dim, padding };
        let films = if timed { DILATIONS.len() } else { 0 };
        Self {
            time: timed.then(|| TimeEmbedding::new(width, device)),
            input: conv(latent, width, 1).init(device),
            blocks: DILATIONS.map(|d| conv(width, width, d).init(device)).into(),
            films: (0..films).map(|_| Film::new(width, width, device)).collect(),
            output: conv(width, latent, 1).init_zero(device),
        }
    }

    /// # Shapes
    /// `z [b, k, n0, n1]`, `times [b, 2]` for problems with times → as `z`.
    pub fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
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
