//! Activations with their derivatives, sixteen numbers at a time.

use super::operation::is_supported;
use super::simd::{Lanes, MAX_LANES};
use super::vector_math::{gelu, silu};
use burn::tensor::{Tensor, activation};
use std::f64::consts::FRAC_1_SQRT_2;

/// The function after an affine map.
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

/// `x Φ(x)` by stock operations. On other devices than the processor Burn's own function has the slope of an approximation to it,
/// up to 10⁻³ off.
pub fn gelu_stock<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    if is_supported(&x) {
        return activation::gelu(x);
    }
    let twice = (x.clone() * FRAC_1_SQRT_2).erf() + 1.0;
    x * twice * 0.5
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
            Activation::Gelu => gelu_stock(x),
        }
    }

    /// Whether the backward pass needs more than the output: the slope at every point.
    pub(super) fn has_slope(self) -> bool {
        matches!(self, Activation::Silu | Activation::Gelu)
    }

    /// The values at the numbers of a vector.
    #[inline(always)]
    pub(super) fn of<V: Lanes>(self, x: V) -> V {
        match self {
            Activation::None => x,
            Activation::Relu => x.max(x.all(0.0)),
            Activation::Silu => silu(x).0,
            Activation::Gelu => gelu(x).0,
        }
    }

    /// Activates `x` in place.
    ///
    /// # Safety
    /// `V`'s instruction set is available.
    #[inline(always)]
    pub(super) unsafe fn apply<V: Lanes>(self, x: &mut Chunk) {
        match self {
            Activation::None => {}
            Activation::Relu => x.iter_mut().for_each(|x| *x = x.max(0.0)),
            // SAFETY: as promised.
            Activation::Silu | Activation::Gelu => unsafe { self.smooth::<V>(x, None) },
        }
    }

    /// Activates `x` in place and returns the derivatives.
    ///
    /// # Safety
    /// `V`'s instruction set is available.
    #[inline(always)]
    pub(super) unsafe fn apply_with_slope<V: Lanes>(self, x: &mut Chunk) -> Chunk {
        let mut slope = [1.0; MAX_LANES];
        match self {
            Activation::None => {}
            Activation::Relu => {
                for (x, slope) in x.iter_mut().zip(&mut slope) {
                    *slope = if *x > 0.0 { 1.0 } else { 0.0 };
                    *x = x.max(0.0);
                }
            }
            // SAFETY: as promised.
            Activation::Silu | Activation::Gelu => unsafe { self.smooth::<V>(x, Some(&mut slope)) },
        }
        slope
    }

    /// Replaces `x` by the values of a smooth activation, vector by vector, and `slope` by its derivatives.
    ///
    /// # Safety
    /// `V`'s instruction set is available.
    #[inline(always)]
    unsafe fn smooth<V: Lanes>(self, x: &mut Chunk, slope: Option<&mut Chunk>) {
        let slope = slope.map_or(std::ptr::null_mut(), |slope| slope.as_mut_ptr());
        for i in (0..MAX_LANES).step_by(V::N) {
            // SAFETY: the length of a chunk is a multiple of that of every vector.
            unsafe {
                let at = x.as_mut_ptr().add(i);
                let from = V::load(at);
                let (value, derivative) = if self == Activation::Gelu { gelu(from) } else { silu(from) };
                value.store(at);
                if !slope.is_null() {
                    derivative.store(slope.add(i));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::{self, Isa, Kernel};

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
        for (isa, activation) in cases() {
            for step in -100..100 {
                let x = f64::from(step) * 0.11 + 0.013;
                let [value, slope, again] = simd::run(isa, At { activation, x: x as f32 });
                let difference = (exact(activation, x + 1e-4) - exact(activation, x - 1e-4)) / 2e-4;
                let off = (f64::from(value) - exact(activation, x)).abs();
                assert!(off < 3e-7 * x.abs().max(1.0), "{isa:?} {activation:?} {x} {value}");
                let off = (f64::from(slope) - difference).abs();
                assert!(off < 5e-7, "{isa:?} {activation:?}' {x} {slope} {difference}");
                assert_eq!(again, value);
            }
        }
    }

    #[test]
    fn extreme_numbers() {
        for (isa, activation) in cases() {
            for x in [-1e30, -200.0, 0.0, 200.0, 1e30f32] {
                let [value, slope, _] = simd::run(isa, At { activation, x });
                let expected = if x < 0.0 && activation != Activation::None { 0.0 } else { x };
                let off = (value - expected).abs();
                assert!(off <= 1e-6 * x.abs().max(1.0) && slope.is_finite(), "{isa:?} {activation:?} {x}");
            }
            // NaN stays NaN, so that training notices.
            let [value, ..] = simd::run(isa, At { activation, x: f32::NAN });
            assert!(value.is_nan() || activation == Activation::Relu, "{isa:?} {activation:?}");
        }
    }

    fn cases() -> impl Iterator<Item = (Isa, Activation)> {
        Isa::available().into_iter().flat_map(|isa| Activation::ALL.map(|activation| (isa, activation)))
    }

    /// Value and derivative, and the value without the derivative.
    struct At {
        activation: Activation,
        x: f32,
    }

    impl Kernel for At {
        type Output = [f32; 3];

        #[inline(always)]
        fn run<V: Lanes>(self) -> [f32; 3] {
            let (mut with_slope, mut alone) = ([self.x; MAX_LANES], [self.x; MAX_LANES]);
            // SAFETY: this is the kernel of `V`.
            unsafe {
                let slope = self.activation.apply_with_slope::<V>(&mut with_slope);
                self.activation.apply::<V>(&mut alone);
                [with_slope[3], slope[7], alone[3]]
            }
        }
    }
}
