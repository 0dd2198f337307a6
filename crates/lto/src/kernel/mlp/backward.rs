//! The backward pass: hidden values are recomputed, one group of panels at a time.

use super::layers::{Layers, PANEL, Panel};
use crate::kernel::activation::Activation::Relu;
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

/// Gradients of x, w₁, b₁, w₂, b₂, w₃, b₃ from that of the output `[batch, out, points]`.
pub fn backward(isa: Isa, layers: &Layers, gradient: &[f32]) -> [Vec<f32>; 7] {
    let (packed, transposed) = (layers.pack(isa), layers.pack_transposed(isa));
    let mut x = Vec::with_capacity(layers.x.len());
    let to = Target::new(x.as_mut_ptr(), layers.points);
    let panels = layers.batch * layers.panels();
    let parts =
        (3 * panels * layers.operations_per_panel() / OPERATIONS_PER_PART).clamp(1, PARTS.min(panels));
    let part = |p: usize| {
        let panels = p * panels / parts..(p + 1) * panels / parts;
        simd::run(isa, Part { layers, packed: &packed, transposed: &transposed, gradient, panels, to })
    };
    let sums: Vec<[Vec<f32>; 6]> =
        if parts == 1 { vec![part(0)] } else { (0..parts).into_par_iter().map(part).collect() };
    // SAFETY: the parts cover all panels, and each writes all channels of its points.
    unsafe { x.set_len(layers.x.len()) };
    let total = sums.into_iter().reduce(|mut total, part| {
        for (total, part) in total.iter_mut().flatten().zip(part.iter().flatten()) {
            *total += part;
        }
        total
    });
    let [w1, b1, w2, b2, w3, b3] = total.unwrap_or_default();
    [x, w1, b1, w2, b2, w3, b3]
}

struct Part<'a> {
    layers: &'a Layers<'a>,
    packed: &'a [Vec<f32>; 3],
    transposed: &'a [Vec<f32>; 3],
    gradient: &'a [f32],
    panels: Range<usize>,
    to: Target,
}

impl Kernel for Part<'_> {
    /// Sums for w₁, b₁, w₂, b₂, w₃, b₃.
    type Output = [Vec<f32>; 6];

    #[inline(always)]
    fn run<V: Lanes>(self) -> Self::Output {
        let [k, d1, d2, q] = self.layers.widths;
        let mut sums = [k * d1, d1, d1 * d2, d2, d2 * q, q].map(|n| vec![0.0; n]);
        let zeros = vec![0.0; k.max(d1).max(d2)];
        let group = (GROUP_LEN / (2 * (d1 + d2) * PANEL)).max(1);
        let mut scratch = Scratch::new((k + q + 2 * (d1 + d2)) * PANEL * group);
        let mut begin = self.panels.start;
        while begin < self.panels.end {
            let end = (begin + group).min(self.panels.end);
            let mut rest = scratch.get();
            let mut take = |channels: usize| {
                let (taken, left) = std::mem::take(&mut rest).split_at_mut(channels * PANEL * group);
                rest = left;
                taken
            };
            let values =
                Values { x: take(k), h1: take(d1), h2: take(d2), dh1: take(d1), dh2: take(d2), dy: take(q) };
            // SAFETY: `V`'s instruction set is available: this is a kernel.
            unsafe { self.group::<V>(begin..end, values, &zeros, &mut sums) };
            begin = end;
        }
        sums
    }
}

/// Panels `[panel, channel, PANEL]` of values and of gradients.
struct Values<'a> {
    x: &'a mut [f32],
    h1: &'a mut [f32],
    h2: &'a mut [f32],
    dh1: &'a mut [f32],
    dh2: &'a mut [f32],
    dy: &'a mut [f32],
}

impl Part<'_> {
    /// Gradients of one group of panels, added to the sums.
    ///
    /// # Safety
    /// `V`'s instruction set is available.
    #[inline(always)]
    unsafe fn group<V: Lanes>(
        &self,
        panels: Range<usize>,
        values: Values,
        zeros: &[f32],
        sums: &mut [Vec<f32>; 6],
    ) {
        let layers = self.layers;
        let [k, d1, d2, q] = layers.widths;
        let Values { x, h1, h2, dh1, dh2, dy } = values;
        let n = panels.len();
        for (i, panel) in panels.enumerate() {
            let panel = Panel::new(layers, panel);
            let of = |channels: usize| i * channels * PANEL..(i + 1) * channels * PANEL;
            panel.copy(layers.x, k, layers.points, &mut x[of(k)]);
            panel.copy(self.gradient, q, layers.points, &mut dy[of(q)]);
            // SAFETY: the gradient of x has room for all points, and no other part writes these.
            unsafe {
                layers.forth(0, self.packed, &x[of(k)], Relu).fill::<V>(&mut h1[of(d1)]);
                layers.forth(1, self.packed, &h1[of(d1)], Relu).fill::<V>(&mut h2[of(d2)]);
                layers.back(2, self.transposed, &dy[of(q)], zeros).fill::<V>(&mut dh2[of(d2)]);
                gate(&mut dh2[of(d2)], &h2[of(d2)]);
                layers.back(1, self.transposed, &dh2[of(d2)], zeros).fill::<V>(&mut dh1[of(d1)]);
                gate(&mut dh1[of(d1)], &h1[of(d1)]);
                let to = self.to.at(panel.example * k * layers.points + panel.begin);
                layers.back(0, self.transposed, &dh1[of(d1)], zeros).apply::<V>(panel.columns, to);
            }
        }
        let [w1, b1, w2, b2, w3, b3] = sums;
        add_rows(dh1, d1, n, b1);
        add_rows(dh2, d2, n, b2);
        add_rows(dy, q, n, b3);
        // SAFETY: all panels of the group have been filled.
        unsafe {
            add_products::<V>((x, k), (dh1, d1), n, w1);
            add_products::<V>((h1, d1), (dh2, d2), n, w2);
            add_products::<V>((h2, d2), (dy, q), n, w3);
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
