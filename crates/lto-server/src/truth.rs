//! The true course of a held-out state, where a solver or a file knows it.

use crate::source::{Origin, Source};
use crate::wire::Example;
use lto::data::config::{DataConfig, SplitConfig};
use lto::data::{Data, State, Wanted};
use lto::experiment::Experiment;
use lto::problem::Problem;
use lto::train::folder::CONFIG_FILE;
use lto::{Error, Result, demo};
use lto_numerics::dataset::{ContextDesign, ContextSampler};
use lto_numerics::pde::{PdeConfig, sample_rng};
use lto_numerics::resample::{Method, resample};
use lto_numerics::{Field, Grid};
use std::sync::Arc;

/// Sensors of an example, and at most this share of the grid's points.
const SENSORS: (usize, f64) = (100, 0.1);
/// Frames between two of the training data's, where a solver gives them for nothing.
const FINER: usize = 8;
/// Megabytes of the sample to keep.
const CACHE_MB: usize = 256;
/// Times are the same within this share of the frames' range.
const SAME_TIME: f64 = 1e-6;

/// One sample of a data set.
pub struct Truth {
    data: Data,
    sample: usize,
}

impl Truth {
    /// A held-out sample of the data that a model was trained on, or of the file given instead; `None` if there is neither.
    ///
    /// # Errors
    /// Data that cannot be opened, or are not those of the model's problem.
    pub fn open(source: &Source, problem: &Problem) -> Result<Option<Self>> {
        let Some(config) = config(source)? else { return Ok(None) };
        let data = Data::open(&config, 1.0)?;
        let theirs = data.problem();
        problem.check_domain("data set", &theirs.domain)?;
        let shape = |p: &Problem| (p.source_channels, p.target_channels, p.times.is_some());
        if shape(&theirs) != shape(problem) {
            return Err(Error::Config {
                key: "data".into(),
                value: data.layout().description.clone(),
                requirement: format!(
                    "the model takes {} channels and gives {}, {}",
                    problem.source_channels,
                    problem.target_channels,
                    if problem.times.is_some() { "in time" } else { "without time" }
                ),
            });
        }
        let split = data.split();
        let sample = split.test.first().or(split.validation.first()).copied().unwrap_or(0);
        Ok(Some(Self { data, sample }))
    }

    /// Sensors of the first state, or of the source of a steady one.
    ///
    /// # Errors
    /// Data that cannot be read or solved.
    pub fn example(&self) -> Result<Example> {
        let times = &self.data.layout().times;
        let last = self.data.history() - 1;
        let state = if times.is_empty() { State::Source } else { State::History(last) };
        let field = self.states(&[state])?.remove(0);
        let n = field.grid().len();
        let fraction = SENSORS.1.min(SENSORS.0 as f64 / n as f64);
        let sampler = ContextSampler { design: ContextDesign::Random { context_fraction: fraction } };
        let context = sampler.sample(&field, None, &mut sample_rng(0, 0))?;
        let (coordinates, n) = (context.points.coordinates(), context.points.len());
        let reading = |i: usize| context.values.iter().skip(i).step_by(n).copied().collect();
        Ok(Example {
            sensors: coordinates.chunks_exact(context.points.dim()).map(<[f64]>::to_vec).collect(),
            values: (0..n).map(reading).collect(),
            s: times.get(last).copied(),
        })
    }

    /// The states at some times on a grid, `[time, channel, point]`: linear in time between frames; the target of a steady
    /// sample, whatever the times.
    ///
    /// # Errors
    /// A time outside the data's; data that cannot be read or solved.
    pub fn at(&self, times: &[f64], grid: &Arc<Grid>) -> Result<Vec<f64>> {
        let frames = &self.data.layout().times;
        if frames.is_empty() {
            return Ok(on(&self.states(&[State::Target])?.remove(0), grid)?.into_values());
        }
        let mut all = Vec::new();
        for &t in times {
            let (frame, share) = between(frames, t)?;
            let states: &[State] = match share {
                0.0 => &[State::Frame(frame)],
                _ => &[State::Frame(frame), State::Frame(frame + 1)],
            };
            let mut fields = Vec::new();
            for field in self.states(states)? {
                fields.push(on(&field, grid)?.into_values());
            }
            match &fields[..] {
                [before, after] => all.extend(before.iter().zip(after).map(|(a, b)| a + share * (b - a))),
                exact => all.extend(exact.concat()),
            }
        }
        Ok(all)
    }

