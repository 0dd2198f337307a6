//! The backward pass: hidden values are recomputed, one group of panels at a time.

use super::layers::{Layers, PANEL, Panels};
use crate::kernel::dots::{Dots, Stretch};
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{self, Isa, Kernel, Lanes};
use crate::kernel::tile::Target;
use rayon::prelude::*;
use std::ops::Range;

/// At most this many partial sums, whatever the number of threads: results depend on shapes only, bit for bit.
const PARTS: usize = 8;

/// A part should do this many operations.
const OPERATIONS_PER_PART: usize = 4_000_000;

/// Numbers in a group of panels: they should stay in the second-level cache.
const GROUP_LEN: usize = 128 * 1024;

/// Right rows of inner products at a time: these of a whole group stay in the first-level cache.
const RIGHT_ROWS: usize = 16;

/// Gradients from that of the output.
#[derive(Clone, Copy)]
pub struct BackwardPass<'a> {
    /// The parameters.
    pub layers: &'a Layers<'a>,
    /// Their weights as [`Layers::pack`] lays them out.
    pub packed: &'a [Vec<f32>],
    /// As [`Layers::pack_transposed`] does.
    pub transposed: &'a [Vec<f32>],
    /// `[batch, in, points]`.
    pub x: &'a [f32],
    /// Points of each example.
    pub points: usize,
    /// Of the output, `[batch, out, points]`.
    pub gradient: &'a [f32],
}

impl BackwardPass<'_> {
    /// Gradients of x, w₁, b₁, w₂, b₂, …
    pub fn run(&self, isa: Isa) -> Vec<Vec<f32>> {
        let panels = self.panels().len();
        let operations = 3 * panels * self.layers.operations_per_panel();
        let parts = (operations / OPERATIONS_PER_PART).clamp(1, PARTS.min(panels));
        let mut x = Vec::with_capacity(self.x.len());
        let to = Target::new(x.as_mut_ptr(), self.points);
        let part = |p: usize| {
            let mut sums = self.layers.zeros();
            let panels = p * panels / parts..(p + 1) * panels / parts;
            simd::run(isa, Share { pass: self, panels, to, sums: &mut sums });
            sums
        };
        let sums: Vec<Vec<Vec<f32>>> =
            if parts == 1 { vec![part(0)] } else { (0..parts).into_par_iter().map(part).collect() };
        // SAFETY: the parts cover all panels, and each writes all channels of its points.
        unsafe { x.set_len(self.x.len()) };
        let total = sums.into_iter().reduce(|mut total, part| {
            for (total, part) in total.iter_mut().flatten().zip(part.iter().flatten()) {
                *total += part;
            }
            total
        });
        std::iter::once(x).chain(total.unwrap_or_default()).collect()
    }

    /// Writes the gradient of x and adds those of the parameters to `sums`, on the calling thread.
    pub fn add(&self, isa: Isa, dx: &mut [f32], sums: &mut [Vec<f32>]) {
        assert_eq!(dx.len(), self.x.len());
        let to = Target::new(dx.as_mut_ptr(), self.points);
        simd::run(isa, Share { pass: self, panels: 0..self.panels().len(), to, sums });
    }

    fn panels(&self) -> Panels {
        Panels::of(self.x, self.layers.widths[0], self.points)
    }
}

/// Some of the panels.
struct Share<'a> {
    pass: &'a BackwardPass<'a>,
    panels: Range<usize>,
    to: Target,
    /// Sums for w₁, b₁, w₂, b₂, …
    sums: &'a mut [Vec<f32>],
}

impl Kernel for Share<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(mut self) {
        let widths = &self.pass.layers.widths;
        let depth = widths.len() - 1;
        let hidden: usize = widths[1..depth].iter().sum();
        let group = (GROUP_LEN / (2 * hidden.max(1) * PANEL)).max(1);
        let all = widths[0] + 2 * hidden + widths[depth];
        let mut scratch = Scratch::new(all * PANEL * group);
        let zeros = vec![0.0; self.pass.layers.widest()];
        let mut begin = self.panels.start;
        while begin < self.panels.end {
            let end = (begin + group).min(self.panels.end);
            let mut levels =
                Levels { values: Vec::with_capacity(depth), gradients: Vec::with_capacity(depth) };
            let mut rest = scratch.get();
            for layer in 0..depth {
                let (values, left) = rest.split_at_mut(widths[layer] * PANEL * group);
                let (gradients, left) = left.split_at_mut(widths[layer + 1] * PANEL * group);
                levels.values.push(values);
                levels.gradients.push(gradients);
                rest = left;
            }
            // SAFETY: `V`'s instruction set is available: this is a kernel.
            unsafe { self.group::<V>(begin..end, levels, &zeros) };
            begin = end;
        }
    }
}

