//! Records of stations to learn from: split by time and by station, with what is measured of them.

mod batches;
mod course;
mod measured;
mod observe;
pub mod score;

use super::config::{DataConfig, RecordsConfig, SplitConfig};
use super::statics;
use crate::error::{Error, Result};
use crate::model::{Model, ModelCard, ModelConfig};
use crate::problem::{Calendar, Measured, Problem};
use lto_numerics::dataset::{Mask, Normalizer, NormalizerFit};
use lto_numerics::records::{FaultPolicy, Frame, RecordOptions, Records};
use lto_numerics::{Domain, Grid, Placement, memory};
use observe::Network;
use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use batches::StationBatches;
pub(crate) use batches::some_stations;
pub use observe::{context_at, context_of};

/// Points along the longest axis of the default grid.
const POINTS: f64 = 32.0;

/// Which stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Those that are trained on.
    Seen,
    /// Those that are held out.
    New,
    /// All.
    All,
}

/// Which times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Those to train on.
    Train,
    /// Those to validate on.
    Validation,
    /// Those to test on.
    Test,
}

/// Records of stations, shared between threads.
pub struct StationData {
    records: Records,
    /// All frames, if they fit into `data.cache_mb`.
    frames: Option<Vec<Arc<Frame>>>,
    spans: [Range<usize>; 3],
    held_out: Vec<bool>,
    interval: f64,
    period: Option<f64>,
    history: usize,
    /// Of each variable, where the file does not say.
    noise: Vec<f64>,
    native: Vec<usize>,
    measured: Measured,
    notes: Vec<String>,
}

impl StationData {
    /// Reads the records; `longest` is the longest lead to train on, in intervals between frames.
    ///
    /// # Errors
    /// Records that cannot be read, hold too little, or a split that does not fit.
    pub fn open(config: &DataConfig, longest: usize) -> Result<Self> {
        config.validate()?;
        let (Some(path), Some(own)) = (&config.path, &config.records) else {
            return refuse("path", "nothing".into(), "give the file of the records: path = \"stations.csv\"");
        };
        let records = open(path, own, config)?;
        let times = records.times();
        if times.len() < 2 {
            return refuse(
                "path",
                path.display().to_string(),
                "holds a single time; an evolution needs several",
            );
        }
        let interval = config.time_step.unwrap_or_else(|| usual_interval(times));
        let spans = spans(&config.split, times)?;
        let n_stations = records.stations().len();
        let held_out = held_out(&config.split, n_stations, config.seed)?;
        let p = records.variables().len();
        let noise = match &own.noise[..] {
            [] => vec![0.0; p],
            [one] => vec![*one; p],
            each if each.len() == p => each.to_vec(),
            each => {
                let requirement = format!("needs one number, or one for each of the {p} variables");
                return refuse("records.noise", format!("{each:?}"), &requirement);
            }
        };
        let domain = records.domain().clone();
        let longest_lead = interval * longest.min(times.len()) as f64;
        let calendar = (!config.calendar.is_empty())
            .then(|| Calendar { periods: config.calendar.clone(), longest_lead });
        let statics = config.statics.as_ref().map(|files| statics::read(files, &domain)).transpose()?;
        let bytes = times.len() * n_stations * 8 * (p * 2 + domain.dim() + 1);
        let frames = (bytes <= config.cache_mb.saturating_mul(1 << 20))
            .then(|| (0..times.len()).map(|i| Ok(Arc::new(records.frame(i)?))).collect::<Result<Vec<_>>>())
            .transpose()?;
        let clock = records.clock();
        let names: Vec<&str> = records.variables().iter().map(|variable| variable.name.as_str()).collect();
        let share = |span: &Range<usize>| span.len();
        let mut notes = vec![
            format!(
                "{}: {n_stations} stations, {} times from {} to {}, every {interval}; {}",
                path.display(),
                times.len(),
                clock.show(times[0]),
                clock.show(times[times.len() - 1]),
                names.join(", ")
            ),
            format!(
                "{} times to train, {} to validate, {} to test; {} stations are held out",
                share(&spans[0]),
                share(&spans[1]),
                share(&spans[2]),
                held_out.iter().filter(|held| **held).count()
            ),
        ];
        notes.extend(records.notes().iter().cloned());
        Ok(Self {
            native: native(own, &domain)?,
            history: config.history,
            period: config.time_period,
            measured: Measured {
                calendar,
                dated: records.has_calendar(),
                statics,
                noise: noise.clone(),
                ..Measured::default()
            },
            records,
            frames,
            spans,
            held_out,
            interval,
            noise,
            notes,
        })
    }

