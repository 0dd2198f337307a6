//! The Gaussian set-convolution encoder: density and signals on the latent grid, then a small CNN.

use super::Density;
use crate::kernel::clock;
use crate::kernel::log_scale::{attach_log_scale, scale_of};
use crate::nn::conv::{Activation, Conv, ConvConfig, Padding};
use crate::twin::latent_grid::LatentGrid;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use lto_numerics::SetConv;
use lto_numerics::dataset::Context;
use lto_numerics::setconv::GridChannels;

/// conv5 (1+p → h) ReLU, conv5 (h → h) ReLU, conv5 (h → k), on the channels of the set convolution.
#[derive(Module, Debug)]
pub struct SetConvEncoder {
    /// log ℓ `[1]`.
    pub log_length_scale: Param<Tensor<1>>,
    layers: [Conv; 3],
    #[module(skip)]
    density: Density,
    #[module(skip)]
    density_floor: f64,
}

/// Everything that makes a [`SetConvEncoder`].
#[derive(Clone, Copy, Debug)]
pub struct SetConvEncoderConfig {
    /// Channels p of the context.
    pub source_channels: usize,
    /// Hidden channels h.
    pub hidden: usize,
    /// Latent channels k.
    pub latent: usize,
    /// Initial ℓ.
    pub length_scale: f64,
    /// ε in the denominator of the signal.
    pub density_floor: f64,
    /// What the density channel holds.
    pub density: Density,
    /// Spatial dimension, 1 or 2.
    pub dim: usize,
    /// Continuation past the edge.
    pub padding: [Padding; 2],
}

impl SetConvEncoderConfig {
    /// A new encoder.
    pub fn init(&self, device: &Device) -> SetConvEncoder {
        let conv = |input, output| {
            let (dim, padding) = (self.dim, self.padding);
            ConvConfig { input, output, width: 5, dilation: 1, dim, padding }.init(device)
        };
        SetConvEncoder {
            log_length_scale: Param::from_data([self.length_scale.ln() as f32], device),
            layers: [
                conv(1 + self.source_channels, self.hidden),
                conv(self.hidden, self.hidden),
                conv(self.hidden, self.latent),
            ],
            density: self.density,
            density_floor: self.density_floor,
        }
    }
}

impl SetConvEncoder {
    /// # Shapes
    /// b contexts → `[b, k, n0, n1]`.
    pub fn forward(&self, contexts: &[Context], grid: &LatentGrid) -> Tensor<4> {
        let [c1, c2, c3] = &self.layers;
        let x = self.channels(contexts, grid);
        c3.forward(c2.activated(c1.activated(x, Activation::Relu), Activation::Relu))
    }

    /// The set convolution as it is computed, in single precision. `None` where training has driven ℓ out of all bounds.
    pub fn set_convolution(&self) -> Option<SetConv> {
        let setconv = SetConv::new(scale_of(&self.log_length_scale.val()).length).ok()?;
        Some(setconv.with_density_floor(self.density_floor).ok()?.in_single_precision())
    }

    /// Density and signals as a tensor that carries the gradient of log ℓ; not numbers where ℓ is none.
    ///
    /// # Shapes
    /// b contexts → `[b, 1 + p, n0, n1]`.
    pub fn channels(&self, contexts: &[Context], grid: &LatentGrid) -> Tensor<4> {
        let log_length_scale = self.log_length_scale.val();
        let slope = scale_of(&log_length_scale).slope;
        let [n0, n1] = grid.shape();
        let shape = [contexts.len(), 1 + contexts[0].n_channels, n0, n1];
        let made = clock::timed(|| match self.set_convolution() {
            Some(setconv) => self.computed(&setconv, contexts, grid, slope),
            None => {
                let nothing = vec![f32::NAN; shape.iter().product()];
                GridChannels { values: nothing.clone(), slopes: nothing }
            }
        });
        if slope {
            attach_log_scale(made.values, made.slopes, shape, log_length_scale)
        } else {
            Tensor::from_data(TensorData::new(made.values, shape), &log_length_scale.device())
        }
    }

    fn computed(
        &self,
        setconv: &SetConv,
        contexts: &[Context],
        grid: &LatentGrid,
        slope: bool,
    ) -> GridChannels<f32> {
        let observed: Vec<_> =
            contexts.iter().map(|context| (&context.points, &context.values[..])).collect();
        let mut made = setconv.on_grid::<f32>(&observed, grid.grid(), slope);
        let (n, size) = (grid.grid().len(), made.values.len() / contexts.len());
        let mut slopes = made.slopes.chunks_mut(size);
        for (context, values) in contexts.iter().zip(made.values.chunks_mut(size)) {
            let slopes = slopes.next().map(|slopes| &mut slopes[..n]).unwrap_or_default();
            let (domain, n_points) = (context.points.domain(), context.points.len());
            self.density.apply(domain, n_points, setconv.kernel(), &mut values[..n], slopes);
        }
        made
    }
}
