//! Stations that disagree with their neighbors: the reading less what the others say of its place, in deviations of what
//! is usual for the station.

use crate::error::Result;
use lto_numerics::records::Frame;
use lto_numerics::setconv::leave_one_out;
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

    /// The stations of a frame whose reading of `variable` disagrees with the others. The worst is taken out before the
    /// others are judged again, since a wrong reading spoils what is said of its neighbors. Learns from the rest.
    ///
    /// # Errors
    /// Stations outside the domain.
    pub fn check(&mut self, frame: &Frame, variable: usize, domain: &Domain) -> Result<Vec<Disagreement>> {
        let (n, dim) = (frame.stations.len(), domain.dim());
        let value = |j: usize| frame.values[variable * n + j];
        let place = |j: usize| &frame.coordinates[j * dim..(j + 1) * dim];
        let mut kept: Vec<usize> = Vec::new();
        for j in (0..n).filter(|&j| value(j).is_finite()) {
            // Two stations at one place cannot be told apart.
            if !kept.iter().any(|&k| place(k) == place(j)) {
                kept.push(j);
            }
        }
        let mut found = Vec::new();
        let mut unknown = Vec::new();
        while kept.len() >= LEAST && found.len() < MOST {
            let places = kept.iter().flat_map(|&j| place(j)).copied().collect();
            let points = Points::scattered(domain.clone(), places)?;
            let values: Vec<f64> = kept.iter().map(|&j| value(j)).collect();
            let estimates = leave_one_out(&points, &values)?;
            let residuals: Vec<f64> = values.iter().zip(&estimates).map(|(value, e)| value - e).collect();
            let common = self.common.unwrap_or_else(|| robust(&residuals));
            let judged = |i: usize| {
                let (offset, deviation) = self.expected(frame.stations[kept[i]], common);
                let expected = estimates[i] + offset;
                let deviations = (values[i] - expected) / deviation.max(f64::MIN_POSITIVE);
                Disagreement { index: kept[i], value: values[i], expected, deviations }
            };
            let worst = (0..kept.len())
                .max_by(|&a, &b| judged(a).deviations.abs().total_cmp(&judged(b).deviations.abs()));
            match worst.map(|i| (i, judged(i))) {
                Some((i, one)) if one.deviations.abs() > self.alarm && common > 0.0 => {
                    unknown.push((frame.stations[kept[i]], residuals[i]));
                    kept.remove(i);
                    found.push(one);
                }
                _ => {
                    let stations: Vec<u32> = kept.iter().map(|&j| frame.stations[j]).collect();
                    self.learn(&stations, &residuals, common);
                    break;
                }
            }
        }
        // A station on a mountain differs from the beginning: what is usual for it is learned all the same.
        unknown.retain(|(station, _)| self.usual.get(station).is_none_or(|usual| usual.n < PRIOR));
        for (station, residual) in unknown {
            self.usual.entry(station).or_default().add(residual);
        }
        Ok(found)
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
