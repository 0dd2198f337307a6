//! The register tile of all products: channels times columns.

use super::activation::{Activation, Chunk, chunk_of};
use super::simd::{self, Kernel, Lanes, MAX_LANES};

/// Vectors in a row of the widest tile.
const WIDEST: usize = 3;

/// Sums over `(channel, tap)` of weights times shifted rows of `x`: one output block of `[channels, columns]`.
#[derive(Clone, Copy)]
pub struct Product<'a> {
    /// The input; row `channel` shifted by `tap` begins at `channel · stride + taps[tap]`.
    pub x: &'a [f32],
    /// Number of input channels.
    pub channels: usize,
    /// Distance between the rows of two channels.
    pub stride: usize,
    /// Where the row of channel 0 begins, for each tap.
    pub taps: &'a [usize],
    /// Weights as [`pack`] lays them out.
    pub weights: &'a [f32],
    /// Added to every output channel.
    pub bias: &'a [f32],
    /// Applied last.
    pub activation: Activation,
}

/// The destination of a product, and what is added to it before the activation.
#[derive(Clone, Copy)]
pub struct Target {
    /// Output channel 0, column 0.
    pub output: *mut f32,
    /// The activation's derivative, laid out as the output; null if not wanted.
    pub slope: *mut f32,
    /// Added before the activation, laid out as the output; null if nothing is.
    pub addend: *const f32,
    /// Distance between output channels.
    pub stride: usize,
}

// SAFETY: tasks write disjoint parts.
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

impl Target {
    /// Values only, output channels `stride` apart.
    pub fn new(output: *mut f32, stride: usize) -> Self {
        Self { output, slope: std::ptr::null_mut(), addend: std::ptr::null(), stride }
    }

    /// The same, `offset` numbers further.
    ///
    /// # Safety
    /// The offset lies within the allocations.
    #[inline(always)]
    pub unsafe fn at(self, offset: usize) -> Self {
        // SAFETY: the offset lies within all of them, as promised; there may be no slopes and no addend.
        unsafe {
            let slope = if self.slope.is_null() { self.slope } else { self.slope.add(offset) };
            let addend = if self.addend.is_null() { self.addend } else { self.addend.add(offset) };
            Self { output: self.output.add(offset), slope, addend, ..self }
        }
    }
}

/// The sizes of the blocks that `channels` output channels are computed in: as large as the registers allow.
pub fn blocks(channels: usize, block: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut begin = 0;
    std::iter::from_fn(move || {
        let left = channels - begin;
        let size = [block, 4, 2, 1].into_iter().find(|size| *size <= left)?;
        begin += size;
        Some((begin - size, size))
    })
}

/// Weights in the order a tile reads them: for each block of output channels, `[input, tap, block]`.
/// `weight(output, input, tap)` gives one.
pub fn pack(
    outputs: usize,
    inputs: usize,
    taps: usize,
    block: usize,
    weight: impl Fn(usize, usize, usize) -> f32,
) -> Vec<f32> {
    let mut packed = Vec::with_capacity(outputs * inputs * taps);
    for (begin, size) in blocks(outputs, block) {
        for input in 0..inputs {
            for tap in 0..taps {
                packed.extend((begin..begin + size).map(|output| weight(output, input, tap)));
            }
        }
    }
    packed
}

/// [`pack`] of `weights [outputs, n]`, n inputs times taps, without a function for each of them.
pub fn pack_rows(weights: &[f32], outputs: usize, block: usize) -> Vec<f32> {
    let n = weights.len() / outputs;
    let mut packed = Vec::with_capacity(weights.len());
    for (begin, size) in blocks(outputs, block) {
        let rows = &weights[begin * n..(begin + size) * n];
        match size {
            8 => interleave::<8>(rows, &mut packed),
            4 => interleave::<4>(rows, &mut packed),
            2 => interleave::<2>(rows, &mut packed),
            _ => packed.extend_from_slice(rows),
        }
    }
    packed
}

/// The first number of each of B rows, then the second of each, and so on.
fn interleave<const B: usize>(rows: &[f32], packed: &mut Vec<f32>) {
    let n = rows.len() / B;
    let rows: [&[f32]; B] = std::array::from_fn(|b| &rows[b * n..(b + 1) * n]);
    for j in 0..n {
        packed.extend_from_slice(&rows.map(|row| row[j]));
    }
}

