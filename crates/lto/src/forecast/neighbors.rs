//! Stations that disagree with their neighbors: the reading less what the others say of its place, in deviations of what
//! is usual for the station.

use crate::error::Result;
use lto_numerics::records::Frame;
use lto_numerics::setconv::{leave_one_out, nearest_linear};
use lto_numerics::{Domain, Points};
use std::collections::HashMap;

/// Fewer readings say nothing about each other.
const LEAST: usize = 5;
/// Most alarms of one time and variable.
const MOST: usize = 50;
/// How many times of its own a station needs to be judged by them as much as by the others.
const PRIOR: f64 = 12.0;
/// Times after which old residuals count half.
const MEMORY: f64 = 500.0;
/// Residuals count at most so many deviations when what is usual is learned.
const CLIP: f64 = 3.0;
/// Median of |x| of a normal variable of deviation 1.
const MEDIAN_OF_NORMAL: f64 = 0.674_489_75;

/// A reading beside what its neighbors say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disagreement {
    /// Number of the station in its frame.
    pub index: usize,
    /// The reading.
    pub value: f64,
    /// The estimate from the others, plus what the station usually differs from it by.
    pub expected: f64,
    /// Their difference in usual deviations.
    pub deviations: f64,
}

/// What is usual for one station.
#[derive(Clone, Copy, Default)]
struct Usual {
    n: f64,
    mean: f64,
    square: f64,
}

impl Usual {
    fn add(&mut self, residual: f64) {
        self.n = (self.n + 1.0).min(MEMORY);
        self.mean += (residual - self.mean) / self.n;
        self.square += (residual * residual - self.square) / self.n;
    }
}

/// Watches one variable.
pub struct Watch {
    alarm: f64,
    usual: HashMap<u32, Usual>,
    /// Running deviation of residuals of all stations.
    common: Option<f64>,
}

impl Watch {
    /// Alarms from so many deviations on.
    pub fn new(alarm: f64) -> Self {
        Self { alarm, usual: HashMap::new(), common: None }
    }

    /// The stations of a frame whose reading of `variable` disagrees with the others. Of all that do, the one farthest off is
    /// taken out before the others are judged again: a wrong reading spoils what is said of its neighbors, but is itself farther
    /// off than any of them. Then those that agree with the rest come back, the most plausible first. Learns from the rest.
    ///
    /// # Errors
    /// Stations outside the domain.
    pub fn check(&mut self, frame: &Frame, variable: usize, domain: &Domain) -> Result<Vec<Disagreement>> {
        let readings = Readings::new(frame, variable, domain);
        let mut kept = readings.distinct();
        let mut out: Vec<usize> = Vec::new();
        if kept.len() < LEAST {
            return Ok(Vec::new());
        }
        let first = readings.residuals(&kept)?;
        let common = self.common.unwrap_or_else(|| robust(&first));
        while kept.len() >= LEAST && out.len() < MOST && common > 0.0 {
            let judged = self.judged(&readings, &kept, &readings.residuals(&kept)?, common);
            let off = |one: &Disagreement| (one.value - one.expected).abs();
            let lying = judged.iter().enumerate().filter(|(_, one)| one.deviations.abs() > self.alarm);
            let Some((worst, _)) = lying.max_by(|(_, a), (_, b)| off(a).total_cmp(&off(b))) else { break };
            out.push(kept.remove(worst));
        }
        let mut found = Vec::new();
        while !out.is_empty() {
            found = self.judged(&readings, &out, &readings.residuals_from(&kept, &out)?, common);
            let size = |i: &usize| found[*i].deviations.abs();
            let best = (0..out.len()).min_by(|a, b| size(a).total_cmp(&size(b)));
            match best.filter(|best| size(best) <= self.alarm) {
                Some(best) => kept.push(out.remove(best)),
                None => break,
            }
        }
        found.truncate(out.len());
        kept.sort_unstable();
        let stations: Vec<u32> = kept.iter().map(|&j| frame.stations[j]).collect();
        self.learn(&stations, &readings.residuals(&kept)?, common);
        // A station on a mountain differs from the beginning: what is usual for it is learned all the same.
        for (&j, residual) in out.iter().zip(readings.residuals_from(&kept, &out)?) {
            let usual = self.usual.entry(frame.stations[j]).or_default();
            if usual.n < PRIOR {
                usual.add(residual);
            }
        }
        Ok(found)
    }

