//! The convolution itself, of values or (adjoint) of gradients.

use super::rows::{Geometry, Order, Slots, Source};
use crate::kernel::activation::Activation;
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{self, Isa, Kernel, Lanes};
use crate::kernel::tile::{Product, Target, blocks, pack, pack_rows};
use rayon::prelude::*;
use std::ops::Range;

/// A task should do this many operations: 20 µs, well above the cost of starting it.
const OPERATIONS_PER_TASK: usize = 4_000_000;

/// Copied rows of a task should stay in the second-level cache.
const ROWS_LEN: usize = 64 * 1024;

/// What a convolution does with its input.
#[derive(Clone, Copy)]
pub struct Layer<'a> {
    /// `w [output, input, k0, k1]`.
    pub weight: &'a [f32],
    /// `b [output]`.
    pub bias: &'a [f32],
    /// `r [batch, output, n0, n1]`, if anything is added.
    pub addend: Option<&'a [f32]>,
    /// Applied last.
    pub activation: Activation,
}

/// The output, and the activation's derivative if the backward pass needs it.
pub struct Convolved {
    /// `[batch, output, n0, n1]`.
    pub output: Vec<f32>,
    /// The same shape; empty if not asked for.
    pub slope: Vec<f32>,
}

/// `activation(w ⋆ x + b + r)`; the derivative of the activation too, if `with_slope`.
pub fn forward(isa: Isa, geometry: &Geometry, source: &Source, layer: Layer, with_slope: bool) -> Convolved {
    let packed = pack_rows(layer.weight, geometry.output, isa.block());
    Job { geometry, source, layer: Layer { weight: &packed, ..layer } }.run(isa, with_slope)
}

/// The gradient of the input from gradients of the output before the activation (read through `source`'s gate).
pub fn input_gradient(isa: Isa, geometry: &Geometry, source: &Source, weight: &[f32]) -> Vec<f32> {
    let taps = geometry.taps();
    let adjoint = geometry.adjoint();
    // Transposed, and turned round: tap t carries back what tap t carried forth.
    let packed = pack(adjoint.output, adjoint.input, taps, isa.block(), |output, input, tap| {
        weight[(input * geometry.input + output) * taps + taps - 1 - tap]
    });
    let bias = vec![0.0; adjoint.output];
    let layer = Layer { weight: &packed, bias: &bias, addend: None, activation: Activation::None };
    Job { geometry: &adjoint, source, layer }.run(isa, false).output
}

struct Job<'a> {
    geometry: &'a Geometry,
    source: &'a Source<'a>,
    /// Its weights are packed.
    layer: Layer<'a>,
}

impl Job<'_> {
    fn run(&self, isa: Isa, with_slope: bool) -> Convolved {
        let g = self.geometry;
        let (rows, size) = (g.rows(), g.rows() * g.output * g.grid[1]);
        let mut output = Vec::with_capacity(size);
        let mut slope = Vec::with_capacity(if with_slope { size } else { 0 });
        let to = Target {
            output: output.as_mut_ptr(),
            slope: if with_slope { slope.as_mut_ptr() } else { std::ptr::null_mut() },
            addend: self.layer.addend.map_or(std::ptr::null(), <[f32]>::as_ptr),
            stride: g.grid[0] * g.grid[1],
        };
        let threads = rayon::current_num_threads();
        let tasks = (rows * g.operations_per_row() / OPERATIONS_PER_TASK).clamp(1, 4 * threads);
        let cached = (ROWS_LEN / (g.input * g.padded())).max(1);
        let step = rows.div_ceil(tasks).min(cached);
        let by_rows = rows.div_ceil(step);
        // Few rows (one long line, batch 1): split the channels too.
        let parts = if tasks > 1 && by_rows < threads {
            threads.div_ceil(by_rows).min(g.output.div_ceil(isa.block()))
        } else {
            1
        };
        let all: Vec<(usize, usize)> = blocks(g.output, isa.block()).collect();
        let per_part = all.len().div_ceil(parts);
        let task = |i: usize| {
            let (row, part) = (i / parts * step, i % parts * per_part);
            let blocks = &all[part.min(all.len())..(part + per_part).min(all.len())];
            simd::run(isa, Block { job: self, rows: row..(row + step).min(rows), blocks, to });
        };
        let count = by_rows * parts;
        if tasks == 1 {
            (0..count).for_each(task)
        } else {
            (0..count).into_par_iter().for_each(task)
        }
        // SAFETY: the tasks cover all rows and all channels, and `Block` writes every column of them.
        unsafe {
            output.set_len(size);
            slope.set_len(if with_slope { size } else { 0 });
        }
        Convolved { output, slope }
    }
}

/// Some output channels of some output rows.
struct Block<'a> {
    job: &'a Job<'a>,
    rows: Range<usize>,
    blocks: &'a [(usize, usize)],
    to: Target,
}

impl Kernel for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let g = self.job.geometry;
        let slots = Slots::new(g, self.rows.clone(), Order::SlotFirst);
        let taps_per_row = g.taps();
        let mut taps = Vec::with_capacity(self.rows.len() * taps_per_row);
        let mut of_row = Vec::with_capacity(taps_per_row);
        for row in 0..self.rows.len() {
            slots.taps(g, row, &mut of_row);
            taps.extend_from_slice(&of_row);
        }
        let mut scratch = Scratch::new(slots.len(g));
        let x = scratch.get();
        slots.fill(g, self.job.source, x);
        let [n0, n1] = g.grid;
        for &(begin, size) in self.blocks {
            for (row, taps) in self.rows.clone().zip(taps.chunks_exact(taps_per_row)) {
                let product = Product {
                    x,
                    channels: g.input,
                    stride: slots.channel_stride(),
                    taps,
                    weights: self.job.layer.weight,
                    bias: self.job.layer.bias,
                    activation: self.job.layer.activation,
                };
                // SAFETY: `padded` rounds rows up to whole vectors; the target has `rows × channels × columns`
                // numbers, of which no other task writes these; an addend has as many.
                unsafe {
                    let to = self.to.at(row / n0 * g.output * n0 * n1 + row % n0 * n1);
                    product.rows::<V>(begin, size, n1, to);
                }
            }
        }
    }
}
