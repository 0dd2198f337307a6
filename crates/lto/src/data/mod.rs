//! Data to learn from: samples of a file or a PDE, split, cached in bounded memory, with their normalization.

pub mod batches;
mod cache;
mod changes;
pub mod config;
pub mod context;
mod course;
mod covariance;
mod file;
mod generated;
mod normalization;
mod overlap;
pub mod pairs;
mod persisting;
pub mod prefetch;
mod refine;
mod source;
pub(crate) mod statics;
pub mod stations;
pub mod stream;
pub mod window;

use crate::error::{Error, Result};
use crate::model::{Model, ModelCard, ModelConfig};
use crate::problem::{Calendar, Measured, Problem};
use cache::Cache;
use config::DataConfig;
use lto_numerics::dataset::{Normalizer, Split};
use lto_numerics::{Field, Grid, Symmetry, memory};
use source::{Key, SampleSource};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

pub use source::SampleLayout;

/// Which state of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A frame of an evolution.
    Frame(usize),
    /// A frame and its history (`data.history`), oldest first, as channels of one state.
    History(usize),
    /// The source of a steady sample.
    Source,
    /// The target of a steady sample.
    Target,
}

/// A state of a sample on one of its grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The sample.
    pub sample: usize,
    /// Its state.
    pub state: State,
    /// Whether it is on the finer grid.
    pub finer: bool,
}

/// Samples with random access in bounded memory. Shared between threads.
pub struct Data {
    source: Box<dyn SampleSource>,
    cache: Mutex<Cache<Key>>,
    split: Split,
    symmetries: Vec<Symmetry>,
    notes: Vec<String>,
    history: usize,
    time_period: Option<f64>,
    measured: Measured,
}

impl Data {
    /// Opens the data; nothing is solved, and at most one frame read. `largest_fraction` is the largest
    /// `context_fraction` that will be drawn: above 1, genuinely finer data are looked for.
    ///
    /// # Errors
    /// Data that cannot be read or solved, a split that does not fit, symmetries the data do not have, or records of stations.
    pub fn open(config: &DataConfig, largest_fraction: f64) -> Result<Self> {
        config.validate()?;
        if config.records.is_some() {
            let (key, value) = ("data.records".into(), "given".into());
            let requirement = "must be left out here, which needs fields on a grid".into();
            return Err(Error::Config { key, value, requirement });
        }
        let wanted = |points: usize| largest_fraction * points as f64;
        let source: Box<dyn SampleSource> = match (&config.path, &config.generate) {
            (Some(path), _) => Box::new(file::FileSource::open(path, config, wanted)?),
            (None, Some(pde)) => {
                let n = config.samples.unwrap_or(0);
                Box::new(generated::GeneratedSource::new(pde, n, config.seed, config.frame_stride, wanted)?)
            }
            (None, None) => {
                return Err(Error::Config {
                    key: "data.path".into(),
                    value: "nothing".into(),
                    requirement: "give a file, or a PDE to generate from".into(),
                });
            }
        };
        let (source, overlap) = match config.window {
            Some(window) => {
                let windows = window::Windowed::new(source, window)?;
                let overlap = windows.overlap();
                (Box::new(windows) as Box<dyn SampleSource>, Some(overlap))
            }
            None => (source, None),
        };
        let layout = source.layout();
        let mut notes = vec![format!(
            "{}: {} points{}",
            layout.description,
            layout.grid.shape().iter().map(usize::to_string).collect::<Vec<_>>().join(" × "),
            if layout.is_steady() { String::new() } else { format!(", {} frames", layout.times.len()) }
        )];
        if largest_fraction > 1.0 {
            notes.push(match &layout.finer {
                Some(grid) => format!("contexts above native: genuine values on {:?} points", grid.shape()),
                None => "contexts above native: no finer data, so native fields are refined spectrally (uniform periodic \
                         axes) or by cubic splines".into(),
            });
        }
        if layout.times.len() == 1 {
            return Err(Error::Config {
                key: "data".into(),
                value: "1 frame".into(),
                requirement: "an evolution needs at least two frames to learn from; lower data.frame_stride"
                    .into(),
            });
        }
        let (history, frames) = (config.history, layout.times.len());
        if history > 1 && frames <= history {
            let requirement = match frames {
                0 => "must be 1: the data are steady".to_string(),
                _ => format!("must be less than the {frames} frames of the data"),
            };
            return Err(Error::Config {
                key: "data.history".into(),
                value: history.to_string(),
                requirement,
            });
        }
        // The split is a list of samples.
        let n = layout.n_samples;
        memory::require(&format!("a list of {n} samples"), 8 * n as u128)?;
        let bytes = layout.sample_len().saturating_mul(n.saturating_mul(4));
        let limit = config.cache_mb.saturating_mul(1 << 20);
        if bytes > limit {
            let again = if config.generate.is_some() { "solved" } else { "read" };
            notes.push(format!(
                "all samples take {} MB, data.cache_mb is {}: the rest is {again} again when needed",
                bytes >> 20,
                config.cache_mb
            ));
        }
        let mut split = config.split.split(n, config.seed)?;
        if let Some(overlap) = overlap {
            let (apart, note) = overlap.separate(split, &config.split)?;
            split = apart;
            notes.extend(note);
        }
        let symmetries = declared(config, layout.grid.domain())?;
        let domain = layout.grid.domain().clone();
        Ok(Self {
            cache: Mutex::new(Cache::new(limit)),
            split,
            symmetries,
            notes,
            history,
            time_period: config.time_period,
            measured: Measured {
                calendar: calendar(config, source.layout().times.last().zip(source.layout().times.first())),
                statics: config.statics.as_ref().map(|files| statics::read(files, &domain)).transpose()?,
                ..Measured::default()
            },
            source,
        })
    }

