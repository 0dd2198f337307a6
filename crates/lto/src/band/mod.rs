//! How far forecasts are off: the scale of their errors, and quantiles of the errors in units of it, both found on samples
//! that no weight was trained on.
//!
//! The scale σ of channel c at a query point is
//!
//! σ² = S_c² · ((a^γ · T(lead, evenness, spacing, distance, gap) · d)² + (N(lead, number) · ν)²)
//!
//! with the deviation S_c of the training data, the amplitude a of the observed state, how evenly sensors lie, their local spacing,
//! the distance to the nearest and the gaps of the layout as a whole ([`place`]), the deviation d that the decoder gives where
//! the latent state is so ([`local`]; 1 for a model without one), and the noise ν by which neighboring readings disagree beyond what
//! is usual. T does not decrease as sensors get sparser, farther or less even, and noise only adds.
//!
//! A band of level β is û ± q σ, where q is the [conformal quantile](conformal::quantile) of |u − û| / σ among calibration
//! samples in the same bin: at the same lead, from readings that disagree or do not, from as many sensors that lie as
//! [evenly](place::Evenness), at one of them or where they are as dense.

pub mod calibrator;
pub mod conformal;
pub mod correlated;
pub mod local;
pub mod normal;
pub mod place;
pub mod table;

use crate::error::{Error, Result};
use local::LocalScale;
use place::{Evenness, Layout, Places, Reading, lead_feature};
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::Range;
use table::Table;

pub use calibrator::{Calibrator, Judged, Role};

/// Levels at which quantiles are kept; one between them takes the next higher.
pub const LEVELS: [f64; 23] = [
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925,
    0.95, 0.975, 0.99, 0.995,
];

/// The calibration of a model: part of its card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// What it was made from, in words.
    pub data: String,
    /// Samples that gave the scale, and others that gave the quantiles.
    pub samples: [usize; 2],
    /// Calibrated leads in native intervals, increasing; 0 alone for a steady problem.
    pub leads: Vec<f64>,
    /// The bins of each [`Evenness`].
    pub bins: [Bins; Evenness::ALL.len()],
    /// Levels of the quantiles, increasing.
    pub levels: Vec<f64>,
    /// Each target channel.
    pub channels: Vec<ChannelCalibration>,
}

/// Where bins of sensors that are as even end: spacings are log₂, in spacings of the training grid. Points at a sensor have a bin
/// of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bins {
    /// Between ranges of the mean spacing of the sensors, that is, of their number.
    pub numbers: Vec<f64>,
    /// Between ranges of their spacing around a point that has none, for each range of their number.
    pub densities: Vec<Vec<f64>>,
}

impl Bins {
    /// How many bins there are before a range of the number of sensors.
    fn before(&self, range: usize) -> usize {
        self.densities[..range].iter().map(|edges| edges.len() + 2).sum()
    }

    /// The range of a value among edges; whole grids of one size lie exactly on one.
    fn range(edges: &[f64], value: f64) -> usize {
        edges.partition_point(|edge| edge + 1e-9 < value)
    }

    fn bin(&self, mean_spacing: f64, [spacing, distance]: [f64; 2]) -> usize {
        let range = Self::range(&self.numbers, mean_spacing);
        let within = match Places::is_at_sensor(distance) {
            true => 0,
            false => 1 + Self::range(&self.densities[range], spacing),
        };
        self.before(range) + within
    }

    /// Number of bins.
    fn len(&self) -> usize {
        self.before(self.densities.len())
    }

    fn is_sound(&self) -> bool {
        let increase =
            |of: &Vec<f64>| of.windows(2).all(|pair| pair[0] < pair[1]) && of.iter().all(|x| x.is_finite());
        self.densities.len() == self.numbers.len() + 1
            && std::iter::once(&self.numbers).chain(&self.densities).all(increase)
    }
}

/// The calibration of one channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelCalibration {
    /// γ: how the scale follows the amplitude of the observed state, from 0 (not at all) to 1 (in proportion).
    pub amplitude_power: f64,
    /// T by lead, spacing, distance and gap, for each [`Evenness`].
    pub scales: [Table; Evenness::ALL.len()],
    /// What noise does; `None` where readings cannot be compared, or no noise was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseGrowth>,
    /// d by the latent state; `None` for a model without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalScale>,
    /// λ: over which length errors are alike, in the units of the domain.
    pub length: f64,
    /// Quantiles of |u − û| / σ by bin and level; `None` where there were too few samples.
    pub quantiles: Vec<Option<f64>>,
}

