//! Smooth functions of whole vectors: the compiler does not find vectors in their scalar forms, which are ten times slower.

use super::simd::Lanes;
use lto_numerics::kernel::EXP_COEFFICIENTS;
use std::f32::consts::LOG2_E;

/// Coefficients of u in `Q(t)/φ(t)`, lowest first, for `u = 1/(1 + 0.28 t)`: Q, the normal tail beyond t, is within 1.2e-8.
const TAIL: [f32; 6] =
    [2.925_967_7e-1, 1.660_112_9e-1, 6.817_372e-1, -6.032_734e-1, 9.827_691e-1, -2.665_268_4e-1];

/// e^x for x ≤ 0, relative error 2e-7; below −87 as at −87.
#[inline(always)]
fn exp_negative<V: Lanes>(x: V) -> V {
    let (zero, one) = (x.all(0.0), x.all(1.0));
    let x = x.max(x.all(-87.0));
    // Adding and subtracting 1.5 · 2²³ rounds to the nearest integer.
    let n = x.mul_add(x.all(LOG2_E), x.all(12_582_912.0));
    let n = n.mul_add(one, x.all(-12_582_912.0));
    // ln 2 in two parts, the first with few digits: the remainder is exact.
    let r = n.mul_add(x.all(2.121_944_4e-4), n.mul_add(x.all(-0.693_359_4), x));
    let mut p = x.all(EXP_COEFFICIENTS[0]);
    for coefficient in EXP_COEFFICIENTS[1..].iter().copied() {
        p = p.mul_add(r, x.all(coefficient));
    }
    let square = r.mul_add(r, zero);
    p.mul_add(square, r).mul_add(one, one).times_two_to(n)
}

/// |x|, and a number that is 1 for positive, −1 for negative and 0 for zero x.
#[inline(always)]
fn size_and_sign<V: Lanes>(x: V) -> (V, V) {
    let zero = x.all(0.0);
    let size = x.max(x.mul_add(x.all(-1.0), zero));
    let sign = x.mul_add(x.all(1e30), zero).max(x.all(-1.0)).min(x.all(1.0));
    (size, sign)
}

/// `½ + sign (slope − ½)`: derivatives at x and −x add up to one, for both functions here.
#[inline(always)]
fn mirrored<V: Lanes>(slope: V, sign: V) -> V {
    let half = slope.all(0.5);
    slope.mul_add(slope.all(1.0), slope.all(-0.5)).mul_add(sign, half)
}

/// x σ(x) and its derivative.
#[inline(always)]
pub fn silu<V: Lanes>(x: V) -> (V, V) {
    let (zero, one) = (x.all(0.0), x.all(1.0));
    let (size, sign) = size_and_sign(x);
    let e = exp_negative(size.mul_add(x.all(-1.0), zero));
    // σ(|x|) and 1 − σ(|x|).
    let large = one.div(e.mul_add(one, one));
    let small = e.mul_add(large, zero);
    // The order of `min` keeps NaN.
    let value = x.max(zero).mul_add(large, zero.min(x).mul_add(small, zero));
    let slope = size.mul_add(small, one).mul_add(large, zero);
    (value, mirrored(slope, sign))
}

/// x Φ(x), Φ the normal distribution function, and its derivative.
#[inline(always)]
pub fn gelu<V: Lanes>(x: V) -> (V, V) {
    let (zero, one) = (x.all(0.0), x.all(1.0));
    let (size, sign) = size_and_sign(x);
    let exponent = size.mul_add(size, zero).mul_add(x.all(-0.5), zero);
    let density = exp_negative(exponent).mul_add(x.all(0.398_942_3), zero);
    let u = one.div(size.mul_add(x.all(0.28), one));
    let mut p = x.all(TAIL[5]);
    for &coefficient in TAIL[..5].iter().rev() {
        p = p.mul_add(u, x.all(coefficient));
    }
    let tail = p.mul_add(u, zero).mul_add(density, zero);
    let minus_size = size.mul_add(x.all(-1.0), zero);
    let value = minus_size.mul_add(tail, x.max(zero));
    let slope = size.mul_add(density, tail.mul_add(x.all(-1.0), one));
    (value, mirrored(slope, sign))
}
