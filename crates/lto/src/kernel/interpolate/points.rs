//! Queries at single points: `y_m = Σ_ij w⁰_mi w¹_mj z_ij`, only where the weights are not negligible.
//!
//! Vectors run over latent channels: the state is turned to `[n0, n1, channel]` once, and every point sums what lies in
//! its two windows. Nothing of size points × grid is ever made.

use super::query::{AxisWeights, QueryWeights};
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{Kernel, Lanes, MAX_LANES};
use std::ops::Range;

/// Smaller weights are left out; weights are at most one and rows sum to one. Not larger: slopes in ln ℓ multiply them by squares
/// of distances.
const NEGLIGIBLE: f32 = 1e-9;

/// Grid rows summed together.
const ROWS: usize = 4;

/// The latent state of one example with its channels last, padded to whole vectors.
pub struct ChannelsLast {
    scratch: Scratch,
    padded: usize,
}

impl ChannelsLast {
    /// Turns `z [channels, size]`.
    pub fn new(z: &[f32], channels: usize) -> Self {
        let (size, padded) = (z.len() / channels, channels.next_multiple_of(MAX_LANES));
        let mut scratch = Scratch::new(size * padded);
        for (position, to) in scratch.get().chunks_exact_mut(padded).enumerate() {
            for (channel, to) in to[..channels].iter_mut().enumerate() {
                *to = z[channel * size + position];
            }
            to[channels..].fill(0.0);
        }
        Self { scratch, padded }
    }
}

/// The stretches of a row of weights that matter: one, or two where a window wraps round.
fn windows(row: &[f32]) -> [Range<usize>; 2] {
    let counts = |w: &f32| w.abs() > NEGLIGIBLE;
    let (Some(first), Some(last)) = (row.iter().position(counts), row.iter().rposition(counts)) else {
        return [0..0, 0..0];
    };
    // A window that wraps touches both ends and has its gap inside.
    if first == 0 && last == row.len() - 1 {
        let left = row.iter().position(|w| !counts(w)).unwrap_or(row.len());
        if left < row.len() {
            let right = row.iter().rposition(|w| !counts(w)).map_or(0, |i| i + 1);
            return [0..left, right..row.len()];
        }
    }
    [first..last + 1, 0..0]
}

/// The numbers of one point in a table with a row for each.
fn row<'a>(table: &'a [f32], of: &AxisWeights, point: usize) -> &'a [f32] {
    &table[point * of.columns..(point + 1) * of.columns]
}

/// Values of one example at some points.
pub struct Gather<'a> {
    /// The query.
    pub query: &'a QueryWeights,
    /// The latent state.
    pub z: &'a mut ChannelsLast,
    /// Number of channels.
    pub channels: usize,
    /// Which points.
    pub points: Range<usize>,
    /// `[channels, points]` of these points.
    pub y: &'a mut [f32],
}

impl Kernel for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let [first, last] = &self.query.axes;
        let (n1, padded, n) = (last.columns, self.z.padded, self.points.len());
        let z = self.z.scratch.get();
        let mut found = vec![0.0; padded];
        for (m, point) in self.points.clone().enumerate() {
            let (w0, w1) = (row(&first.weights, first, point), row(&last.weights, last, point));
            let (rows, columns) = (windows(w0), windows(w1));
            for channel in (0..padded).step_by(V::N) {
                // SAFETY: `z` has `n0 × n1 × padded` numbers and windows lie within n0 and n1; this is a kernel.
                unsafe {
                    let mut total = V::splat(0.0);
                    for rows in &rows {
                        let mut i = rows.start;
                        while i < rows.end {
                            let count = (rows.end - i).min(ROWS);
                            let mut sums = [V::splat(0.0); ROWS];
                            let z = z.as_ptr().add(i * n1 * padded + channel);
                            for columns in &columns {
                                for j in columns.clone() {
                                    let w = V::splat(*w1.get_unchecked(j));
                                    for (r, sum) in sums.iter_mut().enumerate() {
                                        // Past the last row the first is read again, and not counted below.
                                        let r = if r < count { r } else { 0 };
                                        *sum = w.mul_add(V::load(z.add((r * n1 + j) * padded)), *sum);
                                    }
                                }
                            }
                            for (r, sum) in sums.into_iter().enumerate() {
                                let w = if r < count { w0[i + r] } else { 0.0 };
                                total = V::splat(w).mul_add(sum, total);
                            }
                            i += count;
                        }
                    }
                    total.store(found.as_mut_ptr().add(channel));
                }
            }
            for (channel, value) in found[..self.channels].iter().enumerate() {
                self.y[channel * n + m] = *value;
            }
        }
    }
}

