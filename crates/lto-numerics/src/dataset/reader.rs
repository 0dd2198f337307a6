//! Datasets: a file and its meaning, read lazily sample by sample.

use crate::dataset::axes;
use crate::dataset::format::{self, ArrayStore};
use crate::dataset::gather::{SpaceAxis, Window, gather};
use crate::dataset::info::{DatasetInfo, DatasetKind, GridInfo};
use crate::dataset::layout::{self, Component, Content, Meaning};
use crate::dataset::options::OpenOptions;
use crate::error::{Error, Result};
use crate::field::{Field, Trajectory, check_times};
use crate::grid::Grid;
use crate::sample::Sample;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A file of PDE samples. Opening reads coordinates and times only; samples are read on demand, a block of
/// consecutive ones in a single pass over each array.
pub struct Dataset {
    store: Box<dyn ArrayStore>,
    info: DatasetInfo,
    content: Option<Arc<Content>>,
    grid: Option<Arc<Grid>>,
    space: Vec<SpaceAxis>,
    time_stride: usize,
    allow_nan: bool,
}

impl Dataset {
    /// Opens a file of any known format and layout.
    ///
    /// A file that fits no layout, or does not say where its points lie, still opens: its [`DatasetInfo`]
    /// lists the arrays and says, as `problem`, what to give so that samples can be read.
    ///
    /// # Errors
    /// Arrays that contradict each other (coordinates of the wrong length), options that do not fit the file,
    /// or a damaged file.
    pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self> {
        Self::from_store(format::open(path.as_ref())?, options)
    }

    /// As [`Dataset::open`], for a file that is already open.
    ///
    /// # Errors
    /// As [`Dataset::open`].
    pub fn from_store(mut store: Box<dyn ArrayStore>, options: &OpenOptions) -> Result<Self> {
        let finer = layout::finer_resolutions(store.arrays());
        let prefix = layout::prefix(store.path(), &finer, options.resolution)?;
        let mut probe = layout::Probe::new(store.as_mut(), options, prefix);
        let (kind, meaning) = layout::understand(&mut probe)?;
        let opened = match meaning {
            Ok(meaning) => Opened::new(&mut probe, meaning)?,
            Err(problem) => Opened { problem: Some(problem), ..Opened::default() },
        };
        let (notes, time_units) = (probe.notes, probe.time_units);
        let info = DatasetInfo {
            path: store.path().into(),
            format: store.format(),
            layout: kind,
            n_samples: opened.n_samples,
            kind: opened.content.as_ref().map(kind_of),
            grid: opened.grid.as_deref().map(GridInfo::from),
            shape: opened.space.iter().map(SpaceAxis::len).collect(),
            times: opened.times,
            time_units,
            finer,
            attributes: store.attributes().to_vec(),
            arrays: store.arrays().to_vec(),
            notes,
            problem: opened.problem,
        };
        Ok(Self {
            store,
            info,
            content: opened.content.map(Arc::new),
            grid: opened.grid,
            space: opened.space,
            time_stride: options.time_stride.max(1),
            allow_nan: options.allow_nan,
        })
    }

    /// What is known about the dataset.
    pub fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// The grid of all samples; `None` if the file does not say where its points lie.
    pub fn grid(&self) -> Option<&Arc<Grid>> {
        self.grid.as_ref()
    }

