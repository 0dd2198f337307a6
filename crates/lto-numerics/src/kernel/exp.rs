//! exp(x) for x ≤ 0, written so that a loop over it compiles to vector instructions. The standard library's
//! exp is one call per number and takes most of the time of a set convolution of scattered points.
//!
//! Accurate to 1e-15 in double precision, to 2e-7 in single precision.

use pulp::{Scalar, Simd};

/// Below this, exp rounds to zero in double precision.
pub(crate) const UNDERFLOW: f64 = -746.0;

/// Adding and subtracting this rounds to an integer, whose bits are then the low bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1; // 33 bits: its product with an exponent is exact
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1/k! for k = 0, …, 12: on |r| ≤ ln(2)/2 the remainder of the series is below 2e-16.
const TAYLOR: [f64; 13] = [
    1.0,
    1.0,
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
];

/// `a·b + c`, fused if the hardware of `S` supports it; in software a fused operation is a slow call.
#[inline(always)]
pub(crate) fn multiply_add<S: Simd>(a: f64, b: f64, c: f64) -> f64 {
    if S::IS_SCALAR { a * b + c } else { a.mul_add(b, c) }
}

/// `x` rounded to the nearest integer; |x| < 2^51.
#[inline(always)]
pub(crate) fn round(x: f64) -> f64 {
    (x + ROUND) - ROUND
}

/// 2^k for an integer −1022 ≤ k ≤ 1023.
#[inline(always)]
fn power_of_two(k: f64) -> f64 {
    f64::from_bits((k + ROUND).to_bits().wrapping_add(1023) << 52)
}

/// exp(x) for x ≤ 0 to a relative 1e-15 (subnormal results to the last bit they hold).
#[inline(always)]
pub(crate) fn exp_nonpositive<S: Simd>(x: f64) -> f64 {
    // A comparison, because `f64::max` handles NaN at the cost of two instructions.
    let x = if x > UNDERFLOW { x } else { UNDERFLOW };
    let k = round(x * std::f64::consts::LOG2_E);
    let r = multiply_add::<S>(k, -LN_2_LOW, multiply_add::<S>(k, -LN_2_HIGH, x));
    // In pairs, not by Horner's rule: twelve dependent operations take longer than everything else.
    let (r2, c) = (r * r, &TAYLOR);
    let (r4, pair) = (r2 * r2, |k: usize| multiply_add::<S>(c[k + 1], r, c[k]));
    let low = multiply_add::<S>(pair(2), r2, pair(0));
    let middle = multiply_add::<S>(pair(6), r2, pair(4));
    let high = multiply_add::<S>(c[12], r4, multiply_add::<S>(pair(10), r2, pair(8)));
    let sum = multiply_add::<S>(multiply_add::<S>(high, r4, middle), r4, low);
    // In two steps, since 2^k itself is out of range if the result is subnormal.
    let half = round(0.5 * k);
    sum * power_of_two(half) * power_of_two(k - half)
}

