//! Rows of Gaussian weights along one axis and their derivatives in log ℓ, many columns at a time.

use super::activation;
use super::simd::{self, Isa, Kernel, Lanes, MAX_LANES};
use lto_numerics::Axis;
use rayon::prelude::*;

/// Weights below e^{−32} of the largest are zero: far below single precision, and no denormal numbers slow down the
/// products they enter.
const CUT_OFF: f64 = -32.0;

/// Entries that are worth a second thread.
const PARALLEL: usize = 1 << 15;

/// `weights[i, j] = exp(−d(x_i, y_j)² / 2ℓ²)` and its derivative in log ℓ, `weights · d²/ℓ²`; if `normalized`, of the
/// weights divided by their sum over j, which is never empty: the nearest `y` counts as 1 before that. An empty
/// `derivative` is not wanted, and the weights alone take a third of the time.
///
/// # Shapes
/// `weights`, `derivative`: `[x, y]`.
pub fn rows(
    axis: &Axis,
    [x, y]: [&[f64]; 2],
    length_scale: f64,
    normalized: bool,
    weights: &mut [f32],
    derivative: &mut [f32],
) {
    if y.is_empty() {
        return;
    }
    let (columns, isa) = (y.len(), Isa::detect());
    let alone = x.len() * columns < PARALLEL;
    if derivative.is_empty() {
        let one = |(i, weights): (usize, &mut [f32])| {
            simd::run(isa, Weights { axis, x: x[i], y, length_scale, normalized, weights });
        };
        return if alone {
            weights.chunks_mut(columns).enumerate().for_each(one);
        } else {
            weights.par_chunks_mut(columns).enumerate().for_each(one);
        };
    }
    let one = |(i, (weights, derivative)): (usize, (&mut [f32], &mut [f32]))| {
        simd::run(isa, Row { axis, x: x[i], y, length_scale, normalized, weights, derivative });
    };
    if alone {
        weights.chunks_mut(columns).zip(derivative.chunks_mut(columns)).enumerate().for_each(one);
    } else {
        weights.par_chunks_mut(columns).zip(derivative.par_chunks_mut(columns)).enumerate().for_each(one);
    }
}

/// A row of weights without their derivative: distances in double precision, the rest in single.
struct Weights<'a> {
    axis: &'a Axis,
    x: f64,
    y: &'a [f64],
    length_scale: f64,
    normalized: bool,
    weights: &'a mut [f32],
}

impl Kernel for Weights<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Weights { axis, x, y, length_scale, normalized, weights } = self;
        let (inverse, length) = (1.0 / length_scale, axis.length());
        let turns = if axis.periodic { 1.0 / length } else { 0.0 };
        for (exponent, y) in weights.iter_mut().zip(y) {
            let d = (x - y) - length * round((x - y) * turns).0;
            *exponent = (-0.5 * (d * inverse) * (d * inverse)) as f32;
        }
        let nearest = if normalized { lanes(weights, f32::NEG_INFINITY, |a, b| a.max(b)) } else { 0.0 };
        for weight in weights.iter_mut() {
            let exponent = *weight - nearest;
            *weight = if exponent < CUT_OFF as f32 { 0.0 } else { activation::exp_negative(exponent) };
        }
        if normalized {
            let inverse = 1.0 / lanes(weights, 0.0, |a, b| a + b);
            weights.iter_mut().for_each(|weight| *weight *= inverse);
        }
    }
}

struct Row<'a> {
    axis: &'a Axis,
    x: f64,
    y: &'a [f64],
    length_scale: f64,
    normalized: bool,
    weights: &'a mut [f32],
    derivative: &'a mut [f32],
}

impl Kernel for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Row { axis, x, y, length_scale, normalized, weights, derivative } = self;
        // In double precision: the derivative of normalized weights is a small difference of large sums.
        let (inverse, length) = (1.0 / length_scale, axis.length());
        let turns = if axis.periodic { 1.0 / length } else { 0.0 };
        let mut scaled = vec![0.0; y.len()];
        for (scaled, y) in scaled.iter_mut().zip(y) {
            let d = (x - y) - length * round((x - y) * turns).0;
            *scaled = (d * inverse).powi(2);
        }
        let nearest =
            if normalized { lanes(&scaled, f64::INFINITY, |a, b| if b < a { b } else { a }) } else { 0.0 };
        let mut exact = vec![0.0; y.len()];
        for (weight, scaled) in exact.iter_mut().zip(&scaled) {
            let exponent = 0.5 * (nearest - scaled);
            *weight = if exponent < CUT_OFF { 0.0 } else { exp_negative::<V>(exponent) };
        }
        let mut slope = 0.0;
        if normalized {
            let total = 1.0 / lanes(&exact, 0.0, |a, b| a + b);
            exact.iter_mut().zip(&mut scaled).for_each(|(weight, scaled)| {
                *weight *= total;
                *scaled -= nearest;
            });
            let products: Vec<f64> = exact.iter().zip(&scaled).map(|(w, s)| w * s).collect();
            slope = lanes(&products, 0.0, |a, b| a + b);
        }
        for ((weight, derivative), (exact, scaled)) in
            weights.iter_mut().zip(derivative).zip(exact.iter().zip(&scaled))
        {
            *weight = *exact as f32;
            *derivative = (exact * (scaled - slope)) as f32;
        }
    }
}

