//! Global convolution in Fourier space, as products with truncated DFT matrices: any size, periodic or padded.

use crate::kernel::spectral::axis::Axis;
use crate::kernel::spectral::{Transform, spectral};
use crate::nn::conv::Padding;
use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor};
use std::sync::Arc;

/// `y = F⁻¹(R · F x)` with one complex `out × in` matrix for each kept wavenumber: `2m₀ − 1` along the first axis
/// (`1` in one dimension) and `m` non-negative ones along the last. A non-periodic axis is continued by zeros
/// to 1.25 times its length first.
#[derive(Module, Debug)]
pub struct SpectralConv {
    /// Real and imaginary weights `[modes0 · modes1, in, out]`.
    real: Param<Tensor<3>>,
    imaginary: Param<Tensor<3>>,
    #[module(skip)]
    modes: usize,
    #[module(skip)]
    dim: usize,
    #[module(skip)]
    padding: [Padding; 2],
}

impl SpectralConv {
    /// `channels → channels` with wavenumbers below `modes`.
    pub fn new(channels: usize, modes: usize, dim: usize, padding: [Padding; 2], device: &Device) -> Self {
        let first = if dim == 2 { 2 * modes - 1 } else { 1 };
        let shape = [first * modes, channels, channels];
        let scale = 1.0 / (channels as f64 * channels as f64).sqrt();
        let draw =
            || Param::from_tensor(Tensor::random(shape, Distribution::Normal(0.0, 0.5 * scale), device));
        Self { real: draw(), imaginary: draw(), modes, dim, padding }
    }

    /// # Shapes
    /// `[b, c, n0, n1]` → the same.
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let [_, _, n0, n1] = x.dims();
        let first = match self.dim {
            2 => Axis::symmetric(n0, self.period(n0, 0), self.modes),
            _ => Axis::single(),
        };
        let transform = Transform::new(first, Axis::half(n1, self.period(n1, 1), self.modes));
        let channels_first = |weight: &Param<Tensor<3>>| weight.val().permute([1, 2, 0]);
        spectral(x, channels_first(&self.real), channels_first(&self.imaginary), &Arc::new(transform))
    }

    /// The period in grid points: the grid itself, or longer on a non-periodic axis.
    fn period(&self, n: usize, axis: usize) -> usize {
        match self.padding[axis] {
            Padding::Periodic => n,
            Padding::Zero => n + n.div_ceil(4),
        }
    }
}
