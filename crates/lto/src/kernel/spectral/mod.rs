//! Global convolution in Fourier space, alone or as a block with a pointwise map and an activation:
//! `a(Aᵀ D (R · A x) + W x + b)`.
//! Transforms are matrix products that compute only the kept wavenumbers; channels are mixed by vectors of
//! modes.

pub mod axis;
mod mixing;
mod stock;
#[cfg(test)]
mod tests;
mod transform;

use super::activation::{Activation, chunk_of};
use super::conv::pointwise::Pointwise;
use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::simd::{self, Isa, Kernel, Lanes, MAX_LANES};
use burn::tensor::Tensor;
use mixing::{Way, Weights, mix, weight_gradients};
use rayon::prelude::*;
use std::sync::Arc;
pub use stock::{stock, stock_block};
pub use transform::Transform;

/// `F⁻¹(R · F x)`: one complex matrix for each kept wavenumber.
///
/// # Shapes
/// `x [b, in, n0, n1]`, `real`, `imaginary [in, out, K]` → `[b, out, n0, n1]`.
pub fn spectral(
    x: Tensor<4>,
    real: Tensor<3>,
    imaginary: Tensor<3>,
    transform: &Arc<Transform>,
) -> Tensor<4> {
    if !is_supported(&x) {
        return stock(x, real, imaginary, transform);
    }
    let operation = Spectral { transform: transform.clone(), activation: Activation::None };
    apply(operation, vec![x.into_dispatch(), real.into_dispatch(), imaginary.into_dispatch()])
}

/// `activation(F⁻¹(R · F x) + W x + b)`.
///
/// # Shapes
/// As [`spectral`]; `weight [out, in, 1, 1]`, `bias [out]`.
pub fn spectral_block(
    x: Tensor<4>,
    real: Tensor<3>,
    imaginary: Tensor<3>,
    (weight, bias): (Tensor<4>, Tensor<1>),
    transform: &Arc<Transform>,
    activation: Activation,
) -> Tensor<4> {
    if !is_supported(&x) {
        return stock_block(x, real, imaginary, (weight, bias), transform, activation);
    }
    let operation = Spectral { transform: transform.clone(), activation };
    let inputs = [
        x.into_dispatch(),
        real.into_dispatch(),
        imaginary.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
    ];
    apply(operation, inputs.into())
}

#[derive(Debug)]
struct Spectral {
    transform: Arc<Transform>,
    activation: Activation,
}

impl Spectral {
    /// The pointwise part, if there is one.
    fn pointwise<'a>(&self, inputs: &[Array<'a>]) -> Option<Pointwise<'a>> {
        let [batch, input, n0, n1] = inputs[0].dims();
        let (weight, bias) = (inputs.get(3)?, inputs.get(4)?);
        let output = bias.values.len();
        Some(Pointwise { batch, input, output, grid: [n0, n1], weight: weight.values, bias: bias.values })
    }

    fn scale(&self, image: &mut [f32]) {
        for modes in image.chunks_exact_mut(self.transform.modes()) {
            modes.iter_mut().zip(self.transform.factors()).for_each(|(value, factor)| *value *= factor);
        }
    }
}

fn weights<'a>(inputs: &[Array<'a>]) -> Weights<'a> {
    let [i, o, _] = inputs[1].dims();
    Weights { real: inputs[1].values, imaginary: inputs[2].values, inputs: i, outputs: o }
}