/// The nearest integer and its bits: adding 1.5 · 2⁵² leaves it in the lowest digits, on every target.
#[inline(always)]
fn round(x: f64) -> (f64, u64) {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x + SHIFT;
    (shifted - SHIFT, shifted.to_bits())
}

/// e^x for −700 < x ≤ 0, relative error 3e-10: Taylor's series to the 8th power over half an octave. The results are
/// rounded to single precision.
#[inline(always)]
fn exp_negative<V: Lanes>(x: f64) -> f64 {
    let (n, bits) = round(x * std::f64::consts::LOG2_E);
    let r = x - n * std::f64::consts::LN_2;
    let mut p = 1.0 / 40_320.0;
    for c in [1.0 / 5_040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        // Without an instruction for it a fused operation is a slow call.
        p = if V::ISA == Isa::Portable { p * r + c } else { f64::mul_add(p, r, c) };
    }
    p * f64::from_bits(bits.wrapping_add(1023) << 52)
}

/// Folds all numbers in sixteen lanes: a fixed order, so always the same result.
#[inline(always)]
fn lanes<T: Copy>(of: &[T], start: T, fold: impl Fn(T, T) -> T) -> T {
    let mut partial = [start; MAX_LANES];
    for chunk in of.chunks(MAX_LANES) {
        for (partial, v) in partial.iter_mut().zip(chunk) {
            *partial = fold(*partial, *v);
        }
    }
    partial.into_iter().fold(start, fold)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the formulas in double precision, periodic or not, narrow and wide, on every instruction set.
    #[test]
    fn rows_match_the_formulas() {
        for (periodic, length_scale) in [(true, 0.13), (true, 0.004), (false, 0.13), (false, 2.0)] {
            let axis = Axis::new("x", -1.0, 1.0, periodic);
            let y: Vec<f64> = (0..45).map(|i| -1.0 + 2.0 * f64::from(i) / 45.0).collect();
            for normalized in [false, true] {
                for isa in Isa::available() {
                    let (mut weights, mut derivative) = (vec![0.0; 45], vec![0.0; 45]);
                    let x = 0.93;
                    let row = Row {
                        axis: &axis,
                        x,
                        y: &y,
                        length_scale,
                        normalized,
                        weights: &mut weights,
                        derivative: &mut derivative,
                    };
                    simd::run(isa, row);
                    let mut alone = vec![0.0; 45];
                    let (axis, y, weights_alone) = (&axis, &y[..], &mut alone);
                    simd::run(isa, Weights { axis, x, y, length_scale, normalized, weights: weights_alone });
                    let scaled: Vec<f64> =
                        y.iter().map(|y| (axis.displacement(*y, x) / length_scale).powi(2)).collect();
                    let nearest = scaled.iter().copied().fold(f64::INFINITY, f64::min);
                    let shift = if normalized { nearest } else { 0.0 };
                    let raw: Vec<f64> = scaled.iter().map(|s| (0.5 * (shift - s)).exp()).collect();
                    let total: f64 = if normalized { raw.iter().sum() } else { 1.0 };
                    let mean: f64 = raw.iter().zip(&scaled).map(|(w, s)| w * s).sum::<f64>() / total;
                    for j in 0..45 {
                        let weight = raw[j] / total;
                        let slope = weight * (scaled[j] - if normalized { mean } else { 0.0 });
                        assert!((f64::from(weights[j]) - weight).abs() < 1e-7, "{isa:?} {j}");
                        // The exponent is rounded to single precision.
                        let tolerance = 3e-7 * weight * (1.0 - weight.max(1e-14).ln()) + 1e-13;
                        assert!((f64::from(alone[j]) - weight).abs() < tolerance, "{isa:?} {j}");
                        assert!(
                            (f64::from(derivative[j]) - slope).abs() < 2e-7 * mean.max(1.0),
                            "{isa:?} {j}"
                        );
                    }
                }
            }
        }
    }
}
