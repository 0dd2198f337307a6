//! Samples of a file, read when needed.

use super::config::DataConfig;
use super::source::{Key, SampleLayout, SampleSource, choose_finer};
use crate::error::{Error, Result};
use lto_numerics::dataset::{Dataset, DatasetKind, OpenOptions};
use lto_numerics::{Grid, Sample};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Samples of more bytes than this are read frame by frame.
const WHOLE_SAMPLE_BYTES: usize = 32 << 20;

/// A file of samples.
pub struct FileSource {
    layout: SampleLayout,
    native: Mutex<Dataset>,
    finer: Option<Mutex<Dataset>>,
}

impl FileSource {
    /// Opens a file, reading only coordinates and times. `wanted` is the largest number of points a context
    /// may have: if the native grid has fewer, genuinely finer data are looked for in the file.
    ///
    /// # Errors
    /// A file or samples that cannot be read.
    pub fn open(path: &Path, config: &DataConfig, wanted: impl Fn(usize) -> f64) -> Result<Self> {
        if !path.exists() {
            let problem = "no such file; if the data were moved, give the new path: --set data.path=FILE";
            return Err(Error::bad_file(path, problem));
        }
        let options = config.options()?;
        let (mut native, grid) = open(path, &options)?;
        let wanted = wanted(grid.len());
        let finer =
            if wanted > grid.len() as f64 { finer(path, &options, &native, &grid, wanted)? } else { None };
        let info = native.info();
        let (source_channels, target_channels) = match &info.kind {
            Some(DatasetKind::Evolution { channels }) => (channels.clone(), channels.clone()),
            Some(DatasetKind::Steady { source, target }) => (source.clone(), target.clone()),
            None => {
                return Err(Error::bad_file(path, "its layout is not known; give data.layout or data.axes"));
            }
        };
        let n_samples = config.samples.map_or(info.n_samples, |n| n.min(info.n_samples));
        let layout = SampleLayout {
            n_samples,
            finer: finer.as_ref().map(|(grid, _)| grid.clone()),
            times: info.times.clone(),
            source_channels,
            target_channels,
            description: format!("{} samples of {}", n_samples, path.display()),
            grid,
        };
        // Read once, so that a file that opens but cannot be read is refused before any work.
        read(&mut native, Key { sample: 0, frame: (!layout.is_steady()).then_some(0), finer: false })?;
        Ok(Self { layout, native: Mutex::new(native), finer: finer.map(|(_, dataset)| Mutex::new(dataset)) })
    }
}

impl SampleSource for FileSource {
    fn layout(&self) -> &SampleLayout {
        &self.layout
    }

    fn by_frame(&self) -> bool {
        !self.layout.is_steady() && self.layout.sample_len() * size_of::<f32>() > WHOLE_SAMPLE_BYTES
    }

    /// One at a time: a file has one position.
    fn load(&self, keys: &[Key]) -> Result<Vec<(Key, Vec<f32>)>> {
        let values = |&key: &Key| {
            let dataset = match (&self.finer, key.finer) {
                (Some(finer), true) => finer,
                _ => &self.native,
            };
            let mut dataset = dataset.lock().unwrap_or_else(PoisonError::into_inner);
            Ok((key, read(&mut dataset, key)?))
        };
        keys.iter().map(values).collect()
    }
}

fn read(dataset: &mut Dataset, key: Key) -> Result<Vec<f32>> {
    let single = |values: &[f64]| values.iter().map(|&v| v as f32).collect::<Vec<f32>>();
    if let Some(frame) = key.frame {
        return Ok(single(dataset.read_frames(key.sample, frame..frame + 1)?.values()));
    }
    let samples = dataset.read(key.sample..key.sample + 1)?;
    Ok(samples.iter().flat_map(to_single).collect())
}

/// All values of a sample in single precision: `[frame, channel, …]`, or source, then target.
pub(super) fn to_single(sample: &Sample) -> Vec<f32> {
    let parts = match sample {
        Sample::Evolution(trajectory) => [trajectory.values(), &[]],
        Sample::Steady { source, target } => [source.values(), target.values()],
    };
    parts.into_iter().flatten().map(|&v| v as f32).collect()
}

fn open(path: &Path, options: &OpenOptions) -> Result<(Dataset, Arc<Grid>)> {
    let mut dataset = Dataset::open(path, options)?;
    // An empty read says what is missing if the file does not.
    dataset.read(0..0)?;
    let grid = dataset.grid().cloned();
    let grid =
        grid.ok_or_else(|| Error::bad_file(path, "does not say where its points lie; give data.grid"))?;
    if dataset.is_empty() {
        return Err(Error::bad_file(path, "holds no samples"));
    }
    Ok((dataset, grid))
}

/// The same samples on a finer grid: the points left out by a stride, or another resolution of the file.
fn finer(
    path: &Path,
    options: &OpenOptions,
    native: &Dataset,
    grid: &Grid,
    wanted: f64,
) -> Result<Option<(Arc<Grid>, Dataset)>> {
    let unstrided = (options.stride > 1).then(|| OpenOptions { stride: 1, ..options.clone() });
    let resolutions = native.info().finer.iter().map(|finer| {
        let resolution = Some(finer.resolution);
        OpenOptions { resolution, stride: 1, ..options.clone() }
    });
    let mut candidates = Vec::new();
    for options in unstrided.into_iter().chain(resolutions) {
        let (dataset, other) = open(path, &options)?;
        let same = dataset.len() == native.len()
            && dataset.info().times == native.info().times
            && other.domain().same_place(grid.domain());
        if same {
            candidates.push((other, dataset));
        }
    }
    Ok(choose_finer(grid, wanted, candidates))
}
