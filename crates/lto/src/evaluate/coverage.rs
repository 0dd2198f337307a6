//! Whether bands cover what they say, how wide they are, and how good the distributions are.

use super::EvaluationConfig;
use super::protocol::{Progress, add_noise};
use super::statistics::bootstrap;
use crate::band::place::Places;
use crate::calibrate::Outlook;
use crate::data::Data;
use crate::data::context::{ContextChoice, DesignKind};
use crate::error::{Error, Result};
use crate::model::{Forecast, Model, Spread};
use lto_numerics::dataset::Mask;
use lto_numerics::pde::sample_rng;
use lto_numerics::ranks::{Ranks, dealt};
use lto_numerics::{Field, Points};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nominal levels of the reliability curve.
pub const LEVELS: [f64; 7] = [0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 0.95];

/// The level whose width is reported, among [`LEVELS`].
pub const SHOWN: usize = 5;

/// Upper ends of bins of the distance to the nearest sensor and of the local spacing of the sensors, in spacings of the
/// training grid.
const BINS: [f64; 6] = [0.0, 1.0, 2.0, 4.0, 8.0, f64::INFINITY];

/// What the bands of a calibrated model do on samples of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Nominal levels.
    pub levels: Vec<f64>,
    /// What the model was calibrated on, in words.
    pub calibrated_on: String,
    /// All cases without noise together.
    pub all: Option<CoverageRow>,
    /// Each number and placement of observations, and each level of noise on the whole grid, over each lead.
    pub cases: Vec<CoverageRow>,
    /// All cases without noise, by the distance to the nearest sensor.
    pub distances: Vec<CoverageRow>,
    /// The same by the local spacing of the sensors.
    pub spacings: Vec<CoverageRow>,
}

/// Bands in one case. Shares are those of each sample, then their mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageRow {
    /// The case in words.
    pub label: String,
    /// Native steps ahead; `None` where leads are taken together, or the problem is steady.
    pub lead: Option<f64>,
    /// Share of the values inside the band, by level.
    pub covered: Vec<f64>,
    /// 2.5 % and 97.5 % bootstrap quantiles over the samples of the share inside the band of level 0.9.
    pub interval: Option<[f64; 2]>,
    /// What one sample in ten has inside that band at most: the share of a random point does not say it of each sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenth: Option<f64>,
    /// Mean width of that band, in deviations of the training data.
    #[serde(with = "super::number")]
    pub width: f64,
    /// Mean continuous ranked probability score, in the same units.
    #[serde(with = "super::number")]
    pub crps: f64,
    /// Mean absolute error, in the same units: the score of a forecast that says it is certain.
    #[serde(with = "super::number")]
    pub mean_error: f64,
    /// Number of samples.
    pub samples: usize,
}

/// Sums over the values of one sample: those inside the band of each level, the width, the score, the error, and their number.
type Sums = [f64; LEVELS.len() + 4];

/// A case, or a part of all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Key {
    All,
    /// Number of the case, lead in frames.
    Case(usize, usize),
    Distance(usize),
    Spacing(usize),
}

/// How the state is observed.
struct Case {
    label: String,
    choice: ContextChoice,
    noise: f64,
}

impl Case {
    fn all(config: &EvaluationConfig) -> Vec<Self> {
        let percent = |fraction: f64| (1e4 * fraction).round() / 100.0;
        let full = |label: String, noise: f64| Self { label, choice: ContextChoice::FULL, noise };
        let contexts = config.designs.iter().flat_map(|&design| {
            config.fractions.iter().map(move |&fraction| Self {
                label: format!("{} {} %", design.name(), percent(fraction)),
                choice: ContextChoice { design, fraction },
                noise: 0.0,
            })
        });
        let whole = std::iter::once(full(DesignKind::Full.name().into(), 0.0));
        let noise = config.noise.iter().filter(|level| **level > 0.0);
        let noise = noise.map(|level| full(format!("{}, noise {level}", DesignKind::Full.name()), *level));
        whole.chain(contexts).chain(noise).collect()
    }
}

