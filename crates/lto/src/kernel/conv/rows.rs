//! Rows of a tensor, continued past the edge and copied side by side for the kernels.

use crate::kernel::simd::MAX_LANES;

/// How a convolution continues its input past the edge, per array axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// As a circle.
    Periodic,
    /// By zeros.
    Zero,
}

/// Sizes of a convolution that keeps the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Batch size.
    pub batch: usize,
    /// Input channels.
    pub input: usize,
    /// Output channels.
    pub output: usize,
    /// Grid.
    pub grid: [usize; 2],
    /// Kernel, odd.
    pub kernel: [usize; 2],
    /// Distance between the taps.
    pub dilation: usize,
    /// Continuation past the edge.
    pub padding: [Padding; 2],
}

impl Geometry {
    /// Number of taps.
    pub fn taps(&self) -> usize {
        self.kernel[0] * self.kernel[1]
    }

    /// The convolution that carries gradients of the output back to the input.
    pub fn adjoint(&self) -> Self {
        Self { input: self.output, output: self.input, ..*self }
    }

    /// Output rows of the whole batch.
    pub fn rows(&self) -> usize {
        self.batch * self.grid[0]
    }

    /// Operations per output row (multiplications and additions counted apart).
    pub fn operations_per_row(&self) -> usize {
        2 * self.input * self.output * self.taps() * self.grid[1]
    }

    /// Reach of the kernel along the last axis.
    fn reach(&self) -> usize {
        self.dilation * (self.kernel[1] / 2)
    }

    /// Length of a continued row, whole vectors.
    pub fn padded(&self) -> usize {
        (self.grid[1].next_multiple_of(MAX_LANES) + 2 * self.reach()).next_multiple_of(MAX_LANES)
    }

    /// The input row (counted through the batch) that tap `tap` of output row `row` falls on; `None` past a zero edge.
    fn source(&self, row: usize, tap: usize) -> Option<usize> {
        let n = self.grid[0] as isize;
        let shift = self.dilation as isize * (tap as isize - (self.kernel[0] / 2) as isize);
        let y = (row % self.grid[0]) as isize + shift;
        match self.padding[0] {
            _ if (0..n).contains(&y) => Some((row as isize + shift) as usize),
            Padding::Periodic => Some(row - row % self.grid[0] + y.rem_euclid(n) as usize),
            Padding::Zero => None,
        }
    }
}

/// The factor of copied numbers: the activation's derivative, if the rows are gradients.
#[derive(Clone, Copy)]
pub enum Gate<'a> {
    /// The factor 1.
    Open,
    /// 1 where the value is positive, else 0.
    Positive(&'a [f32]),
    /// The value itself.
    Slope(&'a [f32]),
}

/// A tensor `[batch, channel, n0, n1]` read row by row through a gate.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its numbers.
    pub values: &'a [f32],
    /// The factor of each number.
    pub gate: Gate<'a>,
    /// Channels.
    pub channels: usize,
    /// Grid.
    pub grid: [usize; 2],
}

impl Source<'_> {
    /// All numbers through the gate.
    pub fn gated(&self) -> Vec<f32> {
        let values = self.values.iter();
        match self.gate {
            Gate::Open => self.values.to_vec(),
            Gate::Positive(of) => values.zip(of).map(|(v, of)| if *of > 0.0 { *v } else { 0.0 }).collect(),
            Gate::Slope(of) => values.zip(of).map(|(v, of)| v * of).collect(),
        }
    }

    /// Where row `row` (counted through the batch) of channel 0 begins; that of the next channel a plane later.
    #[inline(always)]
    pub fn row(&self, row: usize) -> usize {
        let [n0, n1] = self.grid;
        (row / n0 * self.channels * n0 + row % n0) * n1
    }

    /// Copies the row that begins at `begin` to `to`.
    #[inline(always)]
    pub fn copy(&self, begin: usize, to: &mut [f32]) {
        let range = begin..begin + self.grid[1];
        let values = &self.values[range.clone()];
        match self.gate {
            Gate::Open => copy(values, to),
            Gate::Positive(of) => {
                for ((to, value), of) in to.iter_mut().zip(values).zip(&of[range]) {
                    *to = if *of > 0.0 { *value } else { 0.0 };
                }
            }
            Gate::Slope(of) => {
                for ((to, value), of) in to.iter_mut().zip(values).zip(&of[range]) {
                    *to = value * of;
                }
            }
        }
    }
}