    /// The columns of a CSV file, which was read when it was opened.
    pub fn table(&self) -> Option<&format::csv::Table> {
        self.store.table()
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.info.n_samples
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a block of samples with all their frames.
    ///
    /// # Errors
    /// A range beyond the dataset, a file whose meaning or grid is unknown (the error says what to give), a
    /// value that is not finite (the error says where), or a damaged file.
    pub fn read(&mut self, samples: Range<usize>) -> Result<Vec<Sample>> {
        self.check_range("samples", &samples, self.len())?;
        let (content, grid) = self.ready()?;
        let points = grid.len();
        match content.as_ref() {
            Content::Evolution(state) => {
                let times = self.info.times.clone();
                let values = self.gather(state, samples.clone(), 0..times.len())?;
                let p = n_channels(state);
                split(values, samples.len(), times.len() * p * points)
                    .map(|v| Trajectory::new(grid.clone(), times.clone(), p, v).map(Sample::Evolution))
                    .collect()
            }
            Content::Steady { source, target } => {
                let sources = self.gather(source, samples.clone(), 0..1)?;
                let targets = self.gather(target, samples.clone(), 0..1)?;
                let (p, q) = (n_channels(source), n_channels(target));
                split(sources, samples.len(), p * points)
                    .zip(split(targets, samples.len(), q * points))
                    .map(|(source, target)| {
                        let source = Field::new(grid.clone(), p, source)?;
                        let target = Field::new(grid.clone(), q, target)?;
                        Ok(Sample::Steady { source, target })
                    })
                    .collect()
            }
        }
    }

    /// Reads consecutive frames of one sample of an evolution.
    ///
    /// # Errors
    /// As [`Dataset::read`]; also no frames, frames beyond the trajectory, or a steady dataset.
    pub fn read_frames(&mut self, sample: usize, frames: Range<usize>) -> Result<Trajectory> {
        self.check_range("samples", &(sample..sample.saturating_add(1)), self.len())?;
        self.check_range("frames", &frames, self.info.times.len())?;
        let (content, grid) = self.ready()?;
        let Content::Evolution(state) = content.as_ref() else {
            let problem = "a steady dataset has no frames: read its samples";
            return Err(Error::unsupported(&self.info.path, None, problem));
        };
        let times = self.info.times[frames.clone()].to_vec();
        let values = self.gather(state, sample..sample + 1, frames)?;
        Trajectory::new(grid, times, n_channels(state), values)
    }

    /// Bare values `[sample, frame, channel, axis 0, …]` of part 0 (state or source) or 1 (target), finite or not;
    /// the grid need not be known.
    pub(crate) fn read_values(
        &mut self,
        part: usize,
        samples: Range<usize>,
        frames: Range<usize>,
    ) -> Result<Vec<f64>> {
        let content = self.content.clone().ok_or_else(|| self.unknown())?;
        let components = match (content.as_ref(), part) {
            (Content::Evolution(state), _) => state,
            (Content::Steady { source, .. }, 0) => source,
            (Content::Steady { target, .. }, _) => target,
        };
        self.gather_with(components, samples, frames, true)
    }

    /// Values of the file for each value read: strides skip the others.
    pub(crate) fn values_passed_over(&self) -> usize {
        let along = |axis: &SpaceAxis| axis.n.div_ceil(axis.len().max(1));
        self.space.iter().map(along).fold(self.time_stride, usize::saturating_mul)
    }

    fn gather(
        &mut self,
        components: &[Component],
        samples: Range<usize>,
        frames: Range<usize>,
    ) -> Result<Vec<f64>> {
        self.gather_with(components, samples, frames, self.allow_nan)
    }

    fn gather_with(
        &mut self,
        components: &[Component],
        samples: Range<usize>,
        frames: Range<usize>,
        allow_nan: bool,
    ) -> Result<Vec<f64>> {
        let stride = self.time_stride;
        let window = Window {
            samples,
            frames: (frames.start * stride, frames.len(), stride),
            space: &self.space,
            allow_nan,
        };
        gather(self.store.as_mut(), components, &window)
    }

    fn ready(&self) -> Result<(Arc<Content>, Arc<Grid>)> {
        match (&self.content, &self.grid) {
            (Some(content), Some(grid)) => Ok((content.clone(), grid.clone())),
            _ => Err(self.unknown()),
        }
    }

    fn unknown(&self) -> Error {
        let problem = self.info.problem.clone().unwrap_or_else(|| "its layout is not known".into());
        Error::UnknownLayout { path: self.info.path.clone(), problem }
    }

    fn check_range(&self, what: &str, range: &Range<usize>, n: usize) -> Result<()> {
        if range.start <= range.end && range.end <= n {
            return Ok(());
        }
        Err(Error::SliceOutOfBounds {
            path: self.info.path.clone(),
            array: what.into(),
            start: [range.start].into(),
            count: [range.end.saturating_sub(range.start)].into(),
            shape: [n].into(),
        })
    }
}

/// What opening derives from a file's meaning.
#[derive(Default)]
struct Opened {
    n_samples: usize,
    content: Option<Content>,
    grid: Option<Arc<Grid>>,
    space: Vec<SpaceAxis>,
    times: Vec<f64>,
    problem: Option<String>,
}

impl Opened {
    fn new(probe: &mut layout::Probe, meaning: Meaning) -> Result<Self> {
        let options = probe.options;
        let stride = options.stride.max(1);
        let resolved = axes::resolve(probe, meaning.axes, &meaning.content)?;
        let space = resolved.space.into_iter().map(|axis| SpaceAxis { stride, ..axis }).collect();
        let grid = resolved.grid.map(|grid| if stride > 1 { grid.strided(stride) } else { Ok(grid) });
        let times = match meaning.content {
            Content::Evolution(_) => times(probe, meaning.times)?,
            Content::Steady { .. } => Vec::new(),
        };
        Ok(Self {
            n_samples: meaning.n_samples,
            content: Some(meaning.content),
            grid: grid.transpose()?.map(Arc::new),
            space,
            times,
            problem: resolved.problem,
        })
    }
}

/// The times of the frames that are kept; a given time step replaces the file's own.
fn times(probe: &mut layout::Probe, file: Vec<f64>) -> Result<Vec<f64>> {
    let mut times = file;
    if let Some(step) = probe.options.time_step {
        if !(step.is_finite() && step > 0.0) {
            return Err(Error::Parameter {
                name: "time step",
                value: step.to_string(),
                requirement: "must be positive",
            });
        }
        probe.note(format!("times 0, {step}, … as given"));
        times = (0..times.len()).map(|i| i as f64 * step).collect();
    }
    check_times(&times).map_err(|problem| probe.wrong(None, problem))?;
    Ok(times.into_iter().step_by(probe.options.time_stride.max(1)).collect())
}

fn n_channels(components: &[Component]) -> usize {
    components.iter().map(|c| c.channels.len()).sum()
}

fn kind_of(content: &Content) -> DatasetKind {
    let names = |components: &[Component]| components.iter().flat_map(|c| c.channels.clone()).collect();
    match content {
        Content::Evolution(state) => DatasetKind::Evolution { channels: names(state) },
        Content::Steady { source, target } => {
            DatasetKind::Steady { source: names(source), target: names(target) }
        }
    }
}

/// The values of each of `n` samples; a single one is moved, not copied.
fn split(values: Vec<f64>, n: usize, len: usize) -> Box<dyn Iterator<Item = Vec<f64>>> {
    if n == 1 {
        return Box::new(std::iter::once(values));
    }
    Box::new((0..n).map(move |i| values[i * len..(i + 1) * len].to_vec()))
}
