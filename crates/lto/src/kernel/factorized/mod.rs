//! A layer of a factorized Fourier neural operator, `z + W₂ᵀ relu(W₁ᵀ Σ_d A_dᵀ D_d (R_d · A_d z) + b₁) + b₂`, in one
//! pass: an example stays in the cache from the first transform to the sum. The backward pass transforms z again.

mod lines;
mod mixing;
mod stock;
#[cfg(test)]
mod tests;

use super::affine::total;
use super::mlp;
use super::mlp::backward::BackwardPass;
use super::mlp::forward::ForwardPass;
use super::mlp::layers::Layers;
use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::scratch::Scratch;
use super::simd::Isa;
use burn::tensor::Tensor;
pub use lines::Lines;
use mixing::Mixing;
use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::sync::Arc;
pub use stock::stock;

/// At most this many partial sums, whatever the number of threads: results depend on shapes only, bit for bit.
const PARTS: usize = 8;

/// `b = W₂ᵀ relu(W₁ᵀ Σ_d F_d⁻¹(R_d · F_d z) + b₁) + b₂`, and `z + b` if `residual`: each axis d is transformed on its own.
///
/// # Shapes
/// `z [b, c, n0, n1]`, `spectral` real and imaginary parts `[c, c, modes]` for each axis, `perceptron` weights
/// `[in, out]` and biases `[out]` → as `z`.
pub fn factorized_layer(
    z: Tensor<4>,
    spectral: Vec<(Tensor<3>, Tensor<3>)>,
    perceptron: [mlp::Parameters; 2],
    lines: &Arc<Lines>,
    residual: bool,
) -> Tensor<4> {
    if !is_supported(&z) {
        return stock(z, spectral, perceptron, lines, residual);
    }
    let mut inputs = vec![z.into_dispatch()];
    for (real, imaginary) in spectral {
        inputs.extend([real.into_dispatch(), imaginary.into_dispatch()]);
    }
    for (weight, bias) in perceptron {
        inputs.extend([weight.into_dispatch(), bias.into_dispatch()]);
    }
    apply(FactorizedLayer { lines: lines.clone(), residual }, inputs)
}

#[derive(Debug)]
struct FactorizedLayer {
    lines: Arc<Lines>,
    residual: bool,
}

impl FactorizedLayer {
    /// The inputs that belong to the axes, and those of the perceptron.
    fn parameters<'a>(&self, inputs: &'a [Array<'a>]) -> (Vec<Mixing>, Layers<'a>) {
        let (spectral, perceptron) = inputs[1..].split_at(2 * self.lines.axes().len());
        let weights = spectral.chunks_exact(2).zip(self.lines.axes());
        let mixing = weights.map(|(parts, axis)| Mixing::new([parts[0], parts[1]], axis.factors())).collect();
        (mixing, Layers::new(perceptron))
    }

    /// `h = Σ_d A_dᵀ D_d (R_d · A_d z)` of one example, `[c, n0, n1]` → the same.
    fn convolve(&self, mixing: &[Mixing], z: &[f32], h: &mut [f32]) {
        let [n0, n1] = self.lines.grid();
        for (i, (axis, mixing)) in self.lines.axes().iter().zip(mixing).enumerate() {
            let length = axis.image_len(z.len() / (n0 * n1));
            let mut scratch = Scratch::new(2 * length);
            let (image, mixed) = scratch.get().split_at_mut(length);
            axis.analyze(z, image);
            mixing.forth(image, axis.lines(), mixed);
            axis.synthesize(mixed, h, i > 0);
        }
    }
}