impl Operation for Spectral {
    /// Saves the transformed input, then the slope of the activation.
    fn forward(&self, inputs: &[Array], tracked: bool) -> Forward {
        let ([batch, _, n0, n1], isa, weights) = (inputs[0].dims(), Isa::detect(), weights(inputs));
        let (transform, size) = (&self.transform, n0 * n1);
        let image = transform.analyze(inputs[0].values);
        let mut mixed = mix(isa, &weights, Way::Forth, &image, transform.modes());
        self.scale(&mut mixed);
        let mut output = match self.pointwise(inputs) {
            Some(pointwise) => pointwise.forward(isa, inputs[0].values),
            None => vec![0.0; batch * weights.outputs * size],
        };
        let with_slope = tracked && self.activation != Activation::None;
        let mut saved = if tracked { image } else { Vec::new() };
        let begin = saved.len();
        saved.resize(begin + if with_slope { output.len() } else { 0 }, 0.0);
        let slopes = Slopes(saved[begin..].as_mut_ptr());
        transform.add_synthesis(&mixed, &mut output, |plane, values| {
            let slope = with_slope.then(|| {
                // SAFETY: there are as many slopes as outputs, and each group of planes is done once.
                unsafe { std::slice::from_raw_parts_mut(slopes.at(plane * size), values.len()) }
            });
            simd::run(isa, Activate { activation: self.activation, values, slope });
        });
        Forward { output, shape: vec![batch, weights.outputs, n0, n1], saved }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let ([batch, input, n0, n1], isa, weights) =
            (pass.inputs[0].dims(), Isa::detect(), weights(pass.inputs));
        let modes = self.transform.modes();
        let (image, slope) = pass.saved.split_at(batch * input * 2 * modes);
        let gated: Vec<f32>;
        let gradient = if slope.is_empty() {
            pass.gradient
        } else {
            gated = pass.gradient.par_iter().zip(slope).with_min_len(1 << 14).map(|(g, s)| g * s).collect();
            &gated
        };
        let mut g = self.transform.analyze(gradient);
        self.scale(&mut g);
        let pointwise = self.pointwise(pass.inputs);
        let x = pass.wanted[0].then(|| {
            let mut dx = match &pointwise {
                Some(pointwise) => pointwise.input_gradient(isa, gradient),
                None => vec![0.0; batch * input * n0 * n1],
            };
            let mixed = mix(isa, &weights, Way::Back, &g, modes);
            self.transform.add_synthesis(&mixed, &mut dx, |_, _| {});
            dx
        });
        let sizes = (weights.inputs, weights.outputs);
        let [real, imaginary] = if pass.wanted[1] || pass.wanted[2] {
            weight_gradients(isa, sizes, image, &g, modes).map(Some)
        } else {
            [None, None]
        };
        let mut all = vec![x, real, imaginary];
        if let Some(pointwise) = pointwise {
            let (weight, bias) = pointwise.weight_gradient(isa, pass.inputs[0].values, gradient);
            all.extend([Some(weight), Some(bias)]);
        }
        all
    }
}

/// Where slopes are written, each group of planes its own.
#[derive(Clone, Copy)]
struct Slopes(*mut f32);

// SAFETY: groups of planes are disjoint.
unsafe impl Send for Slopes {}
// SAFETY: as above.
unsafe impl Sync for Slopes {}

impl Slopes {
    /// # Safety
    /// The offset lies within the allocation.
    unsafe fn at(self, offset: usize) -> *mut f32 {
        // SAFETY: as promised.
        unsafe { self.0.add(offset) }
    }
}

/// Activates values in place, and returns the slopes if wanted.
struct Activate<'a> {
    activation: Activation,
    values: &'a mut [f32],
    slope: Option<&'a mut [f32]>,
}

impl Kernel for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Activate { activation, values, mut slope } = self;
        if activation == Activation::None {
            return;
        }
        for begin in (0..values.len()).step_by(MAX_LANES) {
            let n = (values.len() - begin).min(MAX_LANES);
            let mut chunk = chunk_of(&values[begin..begin + n]);
            match &mut slope {
                Some(slope) => {
                    // SAFETY: this is the kernel of `V`.
                    let slopes = unsafe { activation.apply_with_slope::<V>(&mut chunk) };
                    slope[begin..begin + n].copy_from_slice(&slopes[..n]);
                }
                // SAFETY: this is the kernel of `V`.
                None => unsafe { activation.apply::<V>(&mut chunk) },
            }
            values[begin..begin + n].copy_from_slice(&chunk[..n]);
        }
    }
}
