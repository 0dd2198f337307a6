//! The two softmaxes of some rows of scores `[n, modes]`.

use crate::kernel::simd::{Kernel, Lanes, MAX_LANES};
use lto_numerics::kernel::exp_nonpositive_f32;

/// The largest score of each mode, and the sum of `exp(score − largest)`.
pub struct ModeSums<'a> {
    /// Rows of scores.
    pub scores: &'a [f32],
    /// Largest score of each mode.
    pub most: &'a mut [f32],
    /// Sums.
    pub sums: &'a mut [f32],
}

impl Kernel for ModeSums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let ModeSums { scores, most, sums } = self;
        let modes = most.len();
        most.fill(f32::NEG_INFINITY);
        for row in scores.chunks_exact(modes) {
            for (most, score) in most.iter_mut().zip(row) {
                *most = if *score > *most { *score } else { *most };
            }
        }
        sums.fill(0.0);
        for row in scores.chunks_exact(modes) {
            for ((sum, most), score) in sums.iter_mut().zip(&*most).zip(row) {
                *sum += exp_nonpositive_f32(score - most);
            }
        }
    }
}

/// Softmax over the points: `exp(score − most) · scale` of each mode.
pub struct OverPoints<'a> {
    /// Rows of scores.
    pub scores: &'a [f32],
    /// Of each mode the largest score of all points, then of each `1 / Σ exp(score − largest)`.
    pub sums: &'a [f32],
    /// As the scores.
    pub weights: &'a mut [f32],
}

impl Kernel for OverPoints<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let modes = self.sums.len() / 2;
        let (most, scales) = self.sums.split_at(modes);
        for (row, weights) in self.scores.chunks_exact(modes).zip(self.weights.chunks_exact_mut(modes)) {
            for (((weight, score), most), scale) in weights.iter_mut().zip(row).zip(most).zip(scales) {
                *weight = exp_nonpositive_f32(score - most) * scale;
            }
        }
    }
}

/// Softmax over the modes of every row.
pub struct OverModes<'a> {
    /// Rows of scores.
    pub scores: &'a [f32],
    /// Number of modes.
    pub modes: usize,
    /// As the scores.
    pub weights: &'a mut [f32],
}

impl Kernel for OverModes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let rows = self.scores.chunks_exact(self.modes);
        for (row, weights) in rows.zip(self.weights.chunks_exact_mut(self.modes)) {
            let mut lanes = [f32::NEG_INFINITY; MAX_LANES];
            for chunk in row.chunks(MAX_LANES) {
                for (most, score) in lanes.iter_mut().zip(chunk) {
                    *most = if *score > *most { *score } else { *most };
                }
            }
            let most = lanes.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
            let mut lanes = [0.0; MAX_LANES];
            for (weights, chunk) in weights.chunks_mut(MAX_LANES).zip(row.chunks(MAX_LANES)) {
                for ((weight, score), sum) in weights.iter_mut().zip(chunk).zip(&mut lanes) {
                    *weight = exp_nonpositive_f32(score - most);
                    *sum += *weight;
                }
            }
            let scale = 1.0 / lanes.iter().sum::<f32>();
            weights.iter_mut().for_each(|weight| *weight *= scale);
        }
    }
}

/// Gradient of scores from that of the weights of [`OverPoints`], in place: `weight (gradient − mean)`, where the mean of
/// each mode over all points, `Σ weight · gradient`, is known.
pub struct BackOverPoints<'a> {
    /// Weights.
    pub weights: &'a [f32],
    /// Mean of each mode.
    pub means: &'a [f32],
    /// Gradient of the weights, then of the scores.
    pub gradient: &'a mut [f32],
}

impl Kernel for BackOverPoints<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let modes = self.means.len();
        for (weights, row) in self.weights.chunks_exact(modes).zip(self.gradient.chunks_exact_mut(modes)) {
            for ((gradient, weight), mean) in row.iter_mut().zip(weights).zip(self.means) {
                *gradient = weight * (*gradient - mean);
            }
        }
    }
}

/// Gradient of scores from that of the weights of [`OverModes`], in place.
pub struct BackOverModes<'a> {
    /// Weights.
    pub weights: &'a [f32],
    /// Number of modes.
    pub modes: usize,
    /// Gradient of the weights, then of the scores.
    pub gradient: &'a mut [f32],
}

impl Kernel for BackOverModes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let rows = self.weights.chunks_exact(self.modes);
        for (weights, row) in rows.zip(self.gradient.chunks_exact_mut(self.modes)) {
            let mut lanes = [0.0; MAX_LANES];
            for (weights, chunk) in weights.chunks(MAX_LANES).zip(row.chunks(MAX_LANES)) {
                for ((sum, weight), gradient) in lanes.iter_mut().zip(weights).zip(chunk) {
                    *sum += weight * gradient;
                }
            }
            let mean = lanes.iter().sum::<f32>();
            for (gradient, weight) in row.iter_mut().zip(weights) {
                *gradient = weight * (*gradient - mean);
            }
        }
    }
}