impl Operation for FactorizedLayer {
    /// Saves what the perceptron reads.
    fn forward(&self, inputs: &[Array], tracked: bool) -> Forward {
        let ([batch, c, n0, n1], isa) = (inputs[0].dims(), Isa::detect());
        let (mixing, layers) = self.parameters(inputs);
        let (packed, points) = (layers.pack(isa), n0 * n1);
        let size = c * points;
        let example = |z: &[f32], h: &mut [f32], y: &mut [MaybeUninit<f32>]| {
            self.convolve(&mixing, z, h);
            let residual = self.residual.then_some(z);
            ForwardPass { layers: &layers, packed: &packed, x: h, points, residual }.run(isa, y);
        };
        let mut output = Vec::with_capacity(batch * size);
        let mut saved = vec![0.0; if tracked { batch * size } else { 0 }];
        let examples = output.spare_capacity_mut()[..batch * size].par_chunks_exact_mut(size);
        let examples = examples.zip(inputs[0].values.par_chunks_exact(size));
        if tracked {
            let examples = examples.zip(saved.par_chunks_exact_mut(size));
            examples.for_each(|((y, z), h)| example(z, h, y));
        } else {
            examples.for_each(|(y, z)| example(z, Scratch::new(size).get(), y));
        }
        // SAFETY: the forward passes have written all of them.
        unsafe { output.set_len(batch * size) };
        Forward { output, shape: inputs[0].shape.to_vec(), saved }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let ([batch, c, n0, n1], isa) = (pass.inputs[0].dims(), Isa::detect());
        let (mixing, layers) = self.parameters(pass.inputs);
        let (packed, transposed) = (layers.pack(isa), layers.pack_transposed(isa));
        let (points, z) = (n0 * n1, pass.inputs[0].values);
        let size = c * points;
        let mut dz = match self.residual {
            true => pass.gradient.to_vec(),
            false => vec![0.0; batch * size],
        };
        let step = batch.div_ceil(PARTS.min(batch)) * size;
        let part = |(i, dz): (usize, &mut [f32])| {
            let mut sums: Vec<Vec<f32>> = mixing.iter().map(Mixing::zeros).chain(layers.zeros()).collect();
            let (spectral, perceptron) = sums.split_at_mut(mixing.len());
            let mut scratch = Scratch::new(size);
            for (example, dz) in dz.chunks_exact_mut(size).enumerate() {
                let at = i * step + example * size..i * step + (example + 1) * size;
                let (x, gradient) = (&pass.saved[at.clone()], &pass.gradient[at.clone()]);
                let (packed, transposed) = (&packed, &transposed);
                let back = BackwardPass { layers: &layers, packed, transposed, x, points, gradient };
                back.add(isa, scratch.get(), perceptron);
                self.add_gradients(&mixing, &z[at], scratch.get(), dz, spectral);
            }
            sums
        };
        let parts: Vec<Vec<Vec<f32>>> = dz.par_chunks_mut(step).enumerate().map(part).collect();
        let n = mixing.len() + 2 * layers.depth();
        let mut columns: Vec<Vec<Vec<f32>>> = (0..n).map(|_| Vec::with_capacity(parts.len())).collect();
        for part in parts {
            columns.iter_mut().zip(part).for_each(|(column, sum)| column.push(sum));
        }
        let mut sums = columns.into_iter().map(total);
        let mut all = vec![Some(dz)];
        for (mixing, axis) in mixing.iter().zip(self.lines.axes()) {
            let sum = sums.next().unwrap_or_default();
            all.extend(mixing.gradients(&sum, axis.factors()).map(Some));
        }
        all.extend(sums.map(Some));
        all
    }
}

impl FactorizedLayer {
    /// The backward pass of [`FactorizedLayer::convolve`]: adds to the gradient of z and to those of the matrices of each axis.
    fn add_gradients(
        &self,
        mixing: &[Mixing],
        z: &[f32],
        gradient: &[f32],
        dz: &mut [f32],
        sums: &mut [Vec<f32>],
    ) {
        let [n0, n1] = self.lines.grid();
        for ((axis, mixing), sums) in self.lines.axes().iter().zip(mixing).zip(sums) {
            let length = axis.image_len(z.len() / (n0 * n1));
            let mut scratch = Scratch::new(2 * length);
            let (image, g) = scratch.get().split_at_mut(length);
            axis.analyze(z, image);
            axis.analyze(gradient, g);
            mixing.add_products(image, g, axis.lines(), sums);
            mixing.back(g, axis.lines(), image);
            axis.synthesize(image, dz, true);
        }
    }
}
