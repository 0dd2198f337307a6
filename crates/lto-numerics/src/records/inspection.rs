//! What a record holds: stations, coverage over time, gaps, noise, values that look wrong.

use super::noise::{Scale, is_spike};
use super::{FaultCount, RecordAxis, Records, Variable};
use crate::dataset::moments::Moments;
use crate::domain::Domain;
use crate::error::Result;
use serde::Serialize;
use std::path::PathBuf;

/// Steps of the coverage over time.
const BINS: usize = 60;
/// Gaps and suspicious values that are named; the others are counted.
const NAMED: usize = 10;
/// A step of time longer than so many usual ones is a gap.
const GAP: f64 = 1.5;
/// Equal values in a row that make a sensor look stuck.
const STUCK: u32 = 24;

/// What `lto data inspect` says about a record.
#[derive(Clone, Debug, Serialize)]
pub struct RecordInspection {
    /// The file.
    pub path: PathBuf,
    /// Usable rows.
    pub n_rows: u64,
    /// Axes of the places.
    pub axes: Vec<RecordAxis>,
    /// Box of the places.
    pub domain: Domain,
    /// Times.
    pub times: TimeSummary,
    /// Stations, in the order of their first report.
    pub stations: Vec<StationSummary>,
    /// Variables.
    pub variables: Vec<VariableSummary>,
    /// Stations that reported, in equal steps of time.
    pub coverage: Vec<Coverage>,
    /// Rows that cannot be used, by kind.
    pub faults: Vec<FaultCount>,
    /// What was assumed.
    pub notes: Vec<String>,
}

/// When was observed.
#[derive(Clone, Debug, Serialize)]
pub struct TimeSummary {
    /// Number of times.
    pub count: usize,
    /// First and last, for people.
    pub first: String,
    /// The last.
    pub last: String,
    /// Unit of steps; empty if not known.
    pub unit: String,
    /// The usual step, the median.
    pub step: Option<f64>,
    /// How often nothing was observed for longer.
    pub n_gaps: usize,
    /// The longest of these gaps.
    pub gaps: Vec<Gap>,
}

/// A time in which nothing was observed.
#[derive(Clone, Debug, Serialize)]
pub struct Gap {
    /// Last time before it.
    pub from: String,
    /// First time after it.
    pub to: String,
    /// Its length.
    pub length: f64,
}

/// A station and how often it reported.
#[derive(Clone, Debug, Serialize)]
pub struct StationSummary {
    /// Its name.
    pub name: String,
    /// Where it stands, or first reported.
    pub coordinates: Vec<f64>,
    /// Whether it moves.
    pub moves: bool,
    /// Times at which it reported.
    pub n_times: usize,
    /// First and last of them.
    pub first: String,
    /// The last.
    pub last: String,
    /// Its longest silence between two reports, in times of the record.
    pub longest_silence: usize,
    /// Variables that kept exactly one value for many reports in a row.
    pub stuck: Vec<String>,
}

/// A variable and its values.
#[derive(Clone, Debug, Serialize)]
pub struct VariableSummary {
    /// Name and unit.
    #[serde(flatten)]
    pub variable: Variable,
    /// Number of values.
    pub count: u64,
    /// Share of the reports that lack it.
    pub missing: f64,
    /// Least, largest, mean and deviation.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The standard deviation.
    pub std: Option<f64>,
    /// Deviation of the noise, at most: median |u(t−1) − 2u(t) + u(t+1)| ÷ (0.6745 √6) over stations and times.
    pub noise: Option<f64>,
    /// Least and largest noise that the file gives.
    pub given_noise: Option<(f64, f64)>,
    /// Values that leave both neighbors in time by far, which agree with each other.
    pub n_suspicious: u64,
    /// The first of them.
    pub suspicious: Vec<Suspicious>,
}

/// A value that looks wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Suspicious {
    /// When.
    pub time: String,
    /// Which station.
    pub station: String,
    /// The value.
    pub value: f64,
    /// The mean of the values before and after it.
    pub expected: f64,
}

/// How many stations reported.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Coverage {
    /// Middle of the step of time.
    pub time: f64,
    /// Stations that reported at all.
    pub stations: usize,
    /// Mean share of the stations that reported at a time.
    pub share: f64,
}

/// The last values of one variable of one station.
#[derive(Clone, Copy)]
struct Trail {
    frames: [usize; 2],
    values: [f64; 2],
    run: u32,
    longest_run: u32,
}

const NO_TRAIL: Trail = Trail { frames: [usize::MAX; 2], values: [f64::NAN; 2], run: 0, longest_run: 0 };