/// What noise on the readings adds to the scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseGrowth {
    /// The usual disagreement, by log₂ of the mean spacing of the sensors.
    pub usual: Table,
    /// N: the share of the noise that is left in a forecast, by lead and log₂ of the mean spacing.
    pub share: Table,
}

impl NoiseGrowth {
    /// ν = √(disagreement² − (2 usual)²), in deviations of the training data; 0 if readings disagree no more than twice as much as
    /// usual, since states differ by as much.
    fn noise(usual: &Table, reading: &Reading, mean_spacing: f64) -> f64 {
        let usual = 2.0 * usual.at(&[mean_spacing]);
        reading.disagreement.map_or(0.0, |noise| (noise * noise - usual * usual).max(0.0).sqrt())
    }

    /// N ν.
    fn added(&self, reading: &Reading, lead: f64, mean_spacing: f64) -> f64 {
        self.share.at(&[lead, mean_spacing]) * Self::noise(&self.usual, reading, mean_spacing)
    }
}

/// σ ÷ S of one channel of a forecast, at any place.
pub(crate) struct Scale<'a> {
    table: &'a Table,
    lead: f64,
    /// a^γ.
    amplitude: f64,
    /// N ν.
    noise: f64,
}

impl Scale<'_> {
    /// At a place of a spacing, a distance and a gap, where the decoder gives the deviation d.
    pub fn at(&self, [spacing, distance, gap]: [f64; 3], d: f64) -> f64 {
        (self.amplitude * self.table.at(&[self.lead, spacing, distance, gap]) * d).hypot(self.noise)
    }
}

impl ChannelCalibration {
    /// The scale of errors at a [lead](lead_feature), given a layout and what was read there.
    pub(crate) fn scale(&self, reading: Option<&Reading>, lead: f64, layout: Layout) -> Scale<'_> {
        let noise = reading.zip(self.noise.as_ref());
        Scale {
            table: &self.scales[layout.evenness as usize],
            lead,
            amplitude: reading.map_or(1.0, |of| of.amplitude.powf(self.amplitude_power)),
            noise: noise.map_or(0.0, |(of, noise)| noise.added(of, lead, layout.mean_spacing)),
        }
    }
}

impl Calibration {
    /// Refuses a calibration that cannot be looked up: files may be damaged.
    ///
    /// # Errors
    /// Sizes that do not fit each other.
    pub fn validate(&self, n_channels: usize) -> Result<()> {
        let increase =
            |of: &[f64]| of.windows(2).all(|pair| pair[0] < pair[1]) && of.iter().all(|x| x.is_finite());
        let known = self.bins.iter().all(Bins::is_sound);
        let size = if known { self.n_bins() * self.levels.len() } else { 0 };
        let sound = self.channels.len() == n_channels
            && size > 0
            && [&self.leads, &self.levels].into_iter().all(|of| increase(of))
            && self.channels.iter().all(|channel| {
                let positive = |q: &Option<f64>| q.is_none_or(|q| q >= 0.0 && q.is_finite());
                channel.quantiles.len() == size
                    && channel.quantiles.iter().all(positive)
                    && channel.length > 0.0
                    && channel.length.is_finite()
                    && (0.0..=1.0).contains(&channel.amplitude_power)
            });
        if !sound {
            let value = format!("{} channels, {} leads", self.channels.len(), self.leads.len());
            let requirement = format!("does not fit a model of {n_channels} channels; calibrate it again");
            return Err(Error::Config { key: "calibration".into(), value, requirement });
        }
        for channel in &self.channels {
            channel.scales.iter().try_for_each(|scale| scale.validate(4))?;
            if let Some(noise) = &channel.noise {
                noise.usual.validate(1)?;
                noise.share.validate(2)?;
            }
        }
        Ok(())
    }

    /// Whether the scale depends on the latent state.
    pub fn is_local(&self) -> bool {
        self.channels.iter().any(|channel| channel.local.is_some())
    }

    /// Whether readings disagree by more than states do, in any channel.
    pub fn is_noisy(&self, readings: Option<&[Reading]>, layout: Layout) -> bool {
        let channels = self.channels.iter().zip(readings.into_iter().flatten());
        channels
            .filter_map(|(channel, reading)| Some((channel.noise.as_ref()?, reading)))
            .any(|(noise, reading)| NoiseGrowth::noise(&noise.usual, reading, layout.mean_spacing) > 0.0)
    }

