//! What is measured of the records before a model is made: changes over a lead, covariances, and how long anomalies persist.

use super::super::persisting::{BLOCKS, Products, proven_share};
use super::{Group, Span, StationData};
use crate::course::Course;
use crate::error::Result;
use lto_numerics::dataset::Normalizer;
use lto_numerics::kriging::{Covariance, CovarianceFit};
use std::ops::Range;

/// The most frames that a covariance is fitted to, spread over the times to train on.
const FIT_FRAMES: usize = 256;
/// The most frames whose departures are followed, spread over the times to train on.
const FOLLOWED: usize = 4096;
impl StationData {
    /// Leads of 1, 2, 4, … intervals, up to the longest and it too.
    fn leads(&self) -> Vec<usize> {
        let times = &self.records().times()[self.span(Span::Train)];
        let whole = ((times[times.len() - 1] - times[0]) / self.interval()).round() as usize;
        let longest = match &self.measured.calendar {
            Some(calendar) => (calendar.longest_lead / self.interval()).round() as usize,
            None => whole,
        };
        let longest = longest.min(whole.saturating_sub(1)).max(1);
        let mut leads: Vec<usize> = (0..).map(|k| 1 << k).take_while(|lead| *lead < longest).collect();
        leads.push(longest);
        leads
    }

    /// Values of frame `i` by station, normalized; NaN where nothing is known.
    fn states(&self, i: usize, normalizer: &Normalizer) -> Result<Vec<f64>> {
        let n_stations = self.records().stations().len();
        let mut all = vec![f64::NAN; self.noise.len() * n_stations];
        let frame = self.frame(i)?;
        for (c, values) in frame.values.chunks_exact(frame.stations.len().max(1)).enumerate() {
            let (mean, scale) = (normalizer.mean()[c], normalizer.scale()[c]);
            let seen =
                values.iter().zip(&frame.stations).filter(|(_, station)| self.is_in(**station, Group::Seen));
            seen.for_each(|(value, &station)| {
                all[c * n_stations + station as usize] = (value - mean) / scale
            });
        }
        Ok(all)
    }

    /// Leads with the root mean square of u_t − u_s in units of the normalization.
    ///
    /// # Errors
    /// Records that can no longer be read.
    pub fn changes(&self, normalizer: &Normalizer) -> Result<Vec<[f64; 2]>> {
        let mut changes = Vec::new();
        for lead in self.leads() {
            let (mut sum, mut n) = (0.0, 0.0);
            for i in self.some_frames(Span::Train) {
                let Some(later) = self.later(i, lead) else { continue };
                let (a, b) = (self.states(i, normalizer)?, self.states(later, normalizer)?);
                for difference in a.iter().zip(&b).map(|(a, b)| a - b).filter(|d| !d.is_nan()) {
                    sum += difference * difference;
                    n += 1.0;
                }
            }
            let change = (sum / f64::max(n, 1.0)).sqrt();
            if change > 0.0 && change.is_finite() {
                changes.push([lead as f64 * self.interval(), change]);
            }
        }
        Ok(changes)
    }

    /// The covariance of each variable, in normalized units, less the course (or the mean); the known noise of the sensors is
    /// not part of it.
    ///
    /// # Errors
    /// Records that can no longer be read.
    pub fn covariances(&self, normalizer: &Normalizer, course: Option<&Course>) -> Result<Vec<Covariance>> {
        let mut fits = vec![CovarianceFit::new(self.records().domain()); self.noise.len()];
        for i in self.some_frames(Span::Train) {
            let Some(mut seen) = self.context(i, 1, |station| self.is_in(station, Group::Seen))? else {
                continue;
            };
            let n = seen.points.len();
            if let Some(course) = course {
                let means = course.at(self.records().times()[i], &seen.points)?;
                let shifts = normalizer.mean().iter().flat_map(|mean| vec![*mean; n]);
                let each = seen.values.iter_mut().zip(means).zip(shifts);
                each.for_each(|((value, m), mean)| *value += mean - m);
            }
            normalizer.normalize(&mut seen.values, n)?;
            for (c, fit) in fits.iter_mut().enumerate() {
                if let Some(channel) = seen.channel(c) {
                    fit.add(&channel.points, &channel.values);
                }
            }
        }
        Ok(fits.iter().map(CovarianceFit::finish).collect())
    }