impl Trail {
    /// Adds a value; gives the two before it if all three are at frames in a row.
    fn push(&mut self, frame: usize, value: f64) -> Option<[f64; 2]> {
        let [before, last] = self.frames;
        let three = last.checked_add(1) == Some(frame) && before.checked_add(2) == Some(frame);
        let found = three.then_some(self.values);
        self.run = if value == self.values[1] { self.run + 1 } else { 1 };
        self.longest_run = self.longest_run.max(self.run);
        self.frames = [last, frame];
        self.values = [self.values[1], value];
        found
    }
}

impl RecordInspection {
    /// Reads the frames twice: for ranges and scales, then for what leaves them.
    ///
    /// # Errors
    /// A temporary file that can no longer be read.
    pub fn new(records: &Records) -> Result<Self> {
        let (n_stations, n_variables) = (records.stations().len(), records.variables().len());
        let times = records.times();
        let show = |time: f64| records.clock().show(time);
        let mut reports = vec![Reports::default(); n_stations];
        let mut moves = vec![false; n_stations];
        let mut trails = vec![NO_TRAIL; n_stations * n_variables];
        let mut tallies: Vec<Tally> = (0..n_variables).map(|_| Tally::default()).collect();
        let mut bins = Bins::new(times);
        for (i, &time) in times.iter().enumerate() {
            let frame = records.frame(i)?;
            let n = frame.stations.len();
            bins.add(time, &frame.stations);
            for (j, &station) in frame.stations.iter().enumerate() {
                let station = station as usize;
                reports[station].add(i);
                let dim = records.domain().dim();
                moves[station] |=
                    records.stations()[station].coordinates != frame.coordinates[j * dim..(j + 1) * dim];
                for (v, tally) in tallies.iter_mut().enumerate() {
                    let value = frame.values[v * n + j];
                    tally.add(value, frame.deviations.as_ref().map(|d| d[v * n + j]));
                    if value.is_finite()
                        && let Some([a, b]) = trails[station * n_variables + v].push(i, value)
                    {
                        tally.second.add(a - 2.0 * b + value);
                    }
                }
            }
        }
        let stuck = |station: usize| {
            let runs = &trails[station * n_variables..(station + 1) * n_variables];
            let stuck = runs.iter().zip(records.variables()).filter(|(trail, _)| trail.longest_run >= STUCK);
            stuck.map(|(_, variable)| variable.name.clone()).collect()
        };
        let stations =
            records.stations().iter().zip(&reports).enumerate().map(|(i, (station, found))| StationSummary {
                name: station.name.clone(),
                coordinates: station.coordinates.clone(),
                moves: moves[i],
                n_times: found.count,
                first: found.ends.map_or(String::new(), |(first, _)| show(times[first])),
                last: found.ends.map_or(String::new(), |(_, last)| show(times[last])),
                longest_silence: found.longest_silence,
                stuck: stuck(i),
            });
        let stations = stations.collect();
        let mut variables: Vec<VariableSummary> = records
            .variables()
            .iter()
            .zip(&tallies)
            .map(|(variable, tally)| tally.summary(variable))
            .collect();
        find_spikes(records, &tallies, &mut variables)?;
        Ok(Self {
            path: records.path().into(),
            n_rows: records.n_rows(),
            axes: records.axes().to_vec(),
            domain: records.domain().clone(),
            times: TimeSummary::of(records),
            stations,
            variables,
            coverage: bins.finish(n_stations),
            faults: records.faults().counts().cloned().collect(),
            notes: records.notes().to_vec(),
        })
    }
}

/// Names the values that leave their neighbors in time.
fn find_spikes(records: &Records, tallies: &[Tally], variables: &mut [VariableSummary]) -> Result<()> {
    let scales: Vec<Option<f64>> = tallies.iter().map(|tally| tally.second.deviation()).collect();
    let mut trails = vec![NO_TRAIL; records.stations().len() * variables.len()];
    for (i, &time) in records.times().iter().enumerate() {
        let frame = records.frame(i)?;
        let n = frame.stations.len();
        for (j, &station) in frame.stations.iter().enumerate() {
            for (v, summary) in variables.iter_mut().enumerate() {
                let value = frame.values[v * n + j];
                let trail = &mut trails[station as usize * tallies.len() + v];
                let (true, Some(scale)) = (value.is_finite(), scales[v]) else { continue };
                let Some([before, middle]) = trail.push(i, value) else { continue };
                if !is_spike([before, middle, value], scale) {
                    continue;
                }
                summary.n_suspicious += 1;
                if summary.suspicious.len() < NAMED {
                    let at = if i > 0 { records.times()[i - 1] } else { time };
                    summary.suspicious.push(Suspicious {
                        time: records.clock().show(at),
                        station: records.stations()[station as usize].name.clone(),
                        value: middle,
                        expected: 0.5 * (before + value),
                    });
                }
            }
        }
    }
    Ok(())
}