    /// Readings with residuals against what is usual for their stations.
    fn judged(&self, of: &Readings, which: &[usize], residuals: &[f64], common: f64) -> Vec<Disagreement> {
        let judged = |(&index, residual): (&usize, &f64)| {
            let (offset, deviation) = self.expected(of.frame.stations[index], common);
            let value = of.value(index);
            Disagreement {
                index,
                value,
                expected: value - residual + offset,
                deviations: (residual - offset) / deviation.max(f64::MIN_POSITIVE),
            }
        };
        which.iter().zip(residuals).map(judged).collect()
    }

    /// What a station usually differs by from its neighbors' estimate, and the deviation of that: its own residuals and
    /// those of all stations, weighed by how many it has.
    fn expected(&self, station: u32, common: f64) -> (f64, f64) {
        let usual = self.usual.get(&station).copied().unwrap_or_default();
        let own = (usual.square - usual.mean * usual.mean).max(0.0);
        let weight = usual.n / (usual.n + PRIOR);
        (usual.n / (usual.n + 1.0) * usual.mean, (weight * own + (1.0 - weight) * common * common).sqrt())
    }

    fn learn(&mut self, stations: &[u32], residuals: &[f64], common: f64) {
        for (&station, &residual) in stations.iter().zip(residuals) {
            let (offset, deviation) = self.expected(station, common);
            let clipped = residual.clamp(offset - CLIP * deviation, offset + CLIP * deviation);
            let usual = self.usual.entry(station).or_default();
            usual.add(if usual.n < PRIOR { residual } else { clipped });
        }
        let now = robust(residuals);
        self.common = Some(self.common.map_or(now, |before| before + (now - before) / PRIOR));
    }
}

/// The readings of one variable.
struct Readings<'a> {
    frame: &'a Frame,
    variable: usize,
    domain: &'a Domain,
}

impl<'a> Readings<'a> {
    fn new(frame: &'a Frame, variable: usize, domain: &'a Domain) -> Self {
        Self { frame, variable, domain }
    }

    fn value(&self, j: usize) -> f64 {
        self.frame.values[self.variable * self.frame.stations.len() + j]
    }

    fn place(&self, j: usize) -> &[f64] {
        let dim = self.domain.dim();
        &self.frame.coordinates[j * dim..(j + 1) * dim]
    }

    /// Those that are known; of two at one place, which cannot be told apart, the first.
    fn distinct(&self) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::new();
        for j in (0..self.frame.stations.len()).filter(|&j| self.value(j).is_finite()) {
            if !kept.iter().any(|&k| self.place(k) == self.place(j)) {
                kept.push(j);
            }
        }
        kept
    }

    fn points(&self, which: &[usize]) -> Result<(Points, Vec<f64>)> {
        let places = which.iter().flat_map(|&j| self.place(j)).copied().collect();
        let points = Points::scattered(self.domain.clone(), places)?;
        Ok((points, which.iter().map(|&j| self.value(j)).collect()))
    }

    /// Each reading less what the others of `which` say of its place.
    fn residuals(&self, which: &[usize]) -> Result<Vec<f64>> {
        let (points, values) = self.points(which)?;
        let estimates = leave_one_out(&points, &values)?;
        Ok(values.iter().zip(estimates).map(|(value, estimate)| value - estimate).collect())
    }

    /// Each reading of `which` less what those of `from` say of its place.
    fn residuals_from(&self, from: &[usize], which: &[usize]) -> Result<Vec<f64>> {
        if which.is_empty() {
            return Ok(Vec::new());
        }
        let (points, values) = self.points(from)?;
        let (query, readings) = self.points(which)?;
        let estimates = nearest_linear(&points, &values, &query)?;
        Ok(readings.iter().zip(estimates).map(|(value, estimate)| value - estimate).collect())
    }
}

