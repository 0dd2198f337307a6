//! The forward pass.

use super::layers::{Layers, PANEL, Panel};
use crate::kernel::activation::Activation::{None, Relu};
use crate::kernel::scratch::Scratch;
use crate::kernel::simd::{self, Isa, Kernel, Lanes};
use crate::kernel::tile::Target;
use rayon::prelude::*;
use std::ops::Range;

/// A task should do this many operations: 20 µs, well above the cost of starting it.
const OPERATIONS_PER_TASK: usize = 4_000_000;

/// `[batch, out, points]`.
pub fn forward(isa: Isa, layers: &Layers) -> Vec<f32> {
    let packed = layers.pack(isa);
    let size = layers.batch * layers.widths[3] * layers.points;
    let mut output = Vec::with_capacity(size);
    let to = Target::new(output.as_mut_ptr(), layers.points);
    let panels = layers.batch * layers.panels();
    let most = 4 * rayon::current_num_threads();
    let tasks = (panels * layers.operations_per_panel() / OPERATIONS_PER_TASK).clamp(1, most);
    let step = panels.div_ceil(tasks);
    let task = |i: usize| {
        let panels = i * step..((i + 1) * step).min(panels);
        simd::run(isa, Panels { layers, packed: &packed, panels, to });
    };
    if tasks == 1 {
        task(0)
    } else {
        (0..panels.div_ceil(step)).into_par_iter().for_each(task)
    }
    // SAFETY: the tasks cover all panels, and `Panels` writes all channels of all their points.
    unsafe { output.set_len(size) };
    output
}

struct Panels<'a> {
    layers: &'a Layers<'a>,
    packed: &'a [Vec<f32>; 3],
    panels: Range<usize>,
    to: Target,
}

impl Kernel for Panels<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let layers = self.layers;
        let [k, d1, d2, q] = layers.widths;
        let mut scratch = Scratch::new((k + d1 + d2) * PANEL);
        let (x, rest) = scratch.get().split_at_mut(k * PANEL);
        let (h1, h2) = rest.split_at_mut(d1 * PANEL);
        for panel in self.panels.clone() {
            let panel = Panel::new(layers, panel);
            panel.copy(layers.x, k, layers.points, x);
            // SAFETY: the output has room for all points, and no other task writes these.
            unsafe {
                layers.forth(0, self.packed, x, Relu).fill::<V>(h1);
                layers.forth(1, self.packed, h1, Relu).fill::<V>(h2);
                let to = self.to.at(panel.example * q * layers.points + panel.begin);
                layers.forth(2, self.packed, h2, None).apply::<V>(panel.columns, to);
            }
        }
    }
}