    /// The bin of a point of a spacing and a distance: the calibrated lead nearest to a [lead](lead_feature), whether readings
    /// are noisy, how evenly sensors lie, how many they are, and whether one is there or how dense they are.
    pub fn bin(&self, lead: f64, noisy: bool, layout: Layout, place: [f64; 2]) -> usize {
        let off = |i: &usize| (lead_feature(self.leads[*i], Some(1.0)) - lead).abs();
        let lead = (0..self.leads.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        let before: usize = self.bins[..layout.evenness as usize].iter().map(Bins::len).sum();
        let within = self.bins[layout.evenness as usize].bin(layout.mean_spacing, place);
        lead * self.bins_of_lead() + usize::from(noisy) * self.bins_as_noisy() + before + within
    }

    /// For each bin of one lead: itself; of readings as noisy, all bins of as many sensors, all of sensors as even, all;
    /// and all of the lead.
    fn wider_bins(&self) -> Vec<[Range<usize>; 5]> {
        let (mut wider, mut first, each) = (Vec::new(), 0, self.bins_as_noisy());
        for (noisy, bins) in
            [0, 1].into_iter().flat_map(|noisy| self.bins.iter().map(move |bins| (noisy, bins)))
        {
            let (even, alike) = (first..first + bins.len(), noisy * each..(noisy + 1) * each);
            for range in 0..bins.densities.len() {
                let number = first + bins.before(range)..first + bins.before(range + 1);
                wider.extend(number.clone().map(|bin| {
                    [bin..bin + 1, number.clone(), even.clone(), alike.clone(), 0..self.bins_of_lead()]
                }));
            }
            first += bins.len();
        }
        wider
    }

    /// Number of bins of one lead and of readings that are as noisy.
    fn bins_as_noisy(&self) -> usize {
        self.bins.iter().map(Bins::len).sum()
    }

    /// Number of bins of one lead.
    pub fn bins_of_lead(&self) -> usize {
        2 * self.bins_as_noisy()
    }

    /// Number of bins.
    pub fn n_bins(&self) -> usize {
        self.leads.len() * self.bins_of_lead()
    }

    /// The number of the least level that is at least `level`.
    ///
    /// # Errors
    /// A level that is not between 0 and the largest.
    pub fn level(&self, level: f64) -> Result<usize> {
        let number = self.levels.partition_point(|known| *known < level - 1e-9);
        if level > 0.0 && number < self.levels.len() {
            return Ok(number);
        }
        let most = self.levels.last().copied().unwrap_or(0.0);
        let requirement = format!("the level of a band is a share above 0, at most {most}: 0.9 covers 90 %");
        Err(Error::Config { key: "band".into(), value: level.to_string(), requirement })
    }

    /// The quantile of a bin of a channel at a level.
    ///
    /// # Errors
    /// Too few samples for the level.
    pub fn quantile(&self, channel: usize, bin: usize, level: usize) -> Result<f64> {
        self.quantiles(channel, bin)[level].ok_or_else(|| {
            let (value, n) = (self.levels[level].to_string(), self.samples[1]);
            let requirement = format!(
                "{n} samples gave the quantiles, too few for this level; take a lower one, or calibrate on more samples"
            );
            Error::Config { key: "band".into(), value, requirement }
        })
    }

    /// The quantiles of a bin of a channel at all levels.
    pub fn quantiles(&self, channel: usize, bin: usize) -> &[Option<f64>] {
        let n = self.levels.len();
        &self.channels[channel].quantiles[bin * n..(bin + 1) * n]
    }
}

/// The calibration in a file, unless it is of another form.
pub(crate) fn if_current<'de, D: Deserializer<'de>>(file: D) -> Result<Option<Calibration>, D::Error> {
    Ok(serde_json::from_value(serde_json::Value::deserialize(file)?).ok())
}

/// A band around a prediction that a value lies in with a probability; see `docs/uncertainty.md` for what that means.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// The nominal probability.
    pub level: f64,
    /// Lower ends, in the order of the prediction's values.
    pub lower: Vec<f64>,
    /// Upper ends.
    pub upper: Vec<f64>,
}