impl Product<'_> {
    /// Computes output channels `begin..begin + size` (one of [`blocks`]) of the first `columns` columns.
    ///
    /// # Safety
    /// `V`'s instruction set is available; every row of `x` has `columns` rounded up to [`MAX_LANES`]
    /// numbers; `to` has room for `columns` numbers in each of these channels, and its addend as many.
    #[inline(always)]
    pub unsafe fn rows<V: Lanes>(&self, begin: usize, size: usize, columns: usize, to: Target) {
        simd::run(V::ISA, Rows { product: self, begin, size, columns, to });
    }

    /// Output channels `begin..begin + B` of the first `columns` columns.
    ///
    /// # Safety
    /// As [`Product::rows`].
    #[inline(always)]
    unsafe fn columns<V: Lanes, const B: usize>(&self, begin: usize, columns: usize, to: Target) {
        let mut column = 0;
        while column < columns {
            let left = columns - column;
            // Four vectors are faster as two and two than as three and one.
            let vectors = match left / V::N {
                0 | 1 => 1,
                2 => 2,
                4 if left == 4 * V::N => 2,
                _ => WIDEST,
            };
            // SAFETY: as promised; the columns from `column` on are at least `left`.
            unsafe {
                match vectors {
                    1 => self.tile::<V, B, 1>(begin, column, left, to),
                    2 => self.tile::<V, B, 2>(begin, column, left, to),
                    _ => self.tile::<V, B, WIDEST>(begin, column, left, to),
                }
            }
            column += vectors * V::N;
        }
    }

    /// W vectors of B output channels from `begin`, at `column`; of them the first `left` columns are written.
    ///
    /// # Safety
    /// As [`Product::rows`].
    #[inline(always)]
    unsafe fn tile<V: Lanes, const B: usize, const W: usize>(
        &self,
        begin: usize,
        column: usize,
        left: usize,
        to: Target,
    ) {
        // SAFETY: rows of `x` hold whole vectors and `to` has room, as promised; `pack` laid out `B` weights for every
        // channel and tap; `row` holds `WIDEST` vectors.
        unsafe {
            let mut sums = [[V::splat(0.0); W]; B];
            for (sums, bias) in sums.iter_mut().zip(&self.bias[begin..begin + B]) {
                *sums = [V::splat(*bias); W];
            }
            let mut weights = self.weights.as_ptr().add(begin * self.channels * self.taps.len());
            let mut x = self.x.as_ptr().add(column);
            for _ in 0..self.channels {
                for &tap in self.taps {
                    let row = x.add(tap);
                    let mut v = [V::splat(0.0); W];
                    for (i, v) in v.iter_mut().enumerate() {
                        *v = V::load(row.add(i * V::N));
                    }
                    for (b, sums) in sums.iter_mut().enumerate() {
                        let w = V::splat(*weights.add(b));
                        for (sum, v) in sums.iter_mut().zip(v) {
                            *sum = w.mul_add(v, *sum);
                        }
                    }
                    weights = weights.add(B);
                }
                x = x.add(self.stride);
            }
            let columns = (W * V::N).min(left);
            let to = to.at(begin * to.stride + column);
            // What is done at once, without a buffer between: whole vectors, and no function that would be compiled into every tile.
            let simple = matches!(self.activation, Activation::None | Activation::Relu);
            let plain = simple && columns == W * V::N && to.slope.is_null();
            for (b, sums) in sums.into_iter().enumerate() {
                let to = to.at(b * to.stride);
                if plain {
                    for (i, sum) in sums.into_iter().enumerate() {
                        let sum = match to.addend.is_null() {
                            true => sum,
                            false => sum.mul_add(sum.all(1.0), V::load(to.addend.add(i * V::N))),
                        };
                        let sum =
                            if self.activation == Activation::Relu { sum.max(sum.all(0.0)) } else { sum };
                        sum.store(to.output.add(i * V::N));
                    }
                } else {
                    let mut row = [0.0; WIDEST * MAX_LANES];
                    for (i, sum) in sums.into_iter().enumerate() {
                        sum.store(row.as_mut_ptr().add(i * V::N));
                    }
                    let activation = self.activation;
                    simd::run(V::ISA, Finish { activation, row: &mut row, columns, to });
                }
            }
        }
    }
}

/// [`Product::rows`].
struct Rows<'a> {
    product: &'a Product<'a>,
    begin: usize,
    size: usize,
    columns: usize,
    to: Target,
}

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Rows { product, begin, size, columns, to } = self;
        // SAFETY: as promised to `Product::rows`.
        unsafe {
            match size {
                8 => product.columns::<V, 8>(begin, columns, to),
                4 => product.columns::<V, 4>(begin, columns, to),
                2 => product.columns::<V, 2>(begin, columns, to),
                _ => product.columns::<V, 1>(begin, columns, to),
            }
        }
    }
}

/// Adds to one row of a tile, activates it and writes its first `columns` numbers.
struct Finish<'a> {
    activation: Activation,
    row: &'a mut [f32; WIDEST * MAX_LANES],
    columns: usize,
    to: Target,
}

impl Kernel for Finish<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Finish { activation, row, columns, to } = self;
        for begin in (0..columns).step_by(MAX_LANES) {
            let n = (columns - begin).min(MAX_LANES);
            // SAFETY: the row holds whole chunks, the target has room for `columns` numbers, its addend holds them.
            unsafe {
                let chunk: &mut Chunk = &mut *row.as_mut_ptr().add(begin).cast();
                if !to.addend.is_null() {
                    let addend = chunk_of(std::slice::from_raw_parts(to.addend.add(begin), n));
                    chunk.iter_mut().zip(addend).for_each(|(x, addend)| *x += addend);
                }
                if to.slope.is_null() {
                    activation.apply::<V>(chunk);
                } else {
                    write(&activation.apply_with_slope::<V>(chunk), to.slope.add(begin), n);
                }
                write(chunk, to.output.add(begin), n);
            }
        }
    }
}

/// The first `n` numbers; whole chunks without a call to `memcpy`.
///
/// # Safety
/// At most [`MAX_LANES`] numbers, which can be written.
#[inline(always)]
unsafe fn write(chunk: &Chunk, to: *mut f32, n: usize) {
    // SAFETY: as promised.
    unsafe {
        if n == MAX_LANES {
            to.cast::<Chunk>().write_unaligned(*chunk);
        } else {
            std::ptr::copy_nonoverlapping(chunk.as_ptr(), to, n);
        }
    }
}