/// Measures the bands of a model on samples: from every layout and noise of the protocol, over the calibrated leads, from one
/// start of each sample, drawn as in a calibration; at the points inside the mask, if there is one. Several processes share the
/// samples, and have the same result. `None` if the model has no calibration.
///
/// # Errors
/// Data or a mask that cannot be read, a mask that hides every point, or [`Error::Interrupted`].
pub fn coverage(
    model: &Model,
    data: &Data,
    samples: &[usize],
    config: &EvaluationConfig,
    ranks: &dyn Ranks,
    progress: &mut Progress,
) -> Result<Option<Coverage>> {
    let card = model.card();
    let Some(calibration) = &card.calibration else { return Ok(None) };
    let query = Arc::new(Points::grid(data.layout().grid.as_ref().clone()));
    let leads = leads(model, data, &calibration.leads);
    if leads.is_empty() {
        return Ok(None);
    }
    let mut inside = vec![0.0; query.len()];
    if let Some(written) = &config.mask {
        Mask::over(written, &card.problem.domain)?.restrict(&query, &mut inside)?;
    }
    let trial = Trial { model, data, config, cases: Case::all(config), leads, query, inside };
    let (mut done, total) = (0, trial.cases.len() * samples.len());
    let mut advance = || {
        done = (done + ranks.size()).min(total);
        if progress(done, total) { Ok(()) } else { Err(Error::Interrupted) }
    };
    let each = dealt(ranks, samples.len(), |i| trial.of(samples[i], &mut advance))?;
    if !progress(total, total) {
        return Err(Error::Interrupted);
    }
    let mut sums: BTreeMap<Key, BTreeMap<usize, Sums>> = BTreeMap::new();
    for (&sample, found) in samples.iter().zip(each) {
        for (key, of) in found {
            sums.entry(key).or_default().insert(sample, of);
        }
    }
    let mut coverage =
        Coverage { levels: LEVELS.to_vec(), calibrated_on: calibration.data.clone(), ..Coverage::default() };
    let timed = card.problem.times.is_some();
    for (key, samples) in &sums {
        let range = |bin: usize| match bin {
            0 => "0".to_string(),
            last if last + 1 == BINS.len() => format!("above {}", BINS[last - 1]),
            bin => format!("{} to {}", BINS[bin - 1], BINS[bin]),
        };
        match *key {
            Key::All => coverage.all = Some(row("all".into(), None, samples)),
            Key::Case(number, frame) => {
                let lead = timed.then_some(frame as f64);
                coverage.cases.push(row(trial.cases[number].label.clone(), lead, samples));
            }
            Key::Distance(bin) => coverage.distances.push(row(range(bin), None, samples)),
            Key::Spacing(bin) => coverage.spacings.push(row(range(bin), None, samples)),
        }
    }
    Ok(coverage.all.is_some().then_some(coverage))
}

/// What all samples share.
struct Trial<'a> {
    model: &'a Model,
    data: &'a Data,
    config: &'a EvaluationConfig,
    cases: Vec<Case>,
    /// In frames.
    leads: Vec<usize>,
    query: Arc<Points>,
    /// NaN at points that do not count, else 0.
    inside: Vec<f64>,
}

impl Trial<'_> {
    /// Sums over the values of one sample, in all cases that the model takes; `advance` hears of every case.
    fn of(&self, sample: usize, mut advance: impl FnMut() -> Result<()>) -> Result<BTreeMap<Key, Sums>> {
        let mut rng = sample_rng(self.config.seed, sample as u64);
        let Outlook { source, s, ahead } =
            Outlook::draw(self.data, self.model, sample, &self.leads, &mut rng)?;
        let times: Vec<f64> = ahead.iter().map(|(t, _)| *t).collect();
        let mut sums: BTreeMap<Key, Sums> = BTreeMap::new();
        for (number, case) in self.cases.iter().enumerate() {
            let mut rng = rng.clone();
            let mut context = case.choice.observe(&source, None, &mut rng)?;
            add_noise(&mut context, &source, case.noise, &mut rng);
            let forecast = Forecast { context: &context, s, times: &times };
            let (prediction, spread) = match self.model.predict_spread(&forecast, None, &self.query) {
                Ok(found) => found,
                Err(Error::Unsupported { .. }) => {
                    advance()?;
                    continue;
                }
                Err(other) => return Err(other),
            };
            let places = Places::new(&self.model.card().problem, &context.points, &self.query)?;
            let tallies = Tally::of(&spread, &prediction.values, &ahead, &self.inside, &places, self.model)?;
            for (lead, tally) in self.leads.iter().zip(&tallies) {
                let mut add = |key: Key, more: &Sums| {
                    if more[LEVELS.len() + 3] > 0.0 {
                        add(sums.entry(key).or_default(), more);
                    }
                };
                add(Key::Case(number, *lead), &tally.all);
                if case.noise == 0.0 {
                    add(Key::All, &tally.all);
                    tally.distances.iter().enumerate().for_each(|(bin, of)| add(Key::Distance(bin), of));
                    tally.spacings.iter().enumerate().for_each(|(bin, of)| add(Key::Spacing(bin), of));
                }
            }
            advance()?;
        }
        Ok(sums)
    }
}

