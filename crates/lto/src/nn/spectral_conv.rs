//! Global convolution in Fourier space, as products with truncated DFT matrices: any size, periodic or padded.

use crate::nn::conv::Padding;
use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor, TensorData};
use std::f64::consts::TAU;

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
        let [b, c, n0, n1] = x.dims();
        let device = x.device();
        let last = Dft::half(n1, self.period(n1, 1), self.modes, &device);
        let m1 = last.modes;
        // Along the last axis: real → complex.
        let flat = x.reshape([b * c * n0, n1]);
        let re = flat.clone().matmul(last.cosine.clone()).reshape([b, c, n0, m1]);
        let im = flat.matmul(last.sine.clone()).neg().reshape([b, c, n0, m1]);
        // Along the first axis: complex → complex.
        let first = Dft::full(n0, self.period(n0, 0), if self.dim == 2 { self.modes } else { 1 }, &device);
        let m0 = first.modes;
        let (re, im) = first.forward(re, im);
        // One matrix for each wavenumber: [modes, b, in] × [modes, in, out].
        let to_modes = |t: Tensor<4>| t.permute([2, 3, 0, 1]).reshape([m0 * m1, b, c]);
        let (re, im) = (to_modes(re), to_modes(im));
        let (wr, wi) = (self.real.val(), self.imaginary.val());
        let out_re = re.clone().matmul(wr.clone()) - im.clone().matmul(wi.clone());
        let out_im = re.matmul(wi) + im.matmul(wr);
        let from_modes = |t: Tensor<3>| t.reshape([m0, m1, b, c]).permute([2, 3, 0, 1]);
        // Back, the first axis complex → complex, the last complex → real.
        let (re, im) = first.backward(from_modes(out_re), from_modes(out_im));
        let (re, im) = (re.reshape([b * c * n0, m1]), im.reshape([b * c * n0, m1]));
        let y = re.matmul(last.inverse_cosine.clone()) - im.matmul(last.inverse_sine);
        y.reshape([b, c, n0, n1])
    }

    /// The period in grid points: the grid itself, or longer on a non-periodic axis.
    fn period(&self, n: usize, axis: usize) -> usize {
        match self.padding[axis] {
            // The missing axis of a one-dimensional state has nothing to be continued.
            _ if self.dim == 1 && axis == 0 => n,
            Padding::Periodic => n,
            Padding::Zero => n + n.div_ceil(4),
        }
    }
}

/// DFT matrices of one axis, truncated to the lowest wavenumbers.
struct Dft {
    modes: usize,
    /// `cos(2π k j / P)`, `[n, modes]`.
    cosine: Tensor<2>,
    /// `sin(2π k j / P)`, `[n, modes]`.
    sine: Tensor<2>,
    /// The inverse's weights times cosine, `[modes, n]`.
    inverse_cosine: Tensor<2>,
    /// The inverse's weights times sine, `[modes, n]`.
    inverse_sine: Tensor<2>,
}

impl Dft {
    /// Wavenumbers `0..modes` of a real signal: the inverse counts all but 0 (and the Nyquist number) twice.
    fn half(n: usize, period: usize, modes: usize, device: &Device) -> Self {
        let waves: Vec<i64> = (0..modes as i64).collect();
        Self::new(n, period, &waves, |k| if k == 0 || 2 * k as usize == period { 1.0 } else { 2.0 }, device)
    }

    /// Wavenumbers `−modes < k < modes` of a complex signal.
    fn full(n: usize, period: usize, modes: usize, device: &Device) -> Self {
        let waves: Vec<i64> = (1 - modes as i64..modes as i64).collect();
        Self::new(n, period, &waves, |_| 1.0, device)
    }

    /// Wavenumbers past the Nyquist number of the grid are dropped by weight zero, so a coarse grid keeps the shape.
    fn new(n: usize, period: usize, waves: &[i64], weight: impl Fn(i64) -> f64, device: &Device) -> Self {
        let modes = waves.len();
        let kept = |k: i64| if 2 * k.unsigned_abs() as usize <= period { 1.0 } else { 0.0 };
        let table = |f: fn(f64) -> f64, rows_are_points: bool, weight: &dyn Fn(i64) -> f64| {
            let entry = |j: usize, k: i64| {
                let angle = TAU * ((k * j as i64).rem_euclid(period as i64)) as f64 / period as f64;
                (f(angle) * weight(k) * kept(k)) as f32
            };
            let (data, shape): (Vec<f32>, _) = if rows_are_points {
                (
                    (0..n)
                        .flat_map(|j| waves.iter().map(move |&k| (j, k)))
                        .map(|(j, k)| entry(j, k))
                        .collect(),
                    [n, modes],
                )
            } else {
                (
                    waves
                        .iter()
                        .flat_map(|&k| (0..n).map(move |j| (j, k)))
                        .map(|(j, k)| entry(j, k))
                        .collect(),
                    [modes, n],
                )
            };
            Tensor::<2>::from_data(TensorData::new(data, shape), device)
        };
        let inverse = |k: i64| weight(k) / period as f64;
        Self {
            modes,
            cosine: table(f64::cos, true, &|_| 1.0),
            sine: table(f64::sin, true, &|_| 1.0),
            inverse_cosine: table(f64::cos, false, &inverse),
            inverse_sine: table(f64::sin, false, &inverse),
        }
    }

    /// `Σ_j x_j e^{−2πi k j / P}` along axis 2 of `[b, c, n, m]`.
    fn forward(&self, re: Tensor<4>, im: Tensor<4>) -> (Tensor<4>, Tensor<4>) {
        let (cosine, sine) = (self.cosine.clone().transpose(), self.sine.clone().transpose());
        let c = |t: Tensor<4>| along_first(&cosine, t);
        let s = |t: Tensor<4>| along_first(&sine, t);
        (c(re.clone()) + s(im.clone()), c(im) - s(re))
    }

    /// `1/P Σ_k X_k e^{2πi k j / P}` along axis 2 of `[b, c, modes, m]`.
    fn backward(&self, re: Tensor<4>, im: Tensor<4>) -> (Tensor<4>, Tensor<4>) {
        let (cosine, sine) = (self.inverse_cosine.clone().transpose(), self.inverse_sine.clone().transpose());
        let c = |t: Tensor<4>| along_first(&cosine, t);
        let s = |t: Tensor<4>| along_first(&sine, t);
        (c(re.clone()) - s(im.clone()), c(im) + s(re))
    }
}

/// `M [r, n]` applied along axis 2 of `[b, c, n, m]`.
fn along_first(matrix: &Tensor<2>, x: Tensor<4>) -> Tensor<4> {
    matrix.clone().unsqueeze::<4>().matmul(x)
}
