//! One complex matrix for each mode: products of `[inputs]` with `[inputs, outputs]`, many modes at a time.
//!
//! Modes lie side by side everywhere, so that all products are by vectors of modes.

use crate::kernel::simd::{self, Isa, Kernel, Lanes, MAX_LANES};
use rayon::prelude::*;

/// A task should do this many complex products.
const PRODUCTS_PER_TASK: usize = 256 * 1024;

/// Examples whose sums are held in registers together.
const BLOCK: usize = 4;

/// Complex weights `[input, output, K]`.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    /// Real parts.
    pub real: &'a [f32],
    /// Imaginary parts.
    pub imaginary: &'a [f32],
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
}

/// Which way the weights are applied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `y_o = Σ_i w_io x_i`.
    Forth,
    /// `y_i = Σ_o conj(w_io) x_o`: gradients back.
    Back,
}

/// Where tasks write, each its own modes.
#[derive(Clone, Copy)]
struct Out(*mut f32);

// SAFETY: tasks write disjoint modes.
unsafe impl Send for Out {}
// SAFETY: as above.
unsafe impl Sync for Out {}

/// `[batch, channels, 2, K]` → `[batch, other channels, 2, K]`.
pub fn mix(isa: Isa, weights: &Weights, way: Way, x: &[f32], modes: usize) -> Vec<f32> {
    let Weights { inputs, outputs, .. } = *weights;
    let (from, to) = if way == Way::Forth { (inputs, outputs) } else { (outputs, inputs) };
    let batch = x.len() / (from * 2 * modes);
    let mut y = vec![0.0; batch * to * 2 * modes];
    let out = Out(y.as_mut_ptr());
    by_modes(modes, batch * inputs * outputs, |begin, end| {
        simd::run(isa, Mix { weights, way, x, batch, modes, begin, end, out });
    });
    y
}

/// The gradients `Σ_b conj(x_bi) g_bo` of the real and imaginary weights, `[input, output, K]` each.
pub fn weight_gradients(
    isa: Isa,
    (inputs, outputs): (usize, usize),
    x: &[f32],
    g: &[f32],
    modes: usize,
) -> [Vec<f32>; 2] {
    let batch = x.len() / (inputs * 2 * modes);
    let mut found = [(); 2].map(|_| vec![0.0; inputs * outputs * modes]);
    let outs = found.each_mut().map(|f| Out(f.as_mut_ptr()));
    by_modes(modes, batch * inputs * outputs, |begin, end| {
        simd::run(isa, Outer { x, g, batch, inputs, outputs, modes, begin, end, outs });
    });
    found
}

/// Calls `task(begin, end)` for ranges of modes that begin with whole vectors.
fn by_modes(modes: usize, products: usize, task: impl Fn(usize, usize) + Sync) {
    let tasks = (modes * products / PRODUCTS_PER_TASK).clamp(1, 4 * rayon::current_num_threads());
    // The same vectors whatever the number of threads: results depend on shapes only.
    let step = modes.div_ceil(tasks).next_multiple_of(MAX_LANES);
    let range = |i: usize| task(i * step, ((i + 1) * step).min(modes));
    if tasks == 1 { range(0) } else { (0..modes.div_ceil(step)).into_par_iter().for_each(range) }
}

/// The first `n` numbers at `from`, the rest zero.
///
/// # Safety
/// `V`'s instruction set is available and `n ≤ V::N` numbers can be read.
#[inline(always)]
unsafe fn load<V: Lanes>(from: *const f32, n: usize) -> V {
    // SAFETY: as promised; fewer numbers go through a buffer of a whole vector.
    unsafe {
        if n == V::N {
            return V::load(from);
        }
        let mut chunk = [0.0; MAX_LANES];
        std::ptr::copy_nonoverlapping(from, chunk.as_mut_ptr(), n);
        V::load(chunk.as_ptr())
    }
}

/// The first `n` numbers to `to`.
///
/// # Safety
/// As [`load`], to be written.
#[inline(always)]
unsafe fn store<V: Lanes>(value: V, to: *mut f32, n: usize) {
    // SAFETY: as promised; fewer numbers go through a buffer of a whole vector.
    unsafe {
        if n == V::N {
            return value.store(to);
        }
        let mut chunk = [0.0; MAX_LANES];
        value.store(chunk.as_mut_ptr());
        std::ptr::copy_nonoverlapping(chunk.as_ptr(), to, n);
    }
}

struct Mix<'a> {
    weights: &'a Weights<'a>,
    way: Way,
    x: &'a [f32],
    batch: usize,
    modes: usize,
    begin: usize,
    end: usize,
    out: Out,
}

