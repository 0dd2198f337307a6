//! Gradients of the convolution's weights and biases.

use super::rows::{Geometry, Order, Slots, Source};
use crate::kernel::dots::{BLOCK, Dots, Stretch};
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{self, Isa, Kernel, Lanes, MAX_LANES};
use rayon::prelude::*;
use std::ops::Range;

/// At most this many partial sums, whatever the number of threads: results depend on shapes only, bit for bit.
const PARTS: usize = 8;

/// A part should do this many operations.
const OPERATIONS_PER_PART: usize = 4_000_000;

/// Columns of a chunk of rows: four channels of input and gradient then fit the first-level cache.
const CHUNK: usize = 1024;

/// `∂w [output, input, k0, k1]` and `∂b [output]` from the input and the gradients of the output before the activation.
pub fn weight_gradient(
    isa: Isa,
    geometry: &Geometry,
    input: &Source,
    gradient: &Source,
) -> (Vec<f32>, Vec<f32>) {
    let rows = geometry.rows();
    let size = geometry.output * geometry.input * geometry.taps();
    let parts = (rows * geometry.operations_per_row() / OPERATIONS_PER_PART).clamp(1, PARTS.min(rows));
    let part = |p: usize| {
        let rows = p * rows / parts..(p + 1) * rows / parts;
        simd::run(isa, Part { geometry, input, gradient, rows })
    };
    let mut sums: Vec<(Vec<f32>, Vec<f64>)> =
        if parts == 1 { vec![part(0)] } else { (0..parts).into_par_iter().map(part).collect() };
    let (mut weight, mut bias) = sums.swap_remove(0);
    debug_assert_eq!(weight.len(), size);
    // `swap_remove` put the last part first; the order is still fixed.
    for (w, b) in sums {
        weight.iter_mut().zip(w).for_each(|(sum, w)| *sum += w);
        bias.iter_mut().zip(b).for_each(|(sum, b)| *sum += b);
    }
    (weight, bias.into_iter().map(|b| b as f32).collect())
}

/// The sums over some rows.
struct Part<'a> {
    geometry: &'a Geometry,
    input: &'a Source<'a>,
    gradient: &'a Source<'a>,
    rows: Range<usize>,
}

impl Kernel for Part<'_> {
    type Output = (Vec<f32>, Vec<f64>);

    #[inline(always)]
    fn run<V: Lanes>(self) -> Self::Output {
        let g = self.geometry;
        let mut weight = vec![0.0; g.output * g.input * g.taps()];
        let mut bias = vec![0.0; g.output];
        let step = (CHUNK / g.grid[1]).max(1);
        let mut begin = self.rows.start;
        while begin < self.rows.end {
            let end = (begin + step).min(self.rows.end);
            self.chunk::<V>(begin..end, &mut weight, &mut bias);
            begin = end;
        }
        (weight, bias)
    }
}

impl Part<'_> {
    #[inline(always)]
    fn chunk<V: Lanes>(&self, rows: Range<usize>, weight: &mut [f32], bias: &mut [f64]) {
        let g = self.geometry;
        let (n, width, taps) = (g.grid[1], g.grid[1].next_multiple_of(MAX_LANES), g.taps());
        let slots = Slots::new(g, rows.clone(), Order::ChannelFirst);
        let mut of_row = Vec::with_capacity(taps);
        let mut begins = Vec::with_capacity(rows.len() * taps);
        for row in 0..rows.len() {
            slots.taps(g, row, &mut of_row);
            begins.extend_from_slice(&of_row);
        }
        let length = slots.len(g);
        let mut scratch = Scratch::new(length + rows.len() * g.output * width);
        let (x, dy) = scratch.get().split_at_mut(length);
        slots.fill(g, self.input, x);
        for (to, i) in dy.chunks_exact_mut(width).zip(0..) {
            let channel = i / rows.len();
            let begin = self.gradient.row(rows.start + i % rows.len());
            self.gradient.copy(begin + channel * g.grid[0] * n, &mut to[..n]);
            to[n..].fill(0.0);
            bias[channel] += f64::from(sum(to));
        }
        let mut stretches = Vec::with_capacity(rows.len());
        // Four channels of gradients against four of the input, for all taps: they stay in the first-level cache.
        for output in (0..g.output).step_by(BLOCK) {
            for input in (0..g.input).step_by(BLOCK) {
                let dots = Dots {
                    left: dy,
                    left_rows: ((g.output - output).min(BLOCK), rows.len() * width),
                    right: x,
                    right_rows: ((g.input - input).min(BLOCK), slots.channel_stride()),
                    columns: width,
                };
                for tap in 0..taps {
                    stretches.clear();
                    stretches.extend((0..rows.len()).map(|row| Stretch {
                        left: (output * rows.len() + row) * width,
                        right: begins[row * taps + tap] + input * slots.channel_stride(),
                    }));
                    let sums = &mut weight[(output * g.input + input) * taps + tap..];
                    // SAFETY: every row of `dy` has `width` numbers, and every row of `x` that many from each tap on.
                    unsafe { dots.add::<V>(&stretches, sums, (g.input * taps, taps)) };
                }
            }
        }
    }
}

/// The sum of a row whose length is a multiple of [`MAX_LANES`], by lanes.
#[inline(always)]
fn sum(row: &[f32]) -> f32 {
    let mut lanes = [0.0; MAX_LANES];
    for chunk in row.chunks_exact(MAX_LANES) {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    lanes.iter().sum()
}
