//! Activations with their derivatives, sixteen numbers at a time.

use super::simd::MAX_LANES;
use burn::tensor::{Tensor, activation};

/// What follows an affine map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    None,
    /// max(x, 0).
    Relu,
    /// x σ(x).
    Silu,
    /// x Φ(x), Φ the normal distribution function.
    Gelu,
}

/// Numbers that are activated together.
pub(super) type Chunk = [f32; MAX_LANES];

/// The first numbers of a chunk, the rest zero.
#[inline(always)]
pub(super) fn chunk_of(values: &[f32]) -> Chunk {
    if let Ok(chunk) = values.try_into() {
        return chunk;
    }
    let mut chunk = [0.0; MAX_LANES];
    chunk[..values.len()].copy_from_slice(values);
    chunk
}

impl Activation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Relu, Self::Silu, Self::Gelu];

    /// The same by stock operations.
    pub fn stock<const D: usize>(self, x: Tensor<D>) -> Tensor<D> {
        match self {
            Activation::None => x,
            Activation::Relu => activation::relu(x),
            Activation::Silu => activation::silu(x),
            Activation::Gelu => activation::gelu(x),
        }
    }

    /// Whether the backward pass needs more than the output: the slope at every point.
    pub(super) fn has_slope(self) -> bool {
        matches!(self, Activation::Silu | Activation::Gelu)
    }

    /// Activates `x` in place.
    #[inline(always)]
    pub(super) fn apply(self, x: &mut Chunk) {
        match self {
            Activation::None => {}
            Activation::Relu => x.iter_mut().for_each(|x| *x = x.max(0.0)),
            Activation::Silu => x.iter_mut().for_each(|x| *x *= sigmoid(*x).0),
            Activation::Gelu => x.iter_mut().for_each(|x| *x *= normal(*x).0),
        }
    }

    /// Activates `x` in place and returns the derivatives.
    #[inline(always)]
    pub(super) fn apply_with_slope(self, x: &mut Chunk) -> Chunk {
        let mut slope = [1.0; MAX_LANES];
        match self {
            Activation::None => {}
            Activation::Relu => {
                for (x, slope) in x.iter_mut().zip(&mut slope) {
                    *slope = if *x > 0.0 { 1.0 } else { 0.0 };
                    *x = x.max(0.0);
                }
            }
            Activation::Silu => {
                for (x, slope) in x.iter_mut().zip(&mut slope) {
                    let (s, complement) = sigmoid(*x);
                    *slope = s * (1.0 + *x * complement);
                    *x *= s;
                }
            }
            Activation::Gelu => {
                for (x, slope) in x.iter_mut().zip(&mut slope) {
                    let (cdf, pdf) = normal(*x);
                    *slope = cdf + *x * pdf;
                    *x *= cdf;
                }
            }
        }
        slope
    }
}

/// e^x for x ≤ 0, relative error 2e-7; below −87 as at −87.
#[inline(always)]
pub(super) fn exp_negative(x: f32) -> f32 {
    let x = x.max(-87.0);
    // Adding and subtracting 1.5 · 2²³ rounds to the nearest integer on every target.
    let n = (x * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    // ln 2 in two parts, the first with few digits: the remainder is exact.
    let r = (x - n * 0.693_359_4) + n * 2.121_944_4e-4;
    let p = ((((1.987_569_1e-4 * r + 1.398_2e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r
        + 1.666_666_5e-1)
        * r
        + 0.5;
    // SAFETY: −126 ≤ n ≤ 0.
    let exponent = unsafe { n.to_int_unchecked::<i32>() };
    (p * r * r + r + 1.0) * f32::from_bits(((exponent + 127) << 23) as u32)
}

/// σ(x) = 1/(1 + e^{−x}) and 1 − σ(x), both to full relative accuracy.
#[inline(always)]
fn sigmoid(x: f32) -> (f32, f32) {
    let e = exp_negative(-x.abs());
    let large = 1.0 / (1.0 + e);
    let small = e * large;
    if x >= 0.0 { (large, small) } else { (small, large) }
}

/// Φ(x) = ½ (1 + erf(x/√2)) and φ(x) of the normal distribution.
#[inline(always)]
fn normal(x: f32) -> (f32, f32) {
    (0.5 + 0.5 * erf(x * std::f32::consts::FRAC_1_SQRT_2), exp_negative(-0.5 * x * x) * 0.398_942_3)
}

/// The error function to 1e-7, relative near zero: an odd polynomial there, 1 − exp(polynomial) beyond.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let (s, t) = (x * x, x.abs().min(10.0));
    let near = ((((-5.967_617e-4 * s + 4.991_194_2e-3) * s - 2.676_813_5e-2) * s + 1.128_199_25e-1) * s
        - 3.761_253_4e-1)
        * s
        + 1.283_791_7e-1;
    let far = (-1.728_534_7e-5 * t + 3.831_971_3e-4) * (t * t) + (-3.883_964_4e-3 * t + 2.425_462_2e-2);
    let far = (((far * t - 1.067_778_8e-1) * t - 6.348_467e-1) * t - 1.287_175_1e-1) * t - t;
    let far = (1.0 - exp_negative(far)).copysign(x);
    if t > 0.927_734_4 { far } else { near * x + x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values against series in f64, derivatives against central differences of them.
    #[test]
    fn values_and_derivatives() {
        // Φ by Simpson's rule on its integral.
        let normal = |x: f64| {
            let n = 2000;
            let h = x / f64::from(n);
            let f = |i: i32| (-0.5 * (h * f64::from(i)).powi(2)).exp();
            let inner: f64 = (1..n).map(|i| f(i) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
            0.5 + (f(0) + inner + f(n)) * h / 3.0 / std::f64::consts::TAU.sqrt()
        };
        let exact = |activation, x: f64| match activation {
            Activation::None => x,
            Activation::Relu => x.max(0.0),
            Activation::Silu => x / (1.0 + (-x).exp()),
            Activation::Gelu => x * normal(x),
        };
        for activation in Activation::ALL {
            for step in -100..100 {
                let x = f64::from(step) * 0.11 + 0.013;
                let mut chunk = [x as f32; MAX_LANES];
                let slope = activation.apply_with_slope(&mut chunk)[7];
                let difference = (exact(activation, x + 1e-4) - exact(activation, x - 1e-4)) / 2e-4;
                assert!(
                    (f64::from(chunk[3]) - exact(activation, x)).abs() < 3e-7 * x.abs().max(1.0),
                    "{activation:?} {x} {}",
                    chunk[3]
                );
                assert!(
                    (f64::from(slope) - difference).abs() < 5e-7,
                    "{activation:?}' {x} {slope} {difference}"
                );
                let mut again = [x as f32; MAX_LANES];
                activation.apply(&mut again);
                assert_eq!(again, chunk);
            }
            for x in [-1e30, -200.0, 200.0, 1e30f32] {
                let mut chunk = [x; MAX_LANES];
                let slope = activation.apply_with_slope(&mut chunk);
                let expected = if x < 0.0 && activation != Activation::None { 0.0 } else { x };
                assert!(
                    (chunk[0] - expected).abs() <= 1e-6 * x.abs().max(1.0) && slope[0].is_finite(),
                    "{activation:?} {x}"
                );
            }
        }
    }
}