impl Kernel for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let mut mode = self.begin;
        while mode < self.end {
            // Two vectors if there are as many: neighboring cache lines come together.
            let left = self.end - mode;
            let n = if left >= 2 * V::N { 2 * V::N } else { left.min(V::N) };
            for begin in (0..self.batch).step_by(BLOCK) {
                // SAFETY: modes `mode..mode + n` exist in all arrays, and no other task writes them.
                unsafe {
                    match (n == 2 * V::N, self.batch - begin) {
                        (true, 1) => self.examples::<V, 1, 2>(begin, mode, V::N),
                        (true, 2) => self.examples::<V, 2, 2>(begin, mode, V::N),
                        (true, 3) => self.examples::<V, 3, 2>(begin, mode, V::N),
                        (true, _) => self.examples::<V, BLOCK, 2>(begin, mode, V::N),
                        (false, 1) => self.examples::<V, 1, 1>(begin, mode, n),
                        (false, 2) => self.examples::<V, 2, 1>(begin, mode, n),
                        (false, 3) => self.examples::<V, 3, 1>(begin, mode, n),
                        (false, _) => self.examples::<V, BLOCK, 1>(begin, mode, n),
                    }
                }
            }
            mode += n;
        }
    }
}

impl Mix<'_> {
    /// W vectors of `n` modes each, from `mode`, of examples `begin..begin + B`.
    ///
    /// # Safety
    /// `V`'s instruction set is available, these modes and examples exist, and no other task writes them.
    #[inline(always)]
    unsafe fn examples<V: Lanes, const B: usize, const W: usize>(&self, begin: usize, mode: usize, n: usize) {
        let Weights { real, imaginary, inputs, outputs } = *self.weights;
        let modes = self.modes;
        // Distances of the weights of neighboring source and target channels, and the sign of their imaginary parts.
        let (from, to, from_step, to_step, sign) = match self.way {
            Way::Forth => (inputs, outputs, outputs * modes, modes, 1.0),
            Way::Back => (outputs, inputs, modes, outputs * modes, -1.0),
        };
        // SAFETY: all arrays hold `modes` numbers for each example or pair of channels; the rest is as promised.
        unsafe {
            let (zero, sign, opposite) = (V::splat(0.0), V::splat(sign), V::splat(-sign));
            for target in 0..to {
                let (mut sums_re, mut sums_im) = ([[zero; W]; B], [[zero; W]; B]);
                for source in 0..from {
                    for w in 0..W {
                        let at = target * to_step + source * from_step + mode + w * n;
                        let re = load::<V>(real.as_ptr().add(at), n);
                        let plain = load::<V>(imaginary.as_ptr().add(at), n);
                        let (im, minus_im) = (plain.mul_add(sign, zero), plain.mul_add(opposite, zero));
                        for b in 0..B {
                            let example = ((begin + b) * from + source) * 2 * modes;
                            let x = self.x.as_ptr().add(example + mode + w * n);
                            let (x_re, x_im) = (load::<V>(x, n), load::<V>(x.add(modes), n));
                            sums_re[b][w] = x_im.mul_add(minus_im, x_re.mul_add(re, sums_re[b][w]));
                            sums_im[b][w] = x_im.mul_add(re, x_re.mul_add(im, sums_im[b][w]));
                        }
                    }
                }
                for b in 0..B {
                    for w in 0..W {
                        let y = self.out.0.add(((begin + b) * to + target) * 2 * modes + mode + w * n);
                        store(sums_re[b][w], y, n);
                        store(sums_im[b][w], y.add(modes), n);
                    }
                }
            }
        }
    }
}

struct Outer<'a> {
    x: &'a [f32],
    g: &'a [f32],
    batch: usize,
    inputs: usize,
    outputs: usize,
    modes: usize,
    begin: usize,
    end: usize,
    outs: [Out; 2],
}

impl Kernel for Outer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Self { inputs, outputs, modes, .. } = self;
        for mode in (self.begin..self.end).step_by(V::N) {
            let n = (self.end - mode).min(V::N);
            for pair in 0..inputs * outputs {
                let (input, output) = (pair / outputs, pair % outputs);
                // SAFETY: modes `mode..mode + n` exist in all arrays, and no other task writes them.
                unsafe {
                    let (mut re, mut im) = (V::splat(0.0), V::splat(0.0));
                    let minus = V::splat(-1.0);
                    for b in 0..self.batch {
                        let x = self.x.as_ptr().add((b * inputs + input) * 2 * modes + mode);
                        let g = self.g.as_ptr().add((b * outputs + output) * 2 * modes + mode);
                        let (x_re, x_im) = (load::<V>(x, n), load::<V>(x.add(modes), n));
                        let (g_re, g_im) = (load::<V>(g, n), load::<V>(g.add(modes), n));
                        re = x_im.mul_add(g_im, x_re.mul_add(g_re, re));
                        let minus_x_im = x_im.mul_add(minus, V::splat(0.0));
                        im = minus_x_im.mul_add(g_re, x_re.mul_add(g_im, im));
                    }
                    store(re, self.outs[0].0.add(pair * modes + mode), n);
                    store(im, self.outs[1].0.add(pair * modes + mode), n);
                }
            }
        }
    }
}
