//! The mean course of station records, as a field: the network's mean at each time, and how every place departs from it.

use super::{Group, Span, StationData};
use crate::course::{Course, MeanCourse};
use crate::error::{Error, Result};
use lto_numerics::Points;
use lto_numerics::kriging::CovarianceFit;

/// A station's departure from the network's mean, at one frame of the course and of one variable.
#[derive(Clone, Copy, Default)]
struct Sum {
    n: f64,
    total: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.n += 1.0;
        self.total += value;
    }

    fn mean(self) -> f64 {
        self.total / self.n
    }
}

impl StationData {
    /// The mean course of the stations and times to train on, for a model that learns departures from it.
    ///
    /// # Errors
    /// As [`StationData::fill`].
    pub(crate) fn course(&self) -> Result<Course> {
        let mut when = MeanCourse::default();
        let mean = self.fill(&mut when)?;
        Course::new(when, mean, &self.problem())
    }

    /// m(x, t) = G(t) + δ(x, t): the mean G over stations and times of the same phase of `data.time_period` (all times without
    /// one), and the [best linear estimate](lto_numerics::kriging::Covariance::estimate) δ of the mean departures of the
    /// stations from the mean of their network at the same time. Departures are hardly touched by gaps: what a station missed,
    /// the network's mean knows. Fills in where and when it is known, and returns its values.
    ///
    /// # Shapes
    /// `[frame of the course, variable, axis 0, …]`.
    ///
    /// # Errors
    /// No times to train on, or a variable that no station observes at some phase.
    pub(super) fn fill(&self, course: &mut MeanCourse) -> Result<Vec<f32>> {
        let (records, span, grid) = (self.records(), self.span(Span::Train), self.grid()?);
        let (p, n_stations) = (records.variables().len(), records.stations().len());
        let times = &records.times()[span.clone()];
        if times.is_empty() {
            let requirement = "is a mean over times to train on, but the split leaves none".into();
            return Err(Error::Config {
                key: "data.split".into(),
                value: "all for tests".into(),
                requirement,
            });
        }
        let phases = if self.period.is_some() { times } else { &times[..1] };
        *course = MeanCourse::new(phases, &grid, self.period);
        let (n_frames, points) = (course.times.len(), Points::grid(grid));
        let mut network = vec![Sum::default(); n_frames * p];
        let mut departures = vec![Sum::default(); n_frames * p * n_stations];
        for (i, &t) in span.zip(times) {
            let (frame, phase) = (self.frame(i)?, course.frame(t));
            let n = frame.stations.len();
            for (c, values) in frame.values.chunks_exact(n.max(1)).enumerate() {
                let known = || {
                    let each = values.iter().zip(&frame.stations);
                    each.filter(|(value, station)| !value.is_nan() && self.is_in(**station, Group::Seen))
                };
                let mut mean = Sum::default();
                known().for_each(|(value, _)| mean.add(*value));
                if mean.n > 0.0 {
                    let slot = phase * p + c;
                    network[slot].add(mean.mean());
                    known().for_each(|(value, &station)| {
                        departures[slot * n_stations + station as usize].add(value - mean.mean());
                    });
                }
            }
        }
        if let Some(slot) = network.iter().position(|sum| sum.n == 0.0) {
            let (name, t) = (&records.variables()[slot % p].name, course.times[slot / p]);
            let requirement = format!("has no value at the phase {t} of the period in the times to train on");
            return Err(Error::Config { key: "data.time_period".into(), value: name.clone(), requirement });
        }
        let places = |stations: &[usize]| {
            let each = stations.iter().flat_map(|&station| records.stations()[station].coordinates.clone());
            Points::scattered(records.domain().clone(), each.collect())
        };
        let mut known = Vec::with_capacity(n_frames * p);
        let mut fits = vec![CovarianceFit::new(records.domain()); p];
        for (slot, sums) in departures.chunks_exact(n_stations).enumerate() {
            let mut stations: Vec<usize> = (0..n_stations).filter(|&j| sums[j].n > 0.0).collect();
            // Two stations at one place: the one that reported more.
            stations.sort_by(|&a, &b| sums[b].n.total_cmp(&sums[a].n));
            let mut seen = std::collections::HashSet::new();
            let key = |j: usize| {
                records.stations()[j].coordinates.iter().map(|x| x.to_bits()).collect::<Vec<u64>>()
            };
            stations.retain(|&j| seen.insert(key(j)));
            stations.sort_unstable();
            let (points, values) =
                (places(&stations)?, stations.iter().map(|&j| sums[j].mean()).collect::<Vec<f64>>());
            fits[slot % p].add(&points, &values);
            // Means of many readings have little of their noise.
            let noise = self.noise[slot % p];
            let deviations: Vec<f64> = stations.iter().map(|&j| noise / sums[j].n.sqrt()).collect();
            known.push((points, values, deviations));
        }
        let covariances: Vec<_> = fits.iter().map(|fit| fit.finish().without_noise()).collect();
        let mut all = Vec::with_capacity(known.len() * points.len());
        for (slot, (places, values, deviations)) in known.iter().enumerate() {
            let departure = covariances[slot % p].estimate(places, values, Some(deviations), &points)?;
            let mean = network[slot].mean();
            all.extend(departure.iter().map(|departure| (mean + departure) as f32));
        }
        Ok(all)
    }
}