/// Panels `[panel, channel, PANEL]` of the inputs of every layer and of the gradients of its outputs.
struct Levels<'a> {
    values: Vec<&'a mut [f32]>,
    gradients: Vec<&'a mut [f32]>,
}

impl Share<'_> {
    /// Gradients of one group of panels, added to the sums.
    ///
    /// # Safety
    /// `V`'s instruction set is available.
    #[inline(always)]
    unsafe fn group<V: Lanes>(&mut self, panels: Range<usize>, levels: Levels, zeros: &[f32]) {
        let BackwardPass { layers, packed, transposed, x, gradient, .. } = *self.pass;
        let (widths, depth, all) = (&layers.widths, layers.depth(), self.pass.panels());
        let Levels { mut values, mut gradients } = levels;
        let n = panels.len();
        for (i, panel) in panels.enumerate() {
            let panel = all.at(panel);
            let of = |level: usize| i * widths[level] * PANEL..(i + 1) * widths[level] * PANEL;
            panel.copy(x, widths[0], &mut values[0][of(0)]);
            panel.copy(gradient, widths[depth], &mut gradients[depth - 1][of(depth)]);
            // SAFETY: the gradient of x has room for all points, and no other part writes these.
            unsafe {
                for layer in 1..depth {
                    let (before, after) = values.split_at_mut(layer);
                    let from = &before[layer - 1][of(layer - 1)];
                    layers.forth(layer - 1, packed, from).fill::<V>(&mut after[0][of(layer)]);
                }
                for layer in (1..depth).rev() {
                    let (before, after) = gradients.split_at_mut(layer);
                    let to = &mut before[layer - 1][of(layer)];
                    let from = &after[0][of(layer + 1)];
                    layers.back(layer, transposed, from, zeros).fill::<V>(to);
                    gate(to, &values[layer][of(layer)]);
                }
                let to = self.to.at(panel.offset(widths[0], 0));
                let from = &gradients[0][of(1)];
                layers.back(0, transposed, from, zeros).apply::<V>(panel.columns, to);
            }
        }
        for layer in 0..depth {
            let (left, right) = ((&*values[layer], widths[layer]), (&*gradients[layer], widths[layer + 1]));
            add_rows(right.0, right.1, n, &mut self.sums[2 * layer + 1]);
            // SAFETY: all panels of the group have been filled.
            unsafe { add_products::<V>(left, right, n, &mut self.sums[2 * layer]) };
        }
    }
}

/// The derivative of max(·, 0): nothing comes back where the value was zero.
#[inline(always)]
fn gate(gradient: &mut [f32], value: &[f32]) {
    for (gradient, value) in gradient.iter_mut().zip(value) {
        *gradient = if *value > 0.0 { *gradient } else { 0.0 };
    }
}

/// Adds to `sums [channels]` the sums over the points of `n` panels.
#[inline(always)]
fn add_rows(panels: &[f32], channels: usize, n: usize, sums: &mut [f32]) {
    for panel in panels.chunks_exact(channels * PANEL).take(n) {
        for (sum, row) in sums.iter_mut().zip(panel.chunks_exact(PANEL)) {
            let mut lanes = [0.0; 16];
            for chunk in row.chunks_exact(16) {
                lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value);
            }
            *sum += lanes.iter().sum::<f32>();
        }
    }
}

/// Adds to `sums [left, right]` the products of left and right channels over the points of `n` panels.
///
/// # Safety
/// `V`'s instruction set is available.
#[inline(always)]
unsafe fn add_products<V: Lanes>(left: (&[f32], usize), right: (&[f32], usize), n: usize, sums: &mut [f32]) {
    let stretches = |begin: usize| -> Vec<Stretch> {
        let stretch = |i| Stretch { left: i * left.1 * PANEL, right: (i * right.1 + begin) * PANEL };
        (0..n).map(stretch).collect()
    };
    for begin in (0..right.1).step_by(RIGHT_ROWS) {
        let dots = Dots {
            left: left.0,
            left_rows: (left.1, PANEL),
            right: right.0,
            right_rows: ((right.1 - begin).min(RIGHT_ROWS), PANEL),
            columns: PANEL,
        };
        // SAFETY: the panels hold all rows; the instruction set is the caller's promise.
        unsafe { dots.add::<V>(&stretches(begin), &mut sums[begin..], (right.1, 1)) };
    }
}