    /// What all samples share.
    pub fn layout(&self) -> &SampleLayout {
        self.source.layout()
    }

    /// Which samples train, validate and test.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// Symmetries of the data.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// What was opened, and every assumption about it, as text.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Number of frames in a source state.
    pub fn history(&self) -> usize {
        self.history
    }

    /// The problem the data pose.
    pub fn problem(&self) -> Problem {
        let layout = self.layout();
        Problem {
            domain: layout.grid.domain().clone(),
            source_channels: self.history * layout.source_channels.len(),
            target_channels: layout.target_channels.len(),
            native: layout.grid.shape(),
            times: layout.times.first().zip(layout.times.last()).map(|(&first, &last)| [first, last]),
            changes: Vec::new(),
            measured: self.measured.clone(),
        }
    }

    /// The card of a model for these data, before any training.
    pub fn card(&self, model: ModelConfig, normalizers: (Normalizer, Normalizer)) -> ModelCard {
        let layout = self.layout();
        ModelCard {
            source_normalizer: normalizers.0,
            target_normalizer: normalizers.1,
            channel_names: layout.target_channels.clone(),
            native_interval: layout.native_interval(),
            data: layout.description.clone(),
            ..ModelCard::untrained(self.problem(), model)
        }
    }

    /// An untrained model for these data in physical units, for operators without parameters. One that takes
    /// a single frame gets the newest of `data.history`; one made of a mean course gets that of the training samples.
    ///
    /// # Errors
    /// A configuration that does not fit the data; for a mean course, data without training samples.
    pub fn untrained(&self, mut model: ModelConfig) -> Result<Model> {
        let name = model.name();
        let means = model.course_mut().map(|course| self.fill(course, name)).transpose()?;
        let mut problem = self.problem();
        if !model.takes_history() {
            problem.source_channels = self.layout().source_channels.len();
        }
        let identity = |channels| Normalizer::identity(channels);
        let normalizers = (identity(problem.source_channels), identity(problem.target_channels));
        let model = Model::new(ModelCard { problem, ..self.card(model, normalizers) }, 0)?;
        Ok(match means {
            Some(means) => {
                model.with_operator(model.operator().with_parameters(&mut |_, _| Some(means.clone())))
            }
            None => model,
        })
    }

    /// Several states at once; those not in memory are read, or solved in parallel.
    ///
    /// # Errors
    /// Data that cannot be read or solved, or a state the samples do not have.
    pub fn fields(&self, wanted: &[Wanted]) -> Result<Vec<Field>> {
        let parts: Vec<Vec<Wanted>> = wanted.iter().map(|w| self.parts(w)).collect();
        let keys: Vec<Key> = parts.iter().flatten().map(|part| self.key(part)).collect();
        let loaded = self.load(&keys)?;
        let field = |part: &Wanted| {
            let values = loaded.get(&self.key(part)).map_or(&[][..], |v| v.as_slice());
            self.cut(part, values)
        };
        parts
            .iter()
            .map(|parts| match &parts[..] {
                [single] => field(single),
                several => stack(&several.iter().map(field).collect::<Result<Vec<_>>>()?),
            })
            .collect()
    }

