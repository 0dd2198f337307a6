//! Statistics of a dataset in one pass and bounded memory.

use crate::dataset::gather::unravel;
use crate::dataset::moments::Moments;
use crate::dataset::{Dataset, DatasetKind};
use crate::error::{Error, Result};
use serde::Serialize;

/// Most values of the file held at once, unless a single frame has more.
const BLOCK: usize = 4 << 20;

/// Statistics of all channels.
#[derive(Clone, Debug, Serialize)]
pub struct DatasetSummary {
    /// Number of samples read, starting from the first.
    pub n_samples: usize,
    /// Channels, sources before targets.
    pub channels: Vec<ChannelSummary>,
}

/// Statistics of one channel over samples, times and points.
#[derive(Clone, Debug, Serialize)]
pub struct ChannelSummary {
    /// Name of the channel.
    pub name: String,
    /// Number of finite values.
    pub n_finite: u64,
    /// Smallest finite value; `None` if there is none.
    pub min: Option<f64>,
    /// Largest finite value.
    pub max: Option<f64>,
    /// Mean of the finite values.
    pub mean: Option<f64>,
    /// Standard deviation of the finite values.
    pub std: Option<f64>,
    /// Number of values that are NaN or infinite.
    pub n_not_finite: u64,
    /// Position of the first such value.
    pub first_not_finite: Option<Position>,
}

/// A position in a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Sample.
    pub sample: usize,
    /// Frame, counting only those that are read; 0 for a steady pair.
    pub frame: usize,
    /// Index along each spatial axis, counting only points that are read.
    pub point: Vec<usize>,
}

impl DatasetSummary {
    /// Reads the first `limit` samples (all, if `None`) block by block. The grid need not be known; values
    /// that are not finite are counted, not refused.
    ///
    /// # Errors
    /// A file whose arrays are not understood, or a damaged one.
    pub fn of(data: &mut Dataset, limit: Option<usize>) -> Result<Self> {
        let n_samples = limit.unwrap_or(usize::MAX).min(data.len());
        let info = data.info();
        let (parts, n_frames) = match &info.kind {
            Some(DatasetKind::Evolution { channels }) => (vec![channels.clone()], info.times.len()),
            Some(DatasetKind::Steady { source, target }) => (vec![source.clone(), target.clone()], 1),
            None => {
                let problem = info.problem.clone().unwrap_or_default();
                return Err(Error::UnknownLayout { path: info.path.clone(), problem });
            }
        };
        let shape = info.shape.clone();
        let points = shape.iter().product::<usize>().max(1);
        let mut channels = Vec::new();
        for (part, names) in parts.into_iter().enumerate() {
            let mut tallies: Vec<Tally> = names.iter().map(|_| Tally::default()).collect();
            let per_frame = names.len().saturating_mul(points).saturating_mul(data.values_passed_over());
            let frames_a_block = (BLOCK / per_frame).clamp(1, n_frames);
            let samples_a_block = (BLOCK / per_frame.saturating_mul(n_frames)).max(1);
            for sample in (0..n_samples).step_by(samples_a_block) {
                let samples = sample..(sample + samples_a_block).min(n_samples);
                for frame in (0..n_frames).step_by(frames_a_block) {
                    let frames = frame..(frame + frames_a_block).min(n_frames);
                    let values = data.read_values(part, samples.clone(), frames.clone())?;
                    for (row, field) in values.chunks_exact(points).enumerate() {
                        let (at, channel) = (row / names.len(), row % names.len());
                        tallies[channel].add(field, |flat| Position {
                            sample: samples.start + at / frames.len(),
                            frame: frames.start + at % frames.len(),
                            point: unravel(flat, &vec![0; shape.len()], &shape),
                        });
                    }
                }
            }
            channels.extend(names.into_iter().zip(tallies).map(|(name, tally)| tally.finish(name)));
        }
        Ok(Self { n_samples, channels })
    }
}

/// Running statistics of one channel.
struct Tally {
    moments: Moments,
    n_not_finite: u64,
    first_not_finite: Option<Position>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { moments: Moments::new(), n_not_finite: 0, first_not_finite: None }
    }
}

impl Tally {
    fn add(&mut self, field: &[f64], position: impl Fn(usize) -> Position) {
        let Some(first) = field.iter().position(|v| !v.is_finite()) else {
            return self.moments.add(field);
        };
        let finite: Vec<f64> = field.iter().copied().filter(|v| v.is_finite()).collect();
        self.n_not_finite += (field.len() - finite.len()) as u64;
        self.first_not_finite.get_or_insert_with(|| position(first));
        self.moments.add(&finite);
    }

