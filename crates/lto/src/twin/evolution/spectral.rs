//! An evolution of spectral blocks: global in one step, for elliptic and smooth problems.

use super::timed::TimeEmbedding;
use crate::nn::conv::{Activation, Conv, ConvConfig, Padding};
use crate::nn::film::Film;
use crate::nn::spectral_conv::SpectralConv;
use burn::module::Module;
use burn::tensor::activation::gelu;
use burn::tensor::{Device, Tensor};

/// Lift k → f by conv3, blocks `h + GELU(FiLM(spectral h + conv3 h))`, conv3 (f → k, zero at first), added to z.
#[derive(Module, Debug)]
pub struct SpectralEvolution {
    time: Option<TimeEmbedding>,
    input: Conv,
    global: Vec<SpectralConv>,
    local: Vec<Conv>,
    films: Vec<Film>,
    output: Conv,
}

/// Everything that makes a [`SpectralEvolution`].
#[derive(Clone, Copy, Debug)]
pub struct SpectralEvolutionConfig {
    /// Latent channels k.
    pub latent: usize,
    /// Inner width f.
    pub width: usize,
    /// Wavenumbers kept along each axis.
    pub modes: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Spatial dimension, 1 or 2.
    pub dim: usize,
    /// Continuation past the edge.
    pub padding: [Padding; 2],
    /// Whether the problem has times.
    pub timed: bool,
}

impl SpectralEvolutionConfig {
    /// A new evolution.
    pub fn init(&self, device: &Device) -> SpectralEvolution {
        let (dim, padding, f) = (self.dim, self.padding, self.width);
        let conv = |input, output| ConvConfig { input, output, width: 3, dilation: 1, dim, padding };
        let films = if self.timed { self.blocks } else { 0 };
        SpectralEvolution {
            time: self.timed.then(|| TimeEmbedding::new(f, device)),
            input: conv(self.latent, f).init(device),
            global: (0..self.blocks)
                .map(|_| SpectralConv::new(f, self.modes, dim, padding, device))
                .collect(),
            local: (0..self.blocks).map(|_| conv(f, f).init(device)).collect(),
            films: (0..films).map(|_| Film::new(f, f, device)).collect(),
            output: conv(f, self.latent).init_zero(device),
        }
    }
}

impl SpectralEvolution {
    /// # Shapes
    /// `z [b, k, n0, n1]`, `times [b, 2]` for problems with times → as `z`.
    pub fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
        let embedding = self.time.as_ref().zip(times).map(|(time, times)| time.forward(times));
        let mut h = self.input.forward(z.clone());
        for (i, (global, local)) in self.global.iter().zip(&self.local).enumerate() {
            let y = global.forward(h.clone()) + local.forward(h.clone());
            h = match &embedding {
                Some(embedding) => self.films[i].added(y, embedding.clone(), Activation::Gelu, h),
                None => h + gelu(y),
            };
        }
        z + self.output.forward(h)
    }
}