/// Sums over the values of one prediction at one time.
#[derive(Default)]
struct Tally {
    all: Sums,
    distances: [Sums; BINS.len()],
    spacings: [Sums; BINS.len()],
}

impl Tally {
    /// One for each time; `inside` is NaN at points that do not count, else 0.
    fn of(
        spread: &Spread,
        values: &[f64],
        ahead: &[(f64, Field)],
        inside: &[f64],
        places: &Places,
        model: &Model,
    ) -> Result<Vec<Self>> {
        let truth = ahead.iter().flat_map(|(_, field)| field.values()).zip(inside.iter().cycle());
        let truth: Vec<f64> = truth.map(|(truth, inside)| truth + inside).collect();
        // A level too high for the number of calibration samples has a band without ends, as its quantile is infinite.
        let band = |(i, level): (usize, &f64)| match spread.band(*level) {
            Err(_) if i > SHOWN => Ok(None),
            band => band.map(Some),
        };
        let bands = LEVELS.iter().enumerate().map(band).collect::<Result<Vec<_>>>()?;
        let width =
            |i: usize| bands[SHOWN].as_ref().map_or(f64::INFINITY, |band| band.upper[i] - band.lower[i]);
        let crps = spread.crps(&truth)?;
        let (units, n) = (model.card().target_normalizer.scale(), places.spacing.len());
        let bin = |x: f64| BINS.iter().position(|end| x <= end + 1e-6).unwrap_or(0);
        let bins: Vec<[usize; 2]> =
            (0..n).map(|point| [bin(places.distance(point)), bin(places.spacing(point))]).collect();
        let mut tallies: Vec<Self> = ahead.iter().map(|_| Self::default()).collect();
        for (i, &truth) in truth.iter().enumerate().filter(|(_, truth)| !truth.is_nan()) {
            let (tally, unit) = (&mut tallies[i / (n * units.len())], units[i / n % units.len()]);
            let mut one = Sums::default();
            for (inside, band) in one.iter_mut().zip(&bands) {
                let within =
                    band.as_ref().is_none_or(|band| (band.lower[i]..=band.upper[i]).contains(&truth));
                *inside = f64::from(u8::from(within));
            }
            one[LEVELS.len()] = width(i) / unit;
            one[LEVELS.len() + 1] = crps[i] / unit;
            one[LEVELS.len() + 2] = (values[i] - truth).abs() / unit;
            one[LEVELS.len() + 3] = 1.0;
            let [distance, spacing] = bins[i % n];
            for of in [&mut tally.all, &mut tally.distances[distance], &mut tally.spacings[spacing]] {
                add(of, &one);
            }
        }
        Ok(tallies)
    }
}

fn add(sums: &mut Sums, more: &Sums) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// How many cases are measured.
pub(super) fn n_cases(config: &EvaluationConfig) -> usize {
    Case::all(config).len()
}

/// The calibrated leads in frames of the data.
fn leads(model: &Model, data: &Data, calibrated: &[f64]) -> Vec<usize> {
    let (card, times) = (model.card(), &data.layout().times);
    let frames =
        card.native_interval.zip(data.layout().native_interval()).map_or(1.0, |(native, own)| native / own);
    let most = times.len().saturating_sub(data.history().max(card.problem.history()));
    let mut leads: Vec<usize> = calibrated.iter().map(|lead| (lead * frames).round() as usize).collect();
    leads.dedup();
    leads.retain(|&lead| lead <= most);
    leads
}

/// Shares and means of each sample, then their means.
fn row(label: String, lead: Option<f64>, samples: &BTreeMap<usize, Sums>) -> CoverageRow {
    let n = samples.len();
    let of = |i: usize| samples.values().map(|sums| sums[i] / sums[LEVELS.len() + 3]).collect::<Vec<f64>>();
    let mean = |i: usize| of(i).iter().sum::<f64>() / n as f64;
    let shown = of(SHOWN);
    let mut sorted = shown.clone();
    sorted.sort_by(f64::total_cmp);
    CoverageRow {
        label,
        lead,
        covered: (0..LEVELS.len()).map(mean).collect(),
        interval: (n > 1)
            .then(|| bootstrap(n, |drawn| drawn.iter().map(|&i| shown[i]).sum::<f64>() / n as f64)),
        tenth: (n >= 10).then(|| sorted[n / 10]),
        width: mean(LEVELS.len()),
        crps: mean(LEVELS.len() + 1),
        mean_error: mean(LEVELS.len() + 2),
        samples: n,
    }
}