/// The reports of one station.
#[derive(Clone, Default)]
struct Reports {
    count: usize,
    ends: Option<(usize, usize)>,
    longest_silence: usize,
}

impl Reports {
    fn add(&mut self, frame: usize) {
        self.count += 1;
        self.ends = Some(match self.ends {
            None => (frame, frame),
            Some((first, last)) => {
                self.longest_silence = self.longest_silence.max(frame - last - 1);
                (first, frame)
            }
        });
    }
}

/// Running statistics of one variable.
struct Tally {
    moments: Moments,
    n_missing: u64,
    second: Scale,
    given: Option<(f64, f64)>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { moments: Moments::new(), n_missing: 0, second: Scale::default(), given: None }
    }
}

impl Tally {
    fn add(&mut self, value: f64, noise: Option<f64>) {
        if value.is_nan() {
            self.n_missing += 1;
            return;
        }
        self.moments.add(&[value]);
        if let Some(noise) = noise.filter(|noise| noise.is_finite()) {
            let (least, most) = self.given.unwrap_or((noise, noise));
            self.given = Some((least.min(noise), most.max(noise)));
        }
    }

    fn summary(&self, variable: &Variable) -> VariableSummary {
        let known = |value: f64| (self.moments.count > 0).then_some(value);
        let all = self.moments.count + self.n_missing;
        VariableSummary {
            variable: variable.clone(),
            count: self.moments.count,
            missing: self.n_missing as f64 / all.max(1) as f64,
            min: known(self.moments.min),
            max: known(self.moments.max),
            mean: known(self.moments.mean),
            std: known(self.moments.std()),
            // Var(a − 2b + c) = 6 σ² for independent errors.
            noise: self.second.deviation().map(|deviation| deviation / 6f64.sqrt()),
            given_noise: self.given,
            n_suspicious: 0,
            suspicious: Vec::new(),
        }
    }
}

impl TimeSummary {
    fn of(records: &Records) -> Self {
        let times = records.times();
        let show = |time: &f64| records.clock().show(*time);
        let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let middle = steps.len() / 2;
        let step = (!steps.is_empty()).then(|| *steps.select_nth_unstable_by(middle, f64::total_cmp).1);
        let limit = GAP * step.unwrap_or(f64::INFINITY);
        let mut gaps: Vec<(f64, usize)> = (1..times.len())
            .map(|i| (times[i] - times[i - 1], i))
            .filter(|(length, _)| *length > limit)
            .collect();
        gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
        let n_gaps = gaps.len();
        gaps.truncate(NAMED);
        let gap = |(length, i): (f64, usize)| Gap { from: show(&times[i - 1]), to: show(&times[i]), length };
        Self {
            count: times.len(),
            first: times.first().map(show).unwrap_or_default(),
            last: times.last().map(show).unwrap_or_default(),
            unit: records.time_unit().into(),
            step,
            n_gaps,
            gaps: gaps.into_iter().map(gap).collect(),
        }
    }
}

/// Reports in equal steps of time.
struct Bins {
    first: f64,
    width: f64,
    seen: Vec<Vec<u32>>,
    totals: Vec<(usize, usize)>,
}

impl Bins {
    fn new(times: &[f64]) -> Self {
        let n = BINS.min(times.len()).max(1);
        let (first, last) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
        let width = (last - first) / n as f64;
        Self { first, width, seen: vec![Vec::new(); n], totals: vec![(0, 0); n] }
    }

    fn add(&mut self, time: f64, stations: &[u32]) {
        let bin = if self.width > 0.0 { ((time - self.first) / self.width) as usize } else { 0 };
        let bin = bin.min(self.totals.len() - 1);
        let (times, reports) = &mut self.totals[bin];
        (*times, *reports) = (*times + 1, *reports + stations.len());
        self.seen[bin].extend(stations);
        self.seen[bin].sort_unstable();
        self.seen[bin].dedup();
    }

    fn finish(self, n_stations: usize) -> Vec<Coverage> {
        let bin = |(i, (seen, (times, reports))): (usize, (Vec<u32>, (usize, usize)))| Coverage {
            time: self.first + (i as f64 + 0.5) * self.width,
            stations: seen.len(),
            share: reports as f64 / (times * n_stations).max(1) as f64,
        };
        self.seen.into_iter().zip(self.totals).enumerate().map(bin).collect()
    }
}
