//! An evolution of spectral blocks: global in one step, for elliptic and smooth problems; with displacements also for flows and fronts.

use super::timed::TimeEmbedding;
use super::{EvolutionKind, Evolve, LatentSpace};
use crate::device::table;
use crate::error::Result;
use crate::kernel::activation::gelu_stock;
use crate::kernel::advect::advect;
use crate::nn::coarsen::GridAxis;
use crate::nn::conv::{Activation, Conv, ConvConfig};
use crate::nn::film::Film;
use crate::nn::spectral_conv::SpectralConv;
use crate::twin::config::refuse;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

/// Configuration of a [`SpectralEvolution`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpectralConfig {
    /// Inner width f.
    pub width: usize,
    /// Wavenumbers kept along each axis.
    pub modes: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Taps of the local convolutions along an axis, odd.
    #[serde(default = "three")]
    pub taps: usize,
    /// Dilations of the local convolutions, block after block, then again from the first.
    #[serde(default = "undilated")]
    pub dilations: Vec<usize>,
    /// Displacements of a block, each of an equal group of its channels; 0 leaves its state where it is.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub displacements: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A displacement of size one, as a share of an axis.
const REACH: f64 = 1.0 / 64.0;

fn three() -> usize {
    3
}

fn undilated() -> Vec<usize> {
    vec![1]
}

/// Lift k → f by conv3, blocks `h + GELU(FiLM(spectral h + conv h))` with dilated local convolutions, conv3 (f → k, zero at first), added to z.
///
/// With displacements a block first [moves](advect) its state, `h(x) ← h(x + d(x))` with d = conv1 h (zero at first) for each group of
/// channels: what flows carry along is then carried, not learned anew at every place.
#[derive(Module, Debug)]
pub struct SpectralEvolution {
    time: Option<TimeEmbedding>,
    input: Conv,
    global: Vec<SpectralConv>,
    local: Vec<Conv>,
    movers: Vec<Conv>,
    films: Vec<Film>,
    output: Conv,
    /// Those of the domain.
    #[module(skip)]
    axes: Vec<GridAxis>,
}

impl EvolutionKind for SpectralConfig {
    type Network = SpectralEvolution;

    fn sizes(&self) -> Vec<usize> {
        let own = [self.width, self.modes, self.blocks, self.taps, self.dilations.len()];
        own.into_iter().chain(self.dilations.iter().copied()).collect()
    }

    /// Local convolutions are odd and stay within the grid.
    fn validate_grid(&self, points: usize) -> Result<()> {
        if self.taps.is_multiple_of(2) {
            return refuse("evolution.taps", self.taps.to_string(), "must be odd");
        }
        let reach = |dilation: &usize| dilation.saturating_mul(self.taps / 2);
        if self.dilations.iter().any(|dilation| reach(dilation) >= points) {
            let value = format!("{:?} with {} taps", self.dilations, self.taps);
            let requirement = format!("must reach less far than the {points} points of the latent grid");
            return refuse("evolution.dilations", value, &requirement);
        }
        if self.displacements > 0 && !self.width.is_multiple_of(self.displacements) {
            let requirement = format!("must divide the width {}", self.width);
            return refuse("evolution.displacements", self.displacements.to_string(), &requirement);
        }
        Ok(())
    }

    fn inner(&self) -> (usize, usize) {
        (self.width, self.blocks)
    }

    fn global_weights(&self, dim: usize) -> f64 {
        let m = self.modes as f64;
        2.0 * m * if dim == 2 { 2.0 * m - 1.0 } else { 1.0 }
    }

    /// A moved state is kept beside the one before.
    fn kept_states(&self, _dim: usize) -> f64 {
        self.blocks as f64 * if self.displacements > 0 { 2.0 } else { 1.0 }
    }

    fn init(&self, space: LatentSpace, device: &Device) -> SpectralEvolution {
        let (f, LatentSpace { channels, dim, padding, time_inputs, axes }) = (self.width, space);
        let conv = |input, output| ConvConfig { input, output, width: 3, dilation: 1, dim, padding };
        let local = |dilation: &usize| ConvConfig { width: self.taps, dilation: *dilation, ..conv(f, f) };
        let films = if time_inputs > 0 { self.blocks } else { 0 };
        let movers = if self.displacements > 0 { self.blocks } else { 0 };
        let mover = ConvConfig { width: 1, ..conv(f, self.displacements * dim) };
        let global = |_| SpectralConv::new(f, self.modes, dim, padding, device);
        SpectralEvolution {
            time: (time_inputs > 0).then(|| TimeEmbedding::new(time_inputs, f, device)),
            input: conv(channels, f).init(device),
            global: (0..self.blocks).map(global).collect(),
            local: self.dilations.iter().cycle().take(self.blocks).map(|d| local(d).init(device)).collect(),
            movers: (0..movers).map(|_| mover.init_zero(device)).collect(),
            films: (0..films).map(|_| Film::new(f, f, device)).collect(),
            output: conv(f, channels).init_zero(device),
            axes: axes[2 - dim..].to_vec(),
        }
    }
}

impl SpectralEvolution {
    /// The state of a block where it has moved to.
    fn moved(&self, block: usize, h: Tensor<4>) -> Tensor<4> {
        let Some(mover) = self.movers.get(block) else { return h };
        let d = mover.forward(h.clone());
        let spacings = self.axes.iter().map(|axis| (REACH * axis.points as f64) as f32);
        let moved = d.dims()[1];
        let unit = table(spacings.cycle().take(moved).collect(), [1, moved, 1, 1], &d.device());
        let periodic: Vec<bool> = self.axes.iter().map(|axis| axis.periodic).collect();
        advect(h, d * unit, &periodic)
    }
}

impl Evolve for SpectralEvolution {
    fn forward(&self, z: Tensor<4>, times: Option<Tensor<2>>) -> Tensor<4> {
        let embedding = self.time.as_ref().zip(times).map(|(time, times)| time.forward(times));
        let mut h = self.input.forward(z.clone());
        for (i, (global, local)) in self.global.iter().zip(&self.local).enumerate() {
            h = self.moved(i, h);
            let y = global.forward(h.clone()) + local.forward(h.clone());
            h = match &embedding {
                Some(embedding) => self.films[i].added(y, embedding.clone(), Activation::Gelu, h),
                None => h + gelu_stock(y),
            };
        }
        z + self.output.forward(h)
    }
}
