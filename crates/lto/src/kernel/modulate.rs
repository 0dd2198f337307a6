//! Channel-wise modulation and activation: `a(h (1 + γ) + β)`, also added to a residual, in one pass.

use super::activation::{Activation, chunk_of};
use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::simd::{self, Isa, Kernel, Lanes, MAX_LANES};
use burn::tensor::Tensor;
use rayon::prelude::*;

/// Below this many numbers, splitting the work costs more than it gains.
const SERIAL: usize = 16 * 1024;

/// `activation(h (1 + γ) + β)`.
///
/// # Shapes
/// `h [b, c, n0, n1]`, `gamma`, `beta [b, c]` → as `h`.
pub fn modulate(h: Tensor<4>, gamma: Tensor<2>, beta: Tensor<2>, activation: Activation) -> Tensor<4> {
    if !is_supported(&h) {
        return stock(h, gamma, beta, activation);
    }
    apply(Modulate { activation }, vec![h.into_dispatch(), gamma.into_dispatch(), beta.into_dispatch()])
}

/// `residual + activation(h (1 + γ) + β)`.
///
/// # Shapes
/// As [`modulate`]; `residual` as `h`.
pub fn modulate_residual(
    h: Tensor<4>,
    gamma: Tensor<2>,
    beta: Tensor<2>,
    activation: Activation,
    residual: Tensor<4>,
) -> Tensor<4> {
    if !is_supported(&h) {
        return residual + stock(h, gamma, beta, activation);
    }
    let inputs = [h.into_dispatch(), gamma.into_dispatch(), beta.into_dispatch(), residual.into_dispatch()];
    apply(Modulate { activation }, inputs.into())
}

/// [`modulate`] by stock operations.
pub fn stock(h: Tensor<4>, gamma: Tensor<2>, beta: Tensor<2>, activation: Activation) -> Tensor<4> {
    let [b, c, _, _] = h.dims();
    activation.stock(h * (gamma + 1.0).reshape([b, c, 1, 1]) + beta.reshape([b, c, 1, 1]))
}

#[derive(Debug)]
struct Modulate {
    activation: Activation,
}

impl Operation for Modulate {
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let [_, _, n0, n1] = inputs[0].dims();
        let (isa, size) = (Isa::detect(), n0 * n1);
        let mut output = vec![0.0; inputs[0].values.len()];
        let plane = |(i, y): (usize, &mut [f32])| {
            let range = i * size..(i + 1) * size;
            let h = &inputs[0].values[range.clone()];
            let residual = inputs.get(3).map(|residual| &residual.values[range]);
            let (scale, shift) = (1.0 + inputs[1].values[i], inputs[2].values[i]);
            simd::run(isa, Forth { activation: self.activation, scale, shift, h, residual, y });
        };
        if output.len() < SERIAL {
            output.chunks_mut(size).enumerate().for_each(plane);
        } else {
            output.par_chunks_mut(size).enumerate().for_each(plane);
        }
        Forward { output, shape: inputs[0].shape.to_vec(), saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let [_, _, n0, n1] = pass.inputs[0].dims();
        let (isa, size) = (Isa::detect(), n0 * n1);
        let mut dh = vec![0.0; pass.gradient.len()];
        let plane = |(i, dh): (usize, &mut [f32])| {
            let range = i * size..(i + 1) * size;
            let (h, dy) = (&pass.inputs[0].values[range.clone()], &pass.gradient[range]);
            let (scale, shift) = (1.0 + pass.inputs[1].values[i], pass.inputs[2].values[i]);
            simd::run(isa, Back { activation: self.activation, scale, shift, h, dy, dh })
        };
        let sums: Vec<(f32, f32)> = if dh.len() < SERIAL {
            dh.chunks_mut(size).enumerate().map(plane).collect()
        } else {
            dh.par_chunks_mut(size).enumerate().map(plane).collect()
        };
        let (gamma, beta) = sums.into_iter().unzip();
        let mut all = vec![Some(dh), Some(gamma), Some(beta)];
        if pass.inputs.len() == 4 {
            all.push(pass.wanted[3].then(|| pass.gradient.to_vec()));
        }
        all
    }
}

/// One plane of the forward pass, in whole vectors; the rest of a plane in one that is filled up.
struct Forth<'a> {
    activation: Activation,
    scale: f32,
    shift: f32,
    h: &'a [f32],
    residual: Option<&'a [f32]>,
    y: &'a mut [f32],
}

impl Kernel for Forth<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let (n, size) = (self.h.len(), self.h.len().min(self.y.len()) / MAX_LANES * MAX_LANES);
        let residual = self.residual.filter(|residual| residual.len() >= n);
        // SAFETY: this is the kernel of `V`; as many numbers are there as are read and written.
        unsafe {
            let (at, y) = (residual.map_or(std::ptr::null(), <[f32]>::as_ptr), self.y.as_mut_ptr());
            self.vectors::<V>(self.h.as_ptr(), at, y, size);
            if size < n {
                let (h, residual) = (chunk_of(&self.h[size..]), residual.map(|all| chunk_of(&all[size..])));
                let mut y = [0.0; MAX_LANES];
                let at = residual.as_ref().map_or(std::ptr::null(), |residual| residual.as_ptr());
                self.vectors::<V>(h.as_ptr(), at, y.as_mut_ptr(), MAX_LANES);
                self.y[size..].copy_from_slice(&y[..n - size]);
            }
        }
    }
}

