//! Where samples come from.

use crate::error::Result;
use lto_numerics::Grid;
use std::sync::Arc;

/// What all samples share.
#[derive(Clone, Debug)]
pub struct SampleLayout {
    /// Number of samples.
    pub n_samples: usize,
    /// The native grid.
    pub grid: Arc<Grid>,
    /// A finer grid with genuine values of the same samples, if wanted and available.
    pub finer: Option<Arc<Grid>>,
    /// Times of the frames; empty for steady samples.
    pub times: Vec<f64>,
    /// Channel names of a source state.
    pub source_channels: Vec<String>,
    /// Channel names of a target state.
    pub target_channels: Vec<String>,
    /// What the data are, in words.
    pub description: String,
}

impl SampleLayout {
    /// Whether samples are pairs without times.
    pub fn is_steady(&self) -> bool {
        self.times.is_empty()
    }

    /// Time between consecutive frames: the mean if evenly spaced, which rounds least, else the first
    /// interval. `None` without frames.
    pub fn native_interval(&self) -> Option<f64> {
        let first = self.times.get(1)? - self.times.first()?;
        let mean = (self.times.last()? - self.times.first()?) / (self.times.len() - 1) as f64;
        let even = self.times.windows(2).all(|w| (w[1] - w[0] - mean).abs() <= 1e-3 * mean);
        Some(if even { mean } else { first })
    }

    /// Values of a whole sample on the native grid.
    pub fn sample_len(&self) -> usize {
        let fields = if self.is_steady() {
            self.source_channels.len() + self.target_channels.len()
        } else {
            self.times.len() * self.source_channels.len()
        };
        fields * self.grid.len()
    }
}

/// The unit of reading and caching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The sample.
    pub sample: usize,
    /// One of its frames; `None` for the whole sample (if steady: source, then target).
    pub frame: Option<usize>,
    /// Whether it is on the finer grid.
    pub finer: bool,
}

/// A source of samples.
pub trait SampleSource: Send + Sync {
    /// What all samples share.
    fn layout(&self) -> &SampleLayout;

    /// Whether single frames cost less than whole samples.
    fn by_frame(&self) -> bool;

    /// The values under some keys, and any others loaded along with them, `[frame, channel, axis 0, …]`.
    ///
    /// # Errors
    /// Data that cannot be read, or a problem that cannot be solved.
    fn load(&self, keys: &[Key]) -> Result<Vec<(Key, Vec<f32>)>>;
}

/// The first grid with `wanted` points, else the finest; `None` if none is finer than the native one.
pub fn choose_finer<T>(
    native: &Grid,
    wanted: f64,
    candidates: impl IntoIterator<Item = (Arc<Grid>, T)>,
) -> Option<(Arc<Grid>, T)> {
    if wanted <= native.len() as f64 {
        return None;
    }
    let mut finer: Vec<_> = candidates.into_iter().filter(|(grid, _)| grid.len() > native.len()).collect();
    finer.sort_by_key(|(grid, _)| grid.len());
    let enough = finer.iter().position(|(grid, _)| grid.len() as f64 >= wanted);
    let index = enough.or(finer.len().checked_sub(1))?;
    Some(finer.swap_remove(index))
}