/// Coefficients of `(e^r − 1 − r)/r²` on |r| ≤ ln(2)/2, highest first: e^r to a relative 1e-7.
pub const EXP_COEFFICIENTS: [f32; 6] =
    [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

/// Relative error of a weight in single precision.
pub(crate) const SINGLE_WEIGHT: f64 = 2e-7;

/// e^r for |r| ≤ ln(2)/2 in single precision.
#[inline(always)]
fn exp_reduced<S: Simd>(r: f32) -> f32 {
    let fused = |a: f32, b: f32, c: f32| if S::IS_SCALAR { a * b + c } else { a.mul_add(b, c) };
    let [first, rest @ ..] = EXP_COEFFICIENTS;
    let p = rest.into_iter().fold(first, |p, c| fused(p, r, c));
    fused(p, r * r, r) + 1.0
}

/// 2^k for a whole number −126 ≤ k ≤ 0.
#[inline(always)]
fn power_of_two_single(k: f32) -> f32 {
    // 1.5 · 2^23: k is in the low digits of the sum.
    f32::from_bits((k + 12_582_912.0).to_bits().wrapping_add(127) << 23)
}

/// e^x for x ≤ 0 to a relative 2e-7; constant below −87.
#[inline(always)]
pub fn exp_nonpositive_f32(x: f32) -> f32 {
    let x = x.max(-87.0);
    let k = (x * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    // ln 2 in two parts, the first with few digits, so that the remainder is exact.
    let r = (x - k * 0.693_359_4) + k * 2.121_944_4e-4;
    exp_reduced::<Scalar>(r) * power_of_two_single(k)
}

/// e^x in single precision, to a relative 2e-7, for a double-precision −87 ≤ x ≤ 0. Rounding x = −43 to
/// single precision first would alone cost 2e-6.
#[inline(always)]
pub(crate) fn exp_nonpositive_single<S: Simd>(x: f64) -> f32 {
    let k = round(x * std::f64::consts::LOG2_E);
    let r = multiply_add::<S>(k, -std::f64::consts::LN_2, x);
    exp_reduced::<S>(r as f32) * power_of_two_single(k as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, WithSimd};

    struct Apply<'a>(&'a mut [f64]);

    impl WithSimd for Apply<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            self.0.iter_mut().for_each(|x| *x = exp_nonpositive::<S>(*x));
        }
    }

    struct ApplySingle<'a>(&'a [f64], &'a mut [f32]);

    impl WithSimd for ApplySingle<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            self.0.iter().zip(self.1).for_each(|(x, y)| *y = exp_nonpositive_single::<S>(*x));
        }
    }

    #[test]
    fn agrees_with_the_standard_library_to_1e_14() {
        let x: Vec<f64> = (0..=400_000).map(|i| -708.0 * (f64::from(i) / 400_000.0).powi(3)).collect();
        let mut dispatched = x.clone();
        Arch::new().dispatch(Apply(&mut dispatched));
        for (&x, y) in x.iter().zip(dispatched) {
            let expected = x.exp();
            assert!((y - expected).abs() <= 2e-15 * expected, "exp({x}) = {y}, not {expected}");
            let plain = exp_nonpositive::<pulp::Scalar>(x);
            assert!((plain - expected).abs() <= 2e-15 * expected, "exp({x}) = {plain}, not {expected}");
        }
    }

    #[test]
    fn single_precision_agrees_to_2e_7() {
        let x: Vec<f64> = (0..=400_000).map(|i| -43.0 * (f64::from(i) / 400_000.0).powi(2)).collect();
        let mut dispatched = vec![0.0; x.len()];
        Arch::new().dispatch(ApplySingle(&x, &mut dispatched));
        for (x, dispatched) in x.into_iter().zip(dispatched) {
            for single in [exp_nonpositive_single::<pulp::Scalar>(x), dispatched] {
                let single = f64::from(single);
                assert!((single / x.exp() - 1.0).abs() <= SINGLE_WEIGHT, "exp({x}) = {single}");
            }
            let x = x as f32;
            let plain = f64::from(exp_nonpositive_f32(x));
            assert!((plain / f64::from(x).exp() - 1.0).abs() <= 2e-7, "exp({x}) = {plain}");
        }
        assert_eq!(exp_nonpositive_f32(-1e30), exp_nonpositive_f32(-87.0));
    }

    #[test]
    fn underflows_gradually_then_to_zero() {
        assert_eq!(exp_nonpositive::<pulp::Scalar>(0.0), 1.0);
        for x in [-708.5, -720.0, -744.0, -745.1] {
            let (y, expected) = (exp_nonpositive::<pulp::Scalar>(x), f64::exp(x));
            assert!(y > 0.0 && (y - expected).abs() <= f64::from_bits(1).max(1e-15 * expected), "{x}: {y}");
        }
        for x in [UNDERFLOW, -1e4, -1e300, f64::NEG_INFINITY] {
            assert_eq!(exp_nonpositive::<pulp::Scalar>(x), 0.0);
            assert_eq!(x.exp(), 0.0);
        }
    }
}
