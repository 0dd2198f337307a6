//! What stations observe: the context of a source state, and the truth of a target.

use super::StationData;
use crate::error::Result;
use crate::model::ModelCard;
use lto_numerics::dataset::Context;
use lto_numerics::records::{Frame, Records};
use lto_numerics::{Domain, Points};
use std::collections::HashMap;
use std::sync::Arc;

/// Times closer than this share of the interval between frames are the same.
const SAME_TIME: f64 = 0.01;

/// Observed values at points, `[variable, point]`; NaN where a variable is missing.
pub struct Truth {
    /// The points.
    pub points: Points,
    /// What.
    pub values: Vec<f64>,
}

/// The context of a model from the records of stations at a time, and that time: the last one if none is given. `None` if
/// there is no record of that time.
///
/// # Errors
/// Records that can no longer be read.
pub fn context_at(records: &Records, card: &ModelCard, time: Option<f64>) -> Result<Option<(Context, f64)>> {
    let (problem, times) = (&card.problem, records.times());
    let known = &problem.measured.noise;
    let noise = if known.len() == records.variables().len() {
        known.clone()
    } else {
        vec![0.0; records.variables().len()]
    };
    let interval = card.native_interval.unwrap_or(1.0);
    let network = Network { records, frames: None, interval, noise: &noise };
    let Some(i) = time.map_or(times.len().checked_sub(1), |time| network.at(time)) else { return Ok(None) };
    Ok(network.context(i, problem.history(), |_| true)?.map(|context| (context, times[i])))
}

/// The context of frames one interval apart, the newest first, `None` where there is none: all stations chosen by `keep`
/// that report in any of them, `[frame × variable, point]`, oldest first. `None` if there are no stations. Where no
/// deviations are given, each variable has its `noise`.
///
/// # Errors
/// A station outside the domain.
pub fn context_of(
    frames: &[Option<Arc<Frame>>],
    domain: &Domain,
    noise: &[f64],
    keep: impl Fn(u32) -> bool,
) -> Result<Option<Context>> {
    let (p, dim, history) = (noise.len(), domain.dim(), frames.len());
    let mut slots: HashMap<[u64; 3], usize> = HashMap::new();
    // By point: its place, and values and deviations of all channels.
    let mut rows: Vec<(Vec<f64>, Vec<[f64; 2]>)> = Vec::new();
    // The newest first, which says where a moving station is.
    for (back, frame) in frames.iter().enumerate() {
        let Some(frame) = frame else { continue };
        let n = frame.stations.len();
        for (j, &station) in frame.stations.iter().enumerate().filter(|(_, station)| keep(**station)) {
            let place = &frame.coordinates[j * dim..(j + 1) * dim];
            let mut key = [0; 3];
            key.iter_mut().zip(place).for_each(|(key, x)| *key = (x + 0.0).to_bits());
            // A station that moved is the same sensor; two at one place are one point.
            let known = slots.get(&key).or_else(|| slots.get(&[u64::from(station), u64::MAX, u64::MAX]));
            let slot = known.copied().unwrap_or(rows.len());
            if slot == rows.len() {
                rows.push((place.to_vec(), vec![[f64::NAN, 0.0]; history * p]));
            }
            slots.insert(key, slot);
            slots.insert([u64::from(station), u64::MAX, u64::MAX], slot);
            for variable in 0..p {
                let value = frame.values[variable * n + j];
                let cell = &mut rows[slot].1[(history - 1 - back) * p + variable];
                if !value.is_nan() && cell[0].is_nan() {
                    let given = frame.deviations.as_ref().map(|all| all[variable * n + j]);
                    *cell = [value, given.filter(|s| s.is_finite()).unwrap_or(noise[variable])];
                }
            }
        }
    }
    rows.retain(|(_, cells)| cells.iter().any(|[value, _]| !value.is_nan()));
    if rows.is_empty() {
        return Ok(None);
    }
    let places = rows.iter().flat_map(|(place, _)| place.iter().copied()).collect();
    let column = |c: usize, part: usize| rows.iter().map(move |(_, cells)| cells[c][part]);
    let all = |part: usize| (0..history * p).flat_map(|c| column(c, part)).collect::<Vec<f64>>();
    let deviations = Some(all(1)).filter(|all| all.iter().any(|s| *s > 0.0));
    let points = Points::scattered(domain.clone(), places)?;
    Ok(Some(Context { points, n_channels: history * p, values: all(0), deviations }))
}

/// Records with what is known of them.
#[derive(Clone, Copy)]
pub(super) struct Network<'a> {
    pub records: &'a Records,
    /// All frames, if they are in memory.
    pub frames: Option<&'a [Arc<Frame>]>,
    /// Time between consecutive frames.
    pub interval: f64,
    /// Noise of each variable, where the file does not say.
    pub noise: &'a [f64],
}

impl Network<'_> {
    /// The frame of a time, if there is one.
    pub fn at(&self, time: f64) -> Option<usize> {
        let (times, near) = (self.records.times(), SAME_TIME * self.interval);
        let next = times.partition_point(|t| *t < time - near);
        times.get(next).filter(|t| (**t - time).abs() <= near).map(|_| next)
    }

    pub fn frame(&self, i: usize) -> Result<Arc<Frame>> {
        match self.frames {
            Some(frames) => Ok(frames[i].clone()),
            None => Ok(Arc::new(self.records.frame(i)?)),
        }
    }

    /// See [`StationData::context`].
    fn context(&self, i: usize, history: usize, keep: impl Fn(u32) -> bool) -> Result<Option<Context>> {
        let s = self.records.times()[i];
        let back = |back: usize| self.at(s - back as f64 * self.interval).map(|i| self.frame(i)).transpose();
        let frames = (0..history).map(back).collect::<Result<Vec<_>>>()?;
        context_of(&frames, self.records.domain(), self.noise, keep)
    }
}

impl StationData {
    /// The context at frame `i` and the `history − 1` intervals before it: all stations chosen by `keep` that report at any of
    /// these times, `[history × variable, point]`, oldest first. `None` if there is none.
    ///
    /// # Errors
    /// Records that can no longer be read.
    pub fn context(&self, i: usize, history: usize, keep: impl Fn(u32) -> bool) -> Result<Option<Context>> {
        self.network().context(i, history, keep)
    }

    /// What the stations chosen by `keep` observe at frame `i`; `None` if they observe nothing.
    ///
    /// # Errors
    /// Records that can no longer be read.
    pub fn truth(&self, i: usize, keep: impl Fn(u32) -> bool) -> Result<Option<Truth>> {
        let context = self.context(i, 1, keep)?;
        Ok(context.map(|Context { points, values, .. }| Truth { points, values }))
    }
}