    fn finish(self, name: String) -> ChannelSummary {
        let known = |value: f64| (self.moments.count > 0).then_some(value);
        ChannelSummary {
            name,
            n_finite: self.moments.count,
            min: known(self.moments.min),
            max: known(self.moments.max),
            mean: known(self.moments.mean),
            std: known(self.moments.std()),
            n_not_finite: self.n_not_finite,
            first_not_finite: self.first_not_finite,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::OpenOptions;
    use crate::dataset::testing::MemoryStore;

    fn open(store: MemoryStore) -> Dataset {
        Dataset::from_store(Box::new(store), &OpenOptions::default()).unwrap()
    }

    #[test]
    fn statistics_are_those_of_the_values_even_without_a_grid() {
        // 16 points: the placement cannot be known, but the values can be read.
        let store = MemoryStore::new("d.npz")
            .with("coeff", &[5, 16, 16], |i| (i[0] * 256 + i[1] * 16 + i[2]) as f64)
            .with("sol", &[5, 16, 16], |_| 2.5);
        let mut data = open(store);
        let summary = DatasetSummary::of(&mut data, Some(4)).unwrap();
        let coeff = &summary.channels[0];
        assert_eq!((coeff.name.as_str(), coeff.n_finite), ("coeff", 1024));
        assert_eq!((coeff.min, coeff.max, coeff.mean), (Some(0.0), Some(1023.0), Some(511.5)));
        // Variance of 0 … N−1 is (N² − 1)/12.
        assert!((coeff.std.unwrap().powi(2) - (1024.0f64.powi(2) - 1.0) / 12.0).abs() < 1e-6);
        assert_eq!((summary.channels[1].std, summary.n_samples), (Some(0.0), 4));
    }

    #[test]
    fn values_that_are_not_finite_are_counted_and_located() {
        let store = MemoryStore::new("n.mat")
            .with("a", &[2, 3, 4], |_| 0.0)
            .with("u", &[2, 3, 4, 5], |i| if i[0] == 1 && i[3] >= 3 && i[1] == 2 { f64::NAN } else { 1.0 });
        let summary = DatasetSummary::of(&mut open(store), None).unwrap();
        let u = &summary.channels[0];
        assert_eq!((u.n_finite, u.n_not_finite, u.mean), (120 - 8, 8, Some(1.0)));
        assert_eq!(u.first_not_finite, Some(Position { sample: 1, frame: 3, point: vec![2, 0] }));
    }

    #[test]
    fn long_trajectories_are_read_in_blocks() {
        let n = BLOCK / 2 + 1;
        let store = MemoryStore::new("p.mat")
            .with("x", &[n, 1], |i| i[0] as f64)
            .with("t", &[3, 1], |i| i[0] as f64)
            .with("usol", &[n, 3], |i| i[1] as f64);
        let reads = store.reads.clone();
        let mut data = open(store);
        let before = reads.load(std::sync::atomic::Ordering::Relaxed);
        let summary = DatasetSummary::of(&mut data, None).unwrap();
        assert_eq!(reads.load(std::sync::atomic::Ordering::Relaxed) - before, 3);
        assert_eq!((summary.channels[0].mean, summary.channels[0].max), (Some(1.0), Some(2.0)));
    }

    #[test]
    fn blocks_are_as_large_as_what_strides_pass_over() {
        let n = BLOCK / 8;
        let store = MemoryStore::new("p.mat")
            .with("x", &[n, 1], |i| i[0] as f64)
            .with("t", &[32, 1], |i| i[0] as f64)
            .with("usol", &[n, 32], |i| i[1] as f64);
        let (reads, values_read) = (store.reads.clone(), store.values_read.clone());
        let order = std::sync::atomic::Ordering::Relaxed;
        let options = OpenOptions { stride: 64, time_stride: 2, ..OpenOptions::default() };
        let mut data = Dataset::from_store(Box::new(store), &options).unwrap();
        let before = (reads.load(order), values_read.load(order));
        let summary = DatasetSummary::of(&mut data, None).unwrap();
        let (reads, values_read) = (reads.load(order) - before.0, values_read.load(order) - before.1);
        assert!(values_read <= reads * BLOCK, "{values_read} values in {reads} reads");
        assert_eq!((summary.channels[0].mean, summary.channels[0].max), (Some(15.0), Some(30.0)));
    }
}
