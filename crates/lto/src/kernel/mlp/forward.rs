//! The forward pass.

use super::layers::{Layers, PANEL, Panels};
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{self, Isa, Kernel, Lanes};
use crate::kernel::tile::Target;
use rayon::prelude::*;
use std::mem::{MaybeUninit, swap};
use std::ops::Range;

/// A task should do this many operations: 20 µs, well above the cost of starting it.
const OPERATIONS_PER_TASK: usize = 4_000_000;

/// The perceptron at all points of some examples, plus a residual if there is one.
#[derive(Clone, Copy)]
pub struct ForwardPass<'a> {
    /// The parameters.
    pub layers: &'a Layers<'a>,
    /// Their weights as [`Layers::pack`] lays them out.
    pub packed: &'a [Vec<f32>],
    /// `[batch, in, points]`.
    pub x: &'a [f32],
    /// Points of each example.
    pub points: usize,
    /// Added to the output: `[batch, out, points]`.
    pub residual: Option<&'a [f32]>,
}

impl ForwardPass<'_> {
    /// Writes all of `y [batch, out, points]`.
    pub fn run(&self, isa: Isa, y: &mut [MaybeUninit<f32>]) {
        let panels = Panels::of(self.x, self.layers.widths[0], self.points);
        let size = panels.batch * self.layers.output() * self.points;
        assert!(y.len() == size && self.residual.is_none_or(|residual| residual.len() == size));
        let to = Target::new(y.as_mut_ptr().cast(), self.points);
        let n = panels.len();
        let most = 4 * rayon::current_num_threads();
        let tasks = (n * self.layers.operations_per_panel() / OPERATIONS_PER_TASK).clamp(1, most);
        let step = n.div_ceil(tasks);
        let task = |i: usize| {
            simd::run(isa, Share { pass: self, panels, range: i * step..((i + 1) * step).min(n), to });
        };
        if tasks == 1 { task(0) } else { (0..n.div_ceil(step)).into_par_iter().for_each(task) }
    }
}

/// Some of the panels.
struct Share<'a> {
    pass: &'a ForwardPass<'a>,
    panels: Panels,
    range: Range<usize>,
    to: Target,
}

impl Kernel for Share<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let ForwardPass { layers, packed, x, residual, .. } = *self.pass;
        let (last, outputs) = (layers.depth() - 1, layers.output());
        let widest = layers.widest();
        let mut scratch = Scratch::new(2 * widest * PANEL);
        let (mut from, mut next) = scratch.get().split_at_mut(widest * PANEL);
        for index in self.range.clone() {
            let panel = self.panels.at(index);
            panel.copy(x, layers.widths[0], from);
            // SAFETY: `V`'s instruction set is available; the output has room for all points, and no other task writes these.
            unsafe {
                for i in 0..last {
                    layers.forth(i, packed, from).fill::<V>(next);
                    swap(&mut from, &mut next);
                }
                let to = self.to.at(panel.offset(outputs, 0));
                match residual {
                    None => layers.forth(last, packed, from).apply::<V>(panel.columns, to),
                    Some(residual) => {
                        layers.forth(last, packed, from).fill::<V>(next);
                        panel.add(residual, outputs, next);
                        for (channel, row) in next.chunks_exact(PANEL).take(outputs).enumerate() {
                            let to = to.at(channel * to.stride).output;
                            std::ptr::copy_nonoverlapping(row.as_ptr(), to, panel.columns);
                        }
                    }
                }
            }
        }
    }
}