    /// `[lead, ρ]`: how much of a departure from the mean course is still there after a lead, at least as far as the records
    /// prove it is less than all of it. ρ̂ = Σ a_s a_t / Σ (a_s² − σ²) with the known noise σ, each a a departure from the
    /// course of the *other* blocks of time; its standard error is the jackknife's over the blocks, and
    /// ρ = min(1, ρ̂ + 2 standard errors). Frames are not kept: the course is that of all of them, departures are followed
    /// from at most 4096.
    ///
    /// # Errors
    /// Records that can no longer be read.
    pub fn memory(&self, normalizer: &Normalizer) -> Result<Vec<[f64; 2]>> {
        let span = self.span(Span::Train);
        let blocks = BLOCKS.min(span.len() / 2).max(1);
        let block = |i: usize| (i - span.start) * blocks / span.len();
        let (p, n_stations) = (self.noise.len(), self.records().stations().len());
        let size = p * n_stations;
        // Sums and numbers of each block, phase and series.
        let times = self.records().times();
        let phases = self.period.map_or(1, |period| (period / self.interval()).round().max(1.0) as usize);
        let phase = |i: usize| match self.period {
            Some(period) => (times[i].rem_euclid(period) / self.interval()).round() as usize % phases,
            None => 0,
        };
        let mut sums = vec![[0.0; 2]; blocks * phases * size];
        for i in span.clone() {
            let (at, state) = ((block(i) * phases + phase(i)) * size, self.states(i, normalizer)?);
            for (sum, value) in sums[at..at + size].iter_mut().zip(&state).filter(|(_, v)| !v.is_nan()) {
                *sum = [sum[0] + value, sum[1] + 1.0];
            }
        }
        let mean_of_others = |left_out: usize, phase: usize, j: usize| {
            let others = (0..blocks).filter(|b| *b != left_out || blocks == 1);
            let [total, n] = others.fold([0.0; 2], |[total, n], b| {
                let [sum, count] = sums[(b * phases + phase) * size + j];
                [total + sum, n + count]
            });
            total / n
        };
        let mut means = vec![f64::NAN; blocks * phases * size];
        for b in 0..blocks {
            for phase in 0..phases {
                (0..size).for_each(|j| means[(b * phases + phase) * size + j] = mean_of_others(b, phase, j));
            }
        }
        let departures = |i: usize, left_out: usize| -> Result<Vec<f64>> {
            let means = &means[(left_out * phases + phase(i)) * size..][..size];
            Ok(self.states(i, normalizer)?.iter().zip(means).map(|(state, mean)| state - mean).collect())
        };
        let noise: Vec<f64> =
            self.noise.iter().zip(normalizer.scale()).map(|(noise, scale)| (noise / scale).powi(2)).collect();
        let leads = self.leads();
        let mut each = vec![vec![Products::default(); blocks]; leads.len()];
        for i in Self::spread_over(span.clone(), FOLLOWED) {
            let (b, now) = (block(i), departures(i, block(i))?);
            for (&lead, products) in leads.iter().zip(&mut each) {
                let later = self.later(i, lead).filter(|&later| span.contains(&later) && block(later) == b);
                let Some(later) = later else { continue };
                for (j, (a, d)) in now.iter().zip(departures(later, b)?).enumerate() {
                    if !(a * d).is_nan() {
                        products[b].squares += a * a - noise[j / n_stations];
                        products[b].products += a * d;
                    }
                }
            }
        }
        let proven = leads
            .iter()
            .zip(&each)
            .filter_map(|(&lead, products)| Some([lead as f64 * self.interval(), proven_share(products)?]));
        Ok(proven.collect())
    }

    /// Some frames of a span, evenly spread.
    fn some_frames(&self, span: Span) -> Vec<usize> {
        Self::spread_over(self.span(span), FIT_FRAMES)
    }

    /// At most `most` of some frames, evenly spread.
    fn spread_over(span: Range<usize>, most: usize) -> Vec<usize> {
        let n = span.len().min(most);
        (0..n).map(|k| span.start + k * span.len() / n).collect()
    }

    /// The frame a number of intervals later.
    pub(crate) fn later(&self, i: usize, lead: usize) -> Option<usize> {
        self.at(self.records().times()[i] + lead as f64 * self.interval())
    }
}