impl Forth<'_> {
    /// `n` numbers, a multiple of [`MAX_LANES`].
    ///
    /// # Safety
    /// `V`'s instruction set is available; as many numbers can be read, also of a residual that is not null, and written.
    #[inline(always)]
    unsafe fn vectors<V: Lanes>(&self, h: *const f32, residual: *const f32, y: *mut f32, n: usize) {
        // SAFETY: as promised.
        unsafe {
            let (scale, shift) = (V::splat(self.scale), V::splat(self.shift));
            for i in (0..n).step_by(V::N) {
                let value = self.activation.of(V::load(h.add(i)).mul_add(scale, shift));
                let value = match residual.is_null() {
                    true => value,
                    false => value.mul_add(value.all(1.0), V::load(residual.add(i))),
                };
                value.store(y.add(i));
            }
        }
    }
}

/// One plane of the backward pass.
struct Back<'a> {
    activation: Activation,
    scale: f32,
    shift: f32,
    h: &'a [f32],
    dy: &'a [f32],
    dh: &'a mut [f32],
}

impl Kernel for Back<'_> {
    /// The sums for γ and β.
    type Output = (f32, f32);

    #[inline(always)]
    fn run<V: Lanes>(self) -> (f32, f32) {
        // Lanes summed in f32 over at most this many chunks, then in f64: long planes stay accurate.
        const CHUNKS: usize = 64;
        let (mut gamma, mut beta) = (0.0, 0.0);
        for block in (0..self.h.len()).step_by(CHUNKS * MAX_LANES) {
            let end = (block + CHUNKS * MAX_LANES).min(self.h.len());
            let (mut gammas, mut betas) = ([0.0; MAX_LANES], [0.0; MAX_LANES]);
            for begin in (block..end).step_by(MAX_LANES) {
                let n = (end - begin).min(MAX_LANES);
                let (h, dy) = (chunk_of(&self.h[begin..begin + n]), chunk_of(&self.dy[begin..begin + n]));
                let mut chunk = h.map(|h| h * self.scale + self.shift);
                // SAFETY: this is the kernel of `V`.
                let mut slope = unsafe { self.activation.apply_with_slope::<V>(&mut chunk) };
                for i in 0..MAX_LANES {
                    slope[i] *= dy[i];
                    betas[i] += slope[i];
                    gammas[i] += slope[i] * h[i];
                    slope[i] *= self.scale;
                }
                self.dh[begin..begin + n].copy_from_slice(&slope[..n]);
            }
            gamma += f64::from(gammas.iter().sum::<f32>());
            beta += f64::from(betas.iter().sum::<f32>());
        }
        (gamma as f32, beta as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{agree, difference, numbers};

    #[test]
    fn equals_stock_operations() {
        for [b, c, n0, n1] in [[1, 1, 1, 1], [2, 3, 1, 37], [3, 5, 9, 16], [2, 7, 50, 31]] {
            for activation in Activation::ALL {
                let (size, what) = (b * c * n0 * n1, format!("{b} {c} {n0} {n1} {activation:?}"));
                let split = |t: &[Tensor<1>]| {
                    let plane = |t: &Tensor<1>| t.clone().reshape([b, c]);
                    (t[0].clone().reshape([b, c, n0, n1]), plane(&t[1]), plane(&t[2]))
                };
                let run = |f: fn(_, _, _, _) -> Tensor<4>| {
                    move |t: &[Tensor<1>]| {
                        let (h, gamma, beta) = split(t);
                        f(h, gamma, beta, activation).reshape([-1])
                    }
                };
                agree(&what, &[size, b * c, b * c], &run(modulate), &run(stock));
                let residual = |t: &[Tensor<1>]| t[3].clone().reshape([b, c, n0, n1]);
                agree(
                    &format!("residual {what}"),
                    &[size, b * c, b * c, size],
                    &|t| {
                        let (h, gamma, beta) = split(t);
                        modulate_residual(h, gamma, beta, activation, residual(t)).reshape([-1])
                    },
                    &|t| residual(t).reshape([-1]) + run(stock)(t),
                );
            }
        }
    }

    #[test]
    fn every_instruction_set_agrees() {
        let (h, dy) = (numbers(1000, 1), numbers(1000, 2));
        for activation in Activation::ALL {
            let run = |isa| {
                let (mut y, mut dh) = (vec![0.0; 1000], vec![0.0; 1000]);
                let (scale, shift, residual) = (1.3, -0.2, Some(&dy[..]));
                simd::run(isa, Forth { activation, scale, shift, h: &h, residual, y: &mut y });
                let (a, b) = simd::run(isa, Back { activation, scale, shift, h: &h, dy: &dy, dh: &mut dh });
                [y, dh, vec![a, b]]
            };
            let expected = run(Isa::Portable);
            for isa in Isa::available() {
                for (got, expected) in run(isa).iter().zip(&expected) {
                    assert!(difference(got, expected) < 2e-6, "{isa:?} {activation:?}");
                }
            }
        }
    }
}
