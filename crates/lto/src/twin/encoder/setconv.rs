//! The Gaussian set-convolution encoder: density and signals on the latent grid, then a small CNN.

use super::{Density, Encode, EncoderKind};
use crate::error::Result;
use crate::kernel::clock;
use crate::kernel::log_scale::{attach_log_scale, scale_of};
use crate::nn::conv::{Activation, Conv, ConvConfig};
use crate::problem::Problem;
use crate::size::chain;
use crate::twin::config::{LengthScale, TwinConfig, latent_spacing, refuse, require_size};
use crate::twin::latent_grid::{LatentGrid, position_channels};
use crate::twin::source::SourceFields;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use lto_numerics::dataset::Context;
use lto_numerics::setconv::GridChannels;
use lto_numerics::{Points, SetConv};
use serde::{Deserialize, Serialize};

/// Configuration of a [`SetConvEncoder`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetConvConfig {
    /// Hidden channels h.
    pub hidden: usize,
    /// Initial ℓ.
    #[serde(default)]
    pub length_scale: LengthScale,
    /// ε in the denominator of the signal.
    #[serde(default = "default_density_floor")]
    pub density_floor: f64,
    /// What the density channel holds.
    #[serde(default)]
    pub density: Density,
    /// Whether the network also sees the estimated source on the latent grid: sharper than the signal, and
    /// never empty in a gap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimate: bool,
    /// Whether the network also sees where it is: for what the state alone does not tell, as a forcing or a coast.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub position: bool,
}

fn default_density_floor() -> f64 {
    SetConv::DENSITY_FLOOR
}

/// conv5 (1+p → h) ReLU, conv5 (h → h) ReLU, conv5 (h → k), on the channels of the set convolution, and on p more of
/// the estimated source and those of the [position](LatentGrid::position) if it sees them.
#[derive(Module, Debug)]
pub struct SetConvEncoder {
    /// log ℓ `[1]`; if ℓ follows the layout, the logarithm of its multiple of the spacing.
    pub log_length_scale: Param<Tensor<1>>,
    layers: [Conv; 3],
    #[module(skip)]
    density: Density,
    #[module(skip)]
    density_floor: f64,
    /// The spacing of the latent grid, if ℓ follows the layout.
    #[module(skip)]
    least_spacing: Option<f64>,
    #[module(skip)]
    estimate: bool,
    #[module(skip)]
    position: bool,
}

impl EncoderKind for SetConvConfig {
    type Network = SetConvEncoder;

    fn validate(&self) -> Result<()> {
        require_size("encoder", self.hidden)?;
        self.length_scale.validate("encoder.length_scale")?;
        let floor = self.density_floor;
        if floor >= f64::from(f32::MIN_POSITIVE) && floor.is_finite() {
            return Ok(());
        }
        let requirement = "must be finite and at least 1.2e-38, the smallest number in single precision";
        refuse("encoder.density_floor", floor.to_string(), requirement)
    }

    fn weights(&self, p: usize, k: usize, taps: f64) -> f64 {
        taps * chain([p, self.hidden, self.hidden, k])
    }

    fn sees_estimate(&self) -> bool {
        self.estimate
    }

    fn init(&self, twin: &TwinConfig, problem: &Problem, device: &Device) -> SetConvEncoder {
        let (dim, padding) = (problem.domain.dim(), twin.padding(&problem.domain));
        let conv =
            |input, output| ConvConfig { input, output, width: 5, dilation: 1, dim, padding }.init(device);
        let (learned, least_spacing) = match self.length_scale {
            LengthScale::Layout { layout } => {
                (layout, Some(latent_spacing(&problem.domain, twin.latent_points)))
            }
            fixed => (fixed.resolve(problem, twin.latent_points), None),
        };
        let estimates = if self.estimate { problem.source_channels } else { 0 };
        let positions = if self.position { position_channels(&problem.domain) } else { 0 };
        SetConvEncoder {
            log_length_scale: Param::from_data([learned.ln() as f32], device),
            layers: [
                conv(1 + problem.source_channels + estimates + positions, self.hidden),
                conv(self.hidden, self.hidden),
                conv(self.hidden, twin.latent_channels),
            ],
            density: self.density,
            density_floor: self.density_floor,
            least_spacing,
            estimate: self.estimate,
            position: self.position,
        }
    }
}

impl Encode for SetConvEncoder {
    fn forward(&self, contexts: &[Context], source: Option<&SourceFields>, grid: &LatentGrid) -> Tensor<4> {
        let [c1, c2, c3] = &self.layers;
        let mut x = self.channels(contexts, grid);
        let device = x.device();
        if let (true, Some(source)) = (self.estimate, source) {
            x = Tensor::cat(vec![x, source.on_grid(grid, &device)], 1);
        }
        if self.position {
            let position = grid.position(&device).repeat_dim(0, contexts.len());
            x = Tensor::cat(vec![x, position], 1);
        }
        c3.forward(c2.activated(c1.activated(x, Activation::Relu), Activation::Relu))
    }

    /// In single precision. `None` where training has driven ℓ out of all bounds.
    fn set_convolution(&self, points: &Points) -> Option<SetConv> {
        let learned = scale_of(&self.log_length_scale.val()).length;
        let spacing = self.least_spacing.map_or(1.0, |least| points.mean_spacing().max(least));
        let setconv = SetConv::new(learned * spacing).ok()?;
        Some(setconv.with_density_floor(self.density_floor).ok()?.in_single_precision())
    }
}

impl SetConvEncoder {
    /// Density and signals as a tensor that carries the gradient of log ℓ; not numbers where ℓ is none.
    ///
    /// # Shapes
    /// b contexts → `[b, 1 + p, n0, n1]`.
    pub fn channels(&self, contexts: &[Context], grid: &LatentGrid) -> Tensor<4> {
        let log_length_scale = self.log_length_scale.val();
        let slope = scale_of(&log_length_scale).slope;
        let [n0, n1] = grid.shape();
        let shape = [contexts.len(), 1 + contexts[0].n_channels, n0, n1];
        let made = clock::timed(|| self.of_batch(contexts, grid, slope));
        if slope {
            attach_log_scale(made.values, made.slopes, shape, log_length_scale)
        } else {
            Tensor::from_data(TensorData::new(made.values, shape), &log_length_scale.device())
        }
    }

    /// Contexts with the same ℓ are computed together.
    fn of_batch(&self, contexts: &[Context], grid: &LatentGrid, slope: bool) -> GridChannels<f32> {
        let size = (1 + contexts[0].n_channels) * grid.grid().len();
        let mut all = GridChannels { values: Vec::new(), slopes: Vec::new() };
        let scale = |context: &Context| self.least_spacing.map(|_| context.points.mean_spacing().to_bits());
        for group in contexts.chunk_by(|a, b| scale(a) == scale(b)) {
            match self.set_convolution(&group[0].points) {
                Some(setconv) => {
                    let made = self.computed(&setconv, group, grid, slope);
                    all.values.extend(made.values);
                    all.slopes.extend(made.slopes);
                }
                None => {
                    all.values.resize(all.values.len() + group.len() * size, f32::NAN);
                    all.slopes.resize(all.values.len(), f32::NAN);
                }
            }
        }
        all
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