/// Median of the absolute values ÷ 0.6745.
fn robust(residuals: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    let middle = sizes.len() / 2;
    if sizes.is_empty() {
        return 0.0;
    }
    *sizes.select_nth_unstable_by(middle, f64::total_cmp).1 / MEDIAN_OF_NORMAL
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::pde::sample_rng;
    use rand::RngExt;

    /// 36 stations on a slope, one 5 higher than its place says, with noise of deviation 0.1.
    fn frame(t: u64, lie: Option<(usize, f64)>) -> Frame {
        let places: Vec<f64> =
            (0..36).flat_map(|i| [f64::from(i % 6) / 5.0, f64::from(i / 6) / 5.0]).collect();
        let mut rng = sample_rng(5, t);
        let mut noise = || (rng.random::<f64>() - 0.5) * 12f64.sqrt() * 0.1;
        let mut values: Vec<f64> =
            (0..36).map(|i| 3.0 * places[2 * i] + (t as f64 / 9.0).sin() + noise()).collect();
        values[14] += 5.0;
        if let Some((station, error)) = lie {
            values[station] += error;
        }
        Frame { time: t as f64, stations: (0..36).collect(), coordinates: places, values, deviations: None }
    }

    #[test]
    fn lies_are_found_and_habits_are_not_lies() {
        let domain = Domain::unit(2, false).unwrap();
        let mut watch = Watch::new(6.0);
        for t in 0..40 {
            let found = watch.check(&frame(t, None), 0, &domain).unwrap();
            if t >= 15 {
                assert!(found.is_empty(), "{t}: {found:?}");
            }
        }
        let found = watch.check(&frame(40, Some((21, -3.0))), 0, &domain).unwrap();
        assert_eq!(found.iter().map(|f| f.index).collect::<Vec<_>>(), [21]);
        assert!((found[0].value - found[0].expected + 3.0).abs() < 0.6 && found[0].deviations < -6.0);
        assert!(watch.check(&frame(41, None), 0, &domain).unwrap().is_empty());
    }

    /// A station so close to another that each is what is said of the other: only the one that lies is found, whichever of the two
    /// it is and however long it does.
    #[test]
    fn honest_neighbors_of_a_liar_are_believed() {
        let domain = Domain::unit(2, false).unwrap();
        for liar in [36, 28] {
            let beside = |t: u64, lie: f64| {
                let mut frame = frame(t, None);
                let n = frame.stations.len();
                frame.stations.push(n as u32);
                frame.coordinates.extend([frame.coordinates[56] + 0.02, frame.coordinates[57]]);
                // Noise of its own, of about the same deviation.
                frame.values.push(frame.values[28] + 0.07 * ((t * 7 % 5) as f64 - 2.0));
                frame.values[liar] += lie;
                frame
            };
            let mut watch = Watch::new(6.0);
            for t in 0..40 {
                watch.check(&beside(t, 0.0), 0, &domain).unwrap();
            }
            for t in 40..60 {
                let found = watch.check(&beside(t, 4.0), 0, &domain).unwrap();
                assert_eq!(found.iter().map(|f| f.index).collect::<Vec<_>>(), [liar], "{t}");
            }
            assert!(watch.check(&beside(60, 0.0), 0, &domain).unwrap().is_empty());
        }
    }

    #[test]
    fn few_stations_raise_no_alarm() {
        let domain = Domain::unit(1, false).unwrap();
        let frame = Frame {
            time: 0.0,
            stations: vec![0, 1, 2],
            coordinates: vec![0.0, 0.5, 1.0],
            values: vec![0.0, 100.0, 0.0],
            deviations: None,
        };
        assert!(Watch::new(6.0).check(&frame, 0, &domain).unwrap().is_empty());
    }
}