    /// The frames a state consists of, or the state itself. Before the first frame, the first is repeated.
    fn parts(&self, wanted: &Wanted) -> Vec<Wanted> {
        let State::History(last) = wanted.state else { return vec![*wanted] };
        let frame = |back: usize| Wanted { state: State::Frame(last.saturating_sub(back)), ..*wanted };
        (0..self.history).rev().map(frame).collect()
    }

    fn key(&self, wanted: &Wanted) -> Key {
        let frame = match wanted.state {
            State::Frame(frame) if self.source.by_frame() => Some(frame),
            _ => None,
        };
        Key { sample: wanted.sample, frame, finer: wanted.finer }
    }

    fn load(&self, keys: &[Key]) -> Result<HashMap<Key, Arc<Vec<f32>>>> {
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = HashMap::with_capacity(keys.len());
        let mut missing = Vec::new();
        {
            let mut cache = lock();
            for &key in keys {
                match cache.get(key) {
                    Some(values) => drop(found.insert(key, values)),
                    None if !missing.contains(&key) => missing.push(key),
                    None => {}
                }
            }
        }
        if !missing.is_empty() {
            // Not under the lock, so that other threads can use what is in memory.
            let loaded = self.source.load(&missing)?;
            let mut cache = lock();
            for (key, values) in loaded {
                let values = Arc::new(values);
                cache.insert(key, values.clone());
                found.insert(key, values);
            }
        }
        Ok(found)
    }

    fn cut(&self, wanted: &Wanted, values: &[f32]) -> Result<Field> {
        let layout = self.layout();
        let grid: &Arc<Grid> = match &layout.finer {
            Some(finer) if wanted.finer => finer,
            _ => &layout.grid,
        };
        let (p, q) = (layout.source_channels.len(), layout.target_channels.len());
        let (first, channels) = match wanted.state {
            State::Frame(_) if self.source.by_frame() => (0, p),
            State::Frame(frame) | State::History(frame) => (frame * p, p),
            State::Source => (0, p),
            State::Target => (p, q),
        };
        let n = grid.len();
        let cut =
            values.get(first * n..(first + channels) * n).ok_or_else(|| lto_numerics::Error::Mismatch {
                what: format!("number of values of sample {}", wanted.sample),
                expected: (first + channels) * n,
                got: values.len(),
            })?;
        Ok(Field::new(grid.clone(), channels, cut.iter().map(|&v| f64::from(v)).collect())?)
    }
}

/// The calendar that is asked for, with leads up to the whole range of times until pairs say less.
fn calendar(config: &DataConfig, range: Option<(&f64, &f64)>) -> Option<Calendar> {
    let longest_lead = range.map(|(last, first)| last - first)?;
    (!config.calendar.is_empty()).then(|| Calendar { periods: config.calendar.clone(), longest_lead })
}

/// Fields on one grid as the channels of one field.
fn stack(fields: &[Field]) -> Result<Field> {
    let grid = fields.first().map(|f| f.grid().clone()).ok_or(lto_numerics::Error::NoPoints)?;
    let values = fields.iter().flat_map(|f| f.values()).copied().collect();
    Ok(Field::new(grid, fields.iter().map(Field::n_channels).sum(), values)?)
}

/// The configuration's symmetries, else the PDE's, each checked.
fn declared(config: &DataConfig, domain: &lto_numerics::Domain) -> Result<Vec<Symmetry>> {
    let of_pde = config.generate.as_ref().map_or(&[][..], |pde| pde.symmetries());
    let symmetries = config.symmetries.clone().unwrap_or_else(|| of_pde.to_vec());
    for symmetry in &symmetries {
        symmetry.check(domain)?;
        if let Some(pde) = &config.generate
            && !of_pde.contains(symmetry)
        {
            let known: Vec<&str> = of_pde.iter().map(|s| s.name()).collect();
            return Err(Error::Config {
                key: "data.symmetries".into(),
                value: symmetry.name().into(),
                requirement: format!("is not a symmetry of {}, which has {}", pde.name(), known.join(", ")),
            });
        }
    }
    Ok(symmetries)
}