    fn states(&self, states: &[State]) -> Result<Vec<Field>> {
        let wanted = |&state: &State| Wanted { sample: self.sample, state, finer: false };
        self.data.fields(&states.iter().map(wanted).collect::<Vec<_>>())
    }
}

/// What the data of a source are.
fn config(source: &Source) -> Result<Option<DataConfig>> {
    let experiment = match &source.origin {
        Origin::Embedded => Some(demo::experiment(0, None)?),
        Origin::Path(path) if path.join(CONFIG_FILE).is_file() => {
            Some(Experiment::read(&path.join(CONFIG_FILE), &[])?)
        }
        Origin::Path(_) => None,
    };
    let config = experiment.map(|experiment| experiment.data);
    let Some(file) = &source.data else {
        return Ok(config.map(|config| DataConfig {
            generate: config.generate.map(finer),
            cache_mb: CACHE_MB,
            ..config
        }));
    };
    let config = config.unwrap_or_default();
    let (path, split) = (Some(file.clone()), SplitConfig::Test);
    Ok(Some(DataConfig { path, generate: None, samples: None, split, cache_mb: CACHE_MB, ..config }))
}

/// The same problem with more frames, where they cost nothing: the heat equation is solved exactly at every time.
fn finer(pde: PdeConfig) -> PdeConfig {
    match pde {
        PdeConfig::Heat(mut heat) => {
            heat.n_frames = FINER * (heat.n_frames.max(1) - 1) + 1;
            PdeConfig::Heat(heat)
        }
        other => other,
    }
}

/// The last frame not after `t`, and how far `t` is on the way to the next.
fn between(frames: &[f64], t: f64) -> Result<(usize, f64)> {
    let (first, last) = (frames[0], frames[frames.len() - 1]);
    let slack = SAME_TIME * (last - first);
    if !(first - slack..=last + slack).contains(&t) {
        return Err(Error::TimeOutsideRange { time: t, range: [first, last] });
    }
    let frame = frames.partition_point(|&frame| frame <= t + slack).saturating_sub(1);
    let share = match frames.get(frame + 1) {
        Some(next) => ((t - frames[frame]) / (next - frames[frame])).clamp(0.0, 1.0),
        None => 0.0,
    };
    Ok((frame, if share * (last - first) <= slack { 0.0 } else { share }))
}

fn on(field: &Field, grid: &Arc<Grid>) -> Result<Field> {
    Ok(resample(field, grid, Method::for_grids(field.grid(), grid)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_lie_between_frames() {
        let frames = [0.0, 1.0, 3.0];
        assert_eq!(between(&frames, 0.0).unwrap(), (0, 0.0));
        assert_eq!(between(&frames, 1.0).unwrap(), (1, 0.0));
        assert_eq!(between(&frames, 2.0).unwrap(), (1, 0.5));
        assert_eq!(between(&frames, 3.0 + 1e-9).unwrap(), (2, 0.0));
        assert!(between(&frames, 3.1).is_err() && between(&frames, f64::NAN).is_err());
    }

    /// The mean of a periodic solution of the heat equation never changes, and its peaks only fall.
    #[test]
    fn the_truth_of_the_embedded_twin_is_a_solution() {
        let source = Source::embedded();
        let problem = crate::twin::model().unwrap().card().problem.clone();
        let truth = Truth::open(&source, &problem).unwrap().unwrap();
        let example = truth.example().unwrap();
        assert_eq!((example.sensors.len(), example.s), (100, Some(0.0)));
        let grid = Arc::new(problem.query_grid(&[32]).unwrap());
        let values = truth.at(&[0.0, 0.0004, 0.016], &grid).unwrap();
        let frames: Vec<&[f64]> = values.chunks_exact(32 * 32).collect();
        let mean = |frame: &[f64]| frame.iter().sum::<f64>() / frame.len() as f64;
        let most = |frame: &[f64]| frame.iter().fold(f64::MIN, |a, b| a.max(*b));
        for frame in &frames[1..] {
            assert!((mean(frame) - mean(frames[0])).abs() < 1e-5);
        }
        assert!(most(frames[1]) < most(frames[0]) && most(frames[2]) < most(frames[1]));
    }
}
