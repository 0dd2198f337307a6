//! Reading a block of samples: one read per component, whose axes are then put into the order of a
//! [`Trajectory`](crate::Trajectory).

use crate::dataset::format::{ArrayStore, not_finite};
use crate::dataset::layout::{Component, Role, Source};
use crate::error::{Error, Result};
use std::ops::Range;

/// How one spatial axis of the file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpaceAxis {
    /// Points in the file.
    pub n: usize,
    /// Points used: all, or all but the upper end of a periodic axis, which repeats the lower one.
    pub kept: usize,
    /// Stride: 4 reads every 4th of those.
    pub stride: usize,
    /// Whether the file runs backwards.
    pub flipped: bool,
}

impl SpaceAxis {
    /// Points read.
    pub fn len(&self) -> usize {
        self.kept.div_ceil(self.stride)
    }
}

/// The part of a dataset to read.
pub(crate) struct Window<'a> {
    /// Samples.
    pub samples: Range<usize>,
    /// First frame, number of frames, and stride between frames of the file.
    pub frames: (usize, usize, usize),
    /// Spatial axes.
    pub space: &'a [SpaceAxis],
    /// Whether NaN and infinity are passed through.
    pub allow_nan: bool,
}

/// Reads components into `[sample, frame, channel, axis 0, …]`.
pub(crate) fn gather(
    store: &mut dyn ArrayStore,
    components: &[Component],
    window: &Window,
) -> Result<Vec<f64>> {
    let n_channels: usize = components.iter().map(|c| c.channels.len()).sum();
    let lengths = window.space.iter().map(SpaceAxis::len);
    let points = lengths.clone().fold(1, usize::saturating_mul);
    let sizes = [window.samples.len(), window.frames.1, n_channels].into_iter().chain(lengths);
    let len =
        sizes.clone().try_fold(1, usize::checked_mul).ok_or_else(|| too_large(store, sizes.collect()))?;
    let mut out = Output { values: Vec::new(), len, n_channels, points };
    let mut first_channel = 0;
    for component in components {
        match &component.source {
            Source::Whole(array) => {
                read_block(store, component, array, window, window.samples.clone(), first_channel, &mut out)?;
            }
            Source::PerSample(arrays) => {
                for sample in window.samples.clone() {
                    let one = sample..sample + 1;
                    read_block(store, component, &arrays[sample], window, one, first_channel, &mut out)?;
                }
            }
        }
        first_channel += component.channels.len();
    }
    Ok(out.values)
}

fn too_large(store: &dyn ArrayStore, sizes: Vec<usize>) -> Error {
    let problem = format!("{sizes:?} values do not fit into memory: read fewer samples or frames at once");
    Error::corrupt(store.path(), None, problem)
}

/// Values `[sample, frame, channel, point]`, allocated only once something has been read, so that sizes the
/// file merely claims cost nothing.
struct Output {
    values: Vec<f64>,
    len: usize,
    n_channels: usize,
    points: usize,
}

impl Output {
    /// The values; `None` if there is not enough memory.
    fn allocated(&mut self) -> Option<&mut [f64]> {
        if self.values.is_empty() {
            self.values.try_reserve_exact(self.len).ok()?;
            self.values.resize(self.len, 0.0);
        }
        Some(&mut self.values)
    }
}

fn read_block(
    store: &mut dyn ArrayStore,
    component: &Component,
    array: &str,
    window: &Window,
    samples: Range<usize>,
    first_channel: usize,
    to: &mut Output,
) -> Result<()> {
    let (first_frame, n_frames, frame_step) = window.frames;
    if samples.is_empty() || n_frames == 0 {
        return Ok(());
    }
    let (start, count): (Vec<usize>, Vec<usize>) = component
        .roles
        .iter()
        .zip(&component.shape)
        .map(|(role, &n)| match role {
            Role::Sample => (samples.start, samples.len()),
            Role::Time => (first_frame, (n_frames - 1) * frame_step + 1),
            Role::Space(_) | Role::Channel | Role::Single => (0, n),
        })
        .unzip();
    let values = store.read(array, &start, &count)?;
    if !window.allow_nan
        && let Some(flat) = values.iter().position(|v| !v.is_finite())
    {
        return Err(not_finite(store, array, unravel(flat, &start, &count), values[flat]));
    }
    let from = Steps::new(component, &count, window.space, frame_step);
    let (n_channels, points, first_sample) = (to.n_channels, to.points, samples.start - window.samples.start);
    let len = to.len;
    let out = to.allocated().ok_or_else(|| too_large(store, vec![len]))?;
    for s in 0..samples.len() {
        for t in 0..n_frames {
            for (c, channel) in from.channels.iter().enumerate() {
                let source = from.origin + s * from.sample + t * from.frame + channel;
                let row = ((first_sample + s) * n_frames + t) * n_channels + first_channel + c;
                from.copy_field(&values, source, &mut out[row * points..(row + 1) * points]);
            }
        }
    }
    Ok(())
}

/// Index of entry `flat` of a row-major block in the array it was read from.
pub(crate) fn unravel(flat: usize, start: &[usize], count: &[usize]) -> Vec<usize> {
    let mut rest = flat;
    let mut index = start.to_vec();
    for (i, &n) in index.iter_mut().zip(count).rev() {
        *i += rest % n.max(1);
        rest /= n.max(1);
    }
    index
}

/// Distances between neighbors in a block that was read; zero along broadcast axes.
struct Steps {
    /// Offset of the first point (an axis that runs backwards starts at its end).
    origin: usize,
    sample: usize,
    frame: usize,
    /// Offset of every channel.
    channels: Vec<usize>,
    /// `(points, step)` of up to three spatial axes, padded in front with axes of a single point.
    space: [(usize, isize); 3],
}

impl Steps {
    fn new(component: &Component, count: &[usize], space: &[SpaceAxis], frame_step: usize) -> Self {
        let mut steps = Self { origin: 0, sample: 0, frame: 0, channels: vec![0], space: [(1, 0); 3] };
        let pad = 3 - space.len().min(3);
        for (to, axis) in steps.space[pad..].iter_mut().zip(space) {
            to.0 = axis.len();
        }
        let mut step = 1;
        // From the last axis, so that `step` is the row-major one; channel axes nest the same way.
        for (role, &n) in component.roles.iter().zip(count).rev() {
            match *role {
                Role::Sample => steps.sample = step,
                Role::Time => steps.frame = step * frame_step,
                Role::Channel => {
                    steps.channels =
                        (0..n).flat_map(|i| steps.channels.iter().map(move |c| c + i * step)).collect();
                }
                Role::Single => {}
                Role::Space(d) => {
                    let signed = (step * space[d].stride) as isize;
                    steps.space[pad + d].1 = if space[d].flipped { -signed } else { signed };
                    if space[d].flipped {
                        steps.origin += (n - 1) * step;
                    }
                }
            }
            step *= n;
        }
        steps
    }

    fn copy_field(&self, values: &[f64], source: usize, out: &mut [f64]) {
        let [(n0, s0), (n1, s1), (n2, s2)] = self.space;
        let mut out = out.iter_mut();
        for i in 0..n0 as isize {
            for j in 0..n1 as isize {
                let row = source as isize + i * s0 + j * s1;
                for (k, to) in (0..n2 as isize).zip(&mut out) {
                    *to = values[(row + k * s2) as usize];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unravel_is_the_inverse_of_row_major() {
        assert_eq!(unravel(0, &[5, 0], &[2, 3]), [5, 0]);
        assert_eq!(unravel(5, &[5, 10], &[2, 3]), [6, 12]);
    }
}
