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

    /// Copies row `row` (counted through the batch) of channel `channel` to `to`.
    #[inline(always)]
    pub fn copy(&self, row: usize, channel: usize, to: &mut [f32]) {
        let [n0, n1] = self.grid;
        let begin = ((row / n0 * self.channels + channel) * n0 + row % n0) * n1;
        let range = begin..begin + n1;
        let values = &self.values[range.clone()];
        match self.gate {
            Gate::Open => to.copy_from_slice(values),
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
        for row in rows {
            for tap in 0..geometry.kernel[0] {
                let source = geometry.source(row, tap);
                slot.push(sources.iter().position(|s| *s == source).unwrap_or_else(|| {
                    sources.push(source);
                    sources.len() - 1
                }));
            }
        }
        let padded = geometry.padded();
        let (slot_stride, channel_stride) = match order {
            Order::SlotFirst => (geometry.input * padded, padded),
            Order::ChannelFirst => (padded, sources.len() * padded),
        };
        Self { sources, slot, slot_stride, channel_stride }
    }

    /// Numbers needed for a copy of the rows.
    pub fn len(&self, geometry: &Geometry) -> usize {
        self.sources.len() * geometry.input * geometry.padded()
    }

    /// Distance between channels in the copy.
    pub fn channel_stride(&self) -> usize {
        self.channel_stride
    }

    /// Copies the rows, with zeros past the padding.
    #[inline(always)]
    pub fn fill(&self, geometry: &Geometry, source: &Source, to: &mut [f32]) {
        let (n, reach, padded) = (geometry.grid[1], geometry.reach(), geometry.padded());
        for (slot, row) in self.sources.iter().enumerate() {
            for channel in 0..geometry.input {
                let to = &mut to[slot * self.slot_stride + channel * self.channel_stride..][..padded];
                let Some(row) = *row else {
                    to.fill(0.0);
                    continue;
                };
                source.copy(row, channel, &mut to[reach..reach + n]);
                to[reach + n + reach..].fill(0.0);
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
                            to.copy_within(left + n..left + n + m, left);
                        }
                        while right < end {
                            let m = (end - right).min(n);
                            to.copy_within(right - n..right - n + m, right);
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