/// Copies numbers; as many as small grids and their images have, without a call.
#[inline(always)]
fn copy(from: &[f32], to: &mut [f32]) {
    #[inline(always)]
    fn exactly<const N: usize>(from: &[f32], to: &mut [f32]) {
        if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
            *to = *from;
        }
    }
    match from.len() {
        1 => exactly::<1>(from, to),
        2 => exactly::<2>(from, to),
        4 => exactly::<4>(from, to),
        8 => exactly::<8>(from, to),
        16 => exactly::<16>(from, to),
        32 => exactly::<32>(from, to),
        _ => to.copy_from_slice(from),
    }
}

/// Which input rows a block of output rows needs, each once, and where each tap finds its own.
pub struct Slots {
    /// Input rows; `None` is a row of zeros.
    sources: Vec<Option<usize>>,
    /// Slot of `[output row, first tap]`.
    slot: Vec<usize>,
    /// Distance between slots in the copy.
    slot_stride: usize,
    /// Distance between channels in the copy.
    channel_stride: usize,
    order: Order,
}

/// The layout of the copied rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `[slot, channel, padded]`: for sums over channels.
    SlotFirst,
    /// `[channel, slot, padded]`: for sums over rows.
    ChannelFirst,
}

impl Slots {
    /// For output rows `rows`.
    pub fn new(geometry: &Geometry, rows: std::ops::Range<usize>, order: Order) -> Self {
        let mut sources = Vec::new();
        let mut slot = Vec::with_capacity(rows.len() * geometry.kernel[0]);
        // The slot of each input row, and after them that of zeros; none yet.
        let mut slots = vec![usize::MAX; geometry.rows() + 1];
        for row in rows {
            for tap in 0..geometry.kernel[0] {
                let source = geometry.source(row, tap);
                let known = &mut slots[source.unwrap_or(geometry.rows())];
                if *known == usize::MAX {
                    *known = sources.len();
                    sources.push(source);
                }
                slot.push(*known);
            }
        }
        let padded = geometry.padded();
        let (slot_stride, channel_stride) = match order {
            Order::SlotFirst => (geometry.input * padded, padded),
            Order::ChannelFirst => (padded, sources.len() * padded),
        };
        Self { sources, slot, slot_stride, channel_stride, order }
    }

    /// Numbers needed for a copy of the rows.
    pub fn len(&self, geometry: &Geometry) -> usize {
        self.sources.len() * geometry.input * geometry.padded()
    }

    /// Distance between channels in the copy.
    pub fn channel_stride(&self) -> usize {
        self.channel_stride
    }

    /// Copies the rows, with zeros past the padding wherever they are read.
    #[inline(always)]
    pub fn fill(&self, geometry: &Geometry, source: &Source, to: &mut [f32]) {
        let (n, reach, padded) = (geometry.grid[1], geometry.reach(), geometry.padded());
        let plane = geometry.grid[0] * n;
        // Sums over channels read whole vectors: not past the padding, if the rows are whole vectors.
        let beyond = self.order == Order::ChannelFirst || n % MAX_LANES != 0;
        for (slot, row) in self.sources.iter().enumerate() {
            let begin = row.map(|row| source.row(row));
            for channel in 0..geometry.input {
                let to = &mut to[slot * self.slot_stride + channel * self.channel_stride..][..padded];
                let Some(begin) = begin else {
                    to.fill(0.0);
                    continue;
                };
                source.copy(begin + channel * plane, &mut to[reach..reach + n]);
                if beyond {
                    to[reach + n + reach..].fill(0.0);
                }
                match geometry.padding[1] {
                    Padding::Zero => {
                        to[..reach].fill(0.0);
                        to[reach + n..reach + n + reach].fill(0.0);
                    }
                    // The row itself stands at `reach`; its images follow from numbers that are already there.
                    Padding::Periodic => {
                        let (mut left, mut right, end) = (reach, reach + n, reach + n + reach);
                        while left > 0 {
                            let m = left.min(n);
                            left -= m;
                            let (image, rest) = to[left..].split_at_mut(n);
                            copy(&rest[..m], &mut image[..m]);
                        }
                        while right < end {
                            let m = (end - right).min(n);
                            let (rest, image) = to[right - n..].split_at_mut(n);
                            copy(&rest[..m], &mut image[..m]);
                            right += m;
                        }
                    }
                }
            }
        }
    }

    /// Where output row `row` (counted in the block) finds channel 0 for each tap.
    pub fn taps(&self, geometry: &Geometry, row: usize, taps: &mut Vec<usize>) {
        let [k0, k1] = geometry.kernel;
        taps.clear();
        for slot in &self.slot[row * k0..(row + 1) * k0] {
            taps.extend((0..k1).map(|tap| slot * self.slot_stride + tap * geometry.dilation));
        }
    }
}