    /// The records.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// What was opened, as text.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Time between consecutive frames.
    pub fn interval(&self) -> f64 {
        self.interval
    }

    /// The time after which the mean course repeats, if it does.
    pub fn period(&self) -> Option<f64> {
        self.period
    }

    /// Number of frames in a source state.
    pub fn history(&self) -> usize {
        self.history
    }

    /// The frames of a span of time.
    pub fn span(&self, span: Span) -> Range<usize> {
        self.spans[span as usize].clone()
    }

    /// Whether a station belongs to a group.
    pub fn is_in(&self, station: u32, group: Group) -> bool {
        match group {
            Group::All => true,
            Group::Seen => !self.held_out[station as usize],
            Group::New => self.held_out[station as usize],
        }
    }

    /// Number of stations of a group.
    pub fn n_stations(&self, group: Group) -> usize {
        (0..self.held_out.len() as u32).filter(|&station| self.is_in(station, group)).count()
    }

    /// Number of stations of a group that lie inside a mask.
    pub fn n_inside(&self, group: Group, mask: Option<&Mask>) -> usize {
        let stations = self.records.stations().iter().zip(0..);
        let inside = |place: &[f64]| mask.is_none_or(|mask| mask.contains(place));
        stations.filter(|(s, number)| self.is_in(*number, group) && inside(&s.coordinates)).count()
    }

    /// The frame of a time, if there is one.
    pub fn at(&self, time: f64) -> Option<usize> {
        self.network().at(time)
    }

    fn frame(&self, i: usize) -> Result<Arc<Frame>> {
        self.network().frame(i)
    }

    fn network(&self) -> Network<'_> {
        let (records, frames) = (&self.records, self.frames.as_deref());
        Network { records, frames, interval: self.interval, noise: &self.noise }
    }

    /// The grid that the mean course is kept on.
    fn grid(&self) -> Result<Grid> {
        let domain = self.records.domain().clone();
        let placement = |periodic| if periodic { Placement::Left } else { Placement::Vertex };
        let axes: Vec<(usize, Placement)> =
            self.native.iter().zip(domain.axes()).map(|(&n, axis)| (n, placement(axis.periodic))).collect();
        Ok(Grid::uniform(domain, &axes)?)
    }

    /// The problem the records pose.
    pub fn problem(&self) -> Problem {
        let (p, times) = (self.records.variables().len(), self.records.times());
        let train = self.span(Span::Train);
        let last = train.end.max(2).min(times.len()) - 1;
        Problem {
            domain: self.records.domain().clone(),
            source_channels: self.history * p,
            target_channels: p,
            native: self.native.clone(),
            times: Some([times[train.start.min(last - 1)], times[last]]),
            changes: Vec::new(),
            measured: self.measured.clone(),
        }
    }

    /// The card of a model for these records, before any training.
    pub fn card(&self, model: ModelConfig, normalizers: (Normalizer, Normalizer)) -> ModelCard {
        ModelCard {
            source_normalizer: normalizers.0,
            target_normalizer: normalizers.1,
            channel_names: self.records.variables().iter().map(|variable| variable.name.clone()).collect(),
            native_interval: Some(self.interval),
            data: format!(
                "records of {} stations at {} times of {}",
                self.n_stations(Group::Seen),
                self.span(Span::Train).len(),
                self.records.path().display()
            ),
            ..ModelCard::untrained(self.problem(), model)
        }
    }

    /// Mean and scale of every variable, over the stations and times to train on: of a source state, and of a target.
    ///
    /// # Errors
    /// Records that can no longer be read; a variable without any value.
    pub fn fit_normalizers(&self) -> Result<(Normalizer, Normalizer)> {
        let p = self.records.variables().len();
        let mut fits = vec![NormalizerFit::new(1); p];
        for i in self.span(Span::Train) {
            let frame = self.frame(i)?;
            let n = frame.stations.len();
            for (fit, values) in fits.iter_mut().zip(frame.values.chunks_exact(n.max(1))) {
                let known = |(value, station): (&f64, &u32)| {
                    (!value.is_nan() && self.is_in(*station, Group::Seen)).then_some(*value)
                };
                let values: Vec<f64> = values.iter().zip(&frame.stations).filter_map(known).collect();
                if !values.is_empty() {
                    fit.add(&values, values.len())?;
                }
            }
        }
        let each = fits.iter().map(NormalizerFit::finish).collect::<lto_numerics::Result<Vec<_>>>()?;
        let target = Normalizer::joined(&each);
        Ok((target.repeated(self.history), target))
    }

    /// A model without parameters for these records, in physical units; one made of a mean course gets that of the stations
    /// and times to train on.
    ///
    /// # Errors
    /// A configuration that does not fit the records.
    pub fn untrained(&self, mut model: ModelConfig) -> Result<Model> {
        let means = match model.course_mut() {
            Some(course) => Some(self.fill(course)?),
            None => None,
        };
        let mut problem = self.problem();
        problem.source_channels = problem.target_channels;
        let identity = || Normalizer::identity(problem.target_channels);
        let card = ModelCard { problem: problem.clone(), ..self.card(model, (identity(), identity())) };
        let model = Model::new(card, 0)?;
        Ok(match means {
            Some(means) => {
                model.with_operator(model.operator().with_parameters(&mut |_, _| Some(means.clone())))
            }
            None => model,
        })
    }
}

