//! Slices of an array stored as one strided block, gathered in one forward pass over the bytes they need.

use super::scalar::{Line, Scalar};
use std::io::Result;

/// Gaps up to this many bytes between wanted elements are read through rather than skipped: a seek costs
/// about as much as reading this much.
const GAP: usize = 1 << 15;
/// Most bytes held at a time.
const BLOCK: usize = 1 << 20;

/// The order in which the axes run through the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Last axis fastest (C, NumPy's default).
    RowMajor,
    /// First axis fastest (Fortran, MATLAB).
    ColumnMajor,
}

/// The elements of a slice in file order, and where each goes in the row-major result.
pub(crate) struct SlicePath {
    first: usize,
    len: usize,
    /// Fastest in the file first.
    lines: Vec<Line>,
}

impl SlicePath {
    /// The slice must lie within the shape, and the product of the shape must not overflow.
    pub fn new(shape: &[usize], order: Order, start: &[usize], count: &[usize]) -> Self {
        let axes: Vec<usize> = match order {
            Order::RowMajor => (0..shape.len()).rev().collect(),
            Order::ColumnMajor => (0..shape.len()).collect(),
        };
        let len = count.iter().product();
        let (mut step, mut first) = (1, 0);
        let mut lines: Vec<Line> = Vec::new();
        for d in axes {
            first += start[d] * step;
            let next = Line { count: count[d], step, out_step: count[d + 1..].iter().product() };
            step *= shape[d];
            match lines.last_mut() {
                _ if next.count == 1 => {}
                // Contiguous with the previous axis on both sides: one longer line.
                Some(last)
                    if next.step == last.count * last.step && next.out_step == last.count * last.out_step =>
                {
                    last.count *= next.count;
                }
                _ => lines.push(next),
            }
        }
        SlicePath { first, len, lines }
    }

    /// Reads the slice; `fetch` fills a buffer from a byte offset on and is called with increasing offsets.
    pub fn gather(
        &self,
        scalar: Scalar,
        mut fetch: impl FnMut(u64, &mut [u8]) -> Result<()>,
    ) -> Result<Vec<f64>> {
        let mut out = vec![0.0; self.len];
        if self.len == 0 {
            return Ok(out);
        }
        let (inner, outer) = self.lines.split_at(self.near_axes(scalar.kind.size()));
        let mut buffer = Vec::new();
        for (from, to) in Odometer::new(outer) {
            burst(inner, self.first + from, &mut out[to..], scalar, &mut buffer, &mut fetch)?;
        }
        Ok(out)
    }

    /// How many of the fastest axes leave gaps small enough to be read through.
    fn near_axes(&self, size: usize) -> usize {
        let mut reach = 1;
        self.lines
            .iter()
            .take_while(|line| {
                let near = (line.step - reach) * size <= GAP;
                reach += (line.count - 1) * line.step;
                near
            })
            .count()
    }
}

/// Gathers one stretch of the file, read through in blocks.
fn burst(
    lines: &[Line],
    first: usize,
    out: &mut [f64],
    scalar: Scalar,
    buffer: &mut Vec<u8>,
    fetch: &mut impl FnMut(u64, &mut [u8]) -> Result<()>,
) -> Result<()> {
    let size = scalar.kind.size();
    let end = first + lines.iter().map(|l| (l.count - 1) * l.step).sum::<usize>() + 1;
    let single = Line { count: 1, step: 1, out_step: 1 };
    let (line, rest) = lines.split_first().unwrap_or((&single, &[]));
    let mut block = 0..0;
    for (from, to) in Odometer::new(rest) {
        let mut done = 0;
        while done < line.count {
            let at = first + from + done * line.step;
            if at >= block.end {
                block = at..end.min(at + BLOCK / size);
                buffer.resize(block.len() * size, 0);
                fetch((at * size) as u64, buffer)?;
            }
            let count = (line.count - done).min((block.end - at).div_ceil(line.step));
            let bytes = &buffer[(at - block.start) * size..];
            scalar.decode(bytes, &mut out[to + done * line.out_step..], Line { count, ..*line });
            done += count;
        }
    }
    Ok(())
}

/// Iterates over all index combinations of some axes, the first axis fastest: offsets in the file and in the
/// result.
struct Odometer<'a> {
    lines: &'a [Line],
    index: Vec<usize>,
    next: Option<(usize, usize)>,
}

impl<'a> Odometer<'a> {
    fn new(lines: &'a [Line]) -> Self {
        Odometer { lines, index: vec![0; lines.len()], next: Some((0, 0)) }
    }
}

impl Iterator for Odometer<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let current = self.next?;
        let (mut from, mut to) = current;
        for (i, line) in self.index.iter_mut().zip(self.lines) {
            *i += 1;
            if *i < line.count {
                self.next = Some((from + line.step, to + line.out_step));
                return Some(current);
            }
            *i = 0;
            from -= (line.count - 1) * line.step;
            to -= (line.count - 1) * line.out_step;
        }
        self.next = None;
        Some(current)
    }
}