/// Gradients of one example from some points.
pub struct Scatter<'a> {
    /// The query.
    pub query: &'a QueryWeights,
    /// The latent state.
    pub z: &'a mut ChannelsLast,
    /// Number of channels.
    pub channels: usize,
    /// Which points.
    pub points: Range<usize>,
    /// Gradient `[channels, all points]` of the values.
    pub dy: &'a [f32],
}

impl Kernel for Scatter<'_> {
    /// `∂z [n0, n1, padded channels]` and the derivative in log ℓ.
    type Output = (Vec<f32>, f64);

    #[inline(always)]
    fn run<V: Lanes>(self) -> Self::Output {
        let [first, last] = &self.query.axes;
        let (n1, padded) = (last.columns, self.z.padded);
        let z = self.z.scratch.get();
        let mut dz = vec![0.0; z.len()];
        let mut log_scale = 0.0;
        let mut gradient = vec![0.0; padded];
        for point in self.points.clone() {
            for (channel, gradient) in gradient[..self.channels].iter_mut().enumerate() {
                *gradient = self.dy[channel * last.rows + point];
            }
            let (w0, w1) = (row(&first.weights, first, point), row(&last.weights, last, point));
            let (s0, s1) = match last.derivative.is_empty() {
                true => (w0, w1),
                false => (row(&first.derivative, first, point), row(&last.derivative, last, point)),
            };
            let (rows, columns) = (windows(w0), windows(w1));
            for channel in (0..padded).step_by(V::N) {
                // SAFETY: as in `Gather`; `dz` is as long as `z`.
                unsafe {
                    let dy = V::load(gradient.as_ptr().add(channel));
                    let mut change = V::splat(0.0);
                    for i in rows.iter().cloned().flatten() {
                        let scaled = V::splat(w0[i]).mul_add(dy, V::splat(0.0));
                        let (mut sum, mut slope) = (V::splat(0.0), V::splat(0.0));
                        for columns in &columns {
                            for j in columns.clone() {
                                let at = (i * n1 + j) * padded + channel;
                                let (z, dz) = (V::load(z.as_ptr().add(at)), dz.as_mut_ptr().add(at));
                                let w = V::splat(*w1.get_unchecked(j));
                                sum = w.mul_add(z, sum);
                                slope = V::splat(*s1.get_unchecked(j)).mul_add(z, slope);
                                w.mul_add(scaled, V::load(dz)).store(dz);
                            }
                        }
                        change = V::splat(s0[i]).mul_add(sum, change);
                        change = V::splat(w0[i]).mul_add(slope, change);
                    }
                    let product = dy.mul_add(change, V::splat(0.0));
                    let zero = V::splat(0.0);
                    log_scale += f64::from(V::sums([product, zero, zero, zero])[0]);
                }
            }
        }
        (dz, if last.derivative.is_empty() { 0.0 } else { log_scale })
    }
}

/// Adds `from [size, padded channels]` to `to [channels, size]`.
pub fn add_channels_first(from: &[f32], channels: usize, to: &mut [f32]) {
    let (size, padded) = (to.len() / channels, channels.next_multiple_of(MAX_LANES));
    for (position, from) in from.chunks_exact(padded).enumerate() {
        for (channel, from) in from[..channels].iter().enumerate() {
            to[channel * size + position] += from;
        }
    }
}