/// Opens records as a configuration says.
///
/// # Errors
/// Records that cannot be read.
pub fn open(path: &Path, own: &RecordsConfig, config: &DataConfig) -> Result<Records> {
    let options = config.options()?;
    Ok(Records::open(
        path,
        &RecordOptions {
            stations: own.stations.clone(),
            time_unit: own.time_unit.clone(),
            variables: config.keys.clone(),
            missing: own.missing.clone(),
            faults: if own.skip_faults { FaultPolicy::Skip } else { FaultPolicy::default() },
            domain: options.domain,
            periodic: options.periodic,
        },
    )?)
}

/// The interval that most consecutive times are apart: the median.
fn usual_interval(times: &[f64]) -> f64 {
    let mut gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_by(f64::total_cmp);
    gaps[gaps.len() / 2]
}

/// The frames to train, validate and test on, by shares of the time.
fn spans(split: &SplitConfig, times: &[f64]) -> Result<[Range<usize>; 3]> {
    let n = times.len();
    let (validation, test) = match *split {
        SplitConfig::Records { validation, test, .. } => (validation, test),
        SplitConfig::Test => return Ok([0..0, 0..0, 0..n]),
        ref other => {
            let requirement =
                "must be { records = { validation = 0.1, test = 0.2, stations = 0.1 } } for records";
            return refuse("split", format!("{other:?}"), requirement);
        }
    };
    if !(validation >= 0.0 && test >= 0.0 && validation + test < 1.0) {
        let value = format!("{validation} and {test}");
        return refuse("split.records", value, "shares must not be negative, and leave time to train on");
    }
    let (first, last) = (times[0], times[n - 1]);
    let until = |share: f64| times.partition_point(|t| *t < first + share * (last - first) * (1.0 + 1e-12));
    let (a, b) = (until(1.0 - validation - test), if test > 0.0 { until(1.0 - test) } else { n });
    let a = if validation > 0.0 { a } else { b };
    if a < 2 {
        return refuse("split.records", format!("{split:?}"), "must leave at least two times to train on");
    }
    Ok([0..a, a..b, b..n])
}

/// Which stations are never trained on.
fn held_out(split: &SplitConfig, n: usize, seed: u64) -> Result<Vec<bool>> {
    let share = match *split {
        SplitConfig::Records { stations, .. } => stations,
        _ => 0.0,
    };
    let count = (share * n as f64).round();
    if !(0.0..n as f64).contains(&count) {
        let requirement = format!("must be a share that leaves some of the {n} stations to train on");
        return refuse("split.records.stations", share.to_string(), &requirement);
    }
    let mut held = vec![false; n];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    index::sample(&mut rng, n, count as usize).into_iter().for_each(|station| held[station] = true);
    Ok(held)
}

/// Points of the default grid along each axis.
fn native(own: &RecordsConfig, domain: &Domain) -> Result<Vec<usize>> {
    let longest = domain.axes().iter().map(|axis| axis.length()).fold(0.0, f64::max);
    let points = match own.points.is_empty() {
        false => own.points.clone(),
        true => {
            let of = |length: f64| (POINTS * length / longest).round().max(4.0) as usize;
            domain.axes().iter().map(|axis| of(axis.length())).collect()
        }
    };
    if points.len() != domain.dim() || points.iter().any(|n| *n < 4) {
        let requirement = format!("needs at least 4 points along each of the {} axes", domain.dim());
        return refuse("records.points", format!("{points:?}"), &requirement);
    }
    let n: u128 = points.iter().map(|&n| n as u128).product();
    memory::require("the grid of the records", 8 * n)?;
    Ok(points)
}

fn refuse<T>(key: &str, value: String, requirement: &str) -> Result<T> {
    Err(Error::Config { key: format!("data.{key}"), value, requirement: requirement.into() })
}
