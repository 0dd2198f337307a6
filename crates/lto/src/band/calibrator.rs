//! From errors on samples to a calibration.

use super::correlated::LengthFit;
use super::local::LocalFit;
use super::place::{Evenness, Layout, Places, Reading, lead_feature, readings};
use super::table::{Table, TableFit};
use super::{Bins, Calibration, ChannelCalibration, LEVELS, NoiseGrowth, Scale, conformal};
use crate::error::{Error, Result};
use crate::problem::Problem;
use lto_numerics::Points;
use lto_numerics::dataset::{Context, Normalizer};
use rand::{Rng, RngExt};

/// One sample in so many gives the scale, the others give the quantiles.
const SCALE_EVERY: usize = 3;
/// Fewest samples: ten for the quantiles, which reach a level of 0.9.
const FEWEST: usize = 15;
/// The most points of a prediction that are looked at, drawn at random: samples differ by more than points do.
const POINTS: usize = 128;
/// The most points whose pairs tell the length scale.
const PAIRED: usize = 64;
/// The most bins for each evenness: of the number of sensors, and of their density around a point; of equal shares.
const BINS: [usize; 2] = [8, 3];
/// A bin with fewer samples is taken together with others: of K samples, a band covers up to 2/(K + 1) too much.
const FEWEST_IN_BIN: usize = 50;
/// Draws over one lead that a range of the number of sensors takes, so that its bins by density have enough samples, too.
const DRAWS_IN_RANGE: usize = 2 * FEWEST_IN_BIN;
/// Steps between the nodes of the scale: of log₂ spacing, of log₂(1 + distance), of log₂ gap.
const STEPS: [f64; 3] = [0.5, 0.5, 0.5];
/// Weight below which a node of the scale counts as empty, in points; of the usual disagreement, in layouts.
const LEAST: [f64; 2] = [100.0, 4.0];
/// The least error that counts, in deviations of the training data: estimates may be exact at a sensor.
const LEAST_ERROR: f64 = 1e-4;
/// The least share of noise that is kept in a forecast.
const LEAST_SHARE: f64 = 1e-3;

/// What a sample is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its errors give the scale; noise on its observations tells how the scale grows.
    Scale,
    /// Its errors give the quantiles.
    Quantiles,
}

/// A prediction and its truth.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The number of the sample in the list of samples: all of one sample count together.
    pub sample: usize,
    /// Whether noise was added to the observations that is not part of what is calibrated for.
    pub noisy: bool,
    /// The observations.
    pub context: &'a Context,
    /// t − s.
    pub lead: f64,
    /// The points of the prediction.
    pub query: &'a Points,
    /// Predicted values `[channel, point]`.
    pub values: &'a [f64],
    /// What the decoder sees there, `[k, point]`; empty for a model without a latent state.
    pub features: &'a [f32],
    /// What is true there; values that are not known are NaN.
    pub truth: &'a [f64],
}

/// Collects errors of predictions and makes a [`Calibration`] of them.
pub struct Calibrator<'a> {
    problem: &'a Problem,
    scale: &'a [f64],
    interval: Option<f64>,
    groups: Vec<Group>,
    lengths: Vec<LengthFit>,
    samples: usize,
}

/// Points of one prediction.
struct Group {
    sample: usize,
    noisy: bool,
    lead: f64,
    readings: Option<Vec<Reading>>,
    layout: Layout,
    /// (spacing, distance, gap) of each point.
    places: Vec<[f64; 3]>,
    /// |error| in deviations of the training data, `[channel][point]`; NaN where the truth is not known.
    errors: Vec<Vec<f64>>,
    /// What the decoder sees, `[k, point]`.
    features: Vec<f32>,
}

impl Group {
    fn role(&self) -> Role {
        Calibrator::role(self.sample)
    }

    /// The scale of the errors of a channel.
    fn scale<'a>(&self, c: usize, channel: &'a ChannelCalibration) -> Scale<'a> {
        let reading = self.readings.as_ref().map(|readings| &readings[c]);
        channel.scale(reading, lead_feature(self.lead, Some(1.0)), self.layout)
    }

    /// d of each point.
    fn locals(&self, channel: &ChannelCalibration) -> Vec<f64> {
        match &channel.local {
            Some(local) => local.at(&self.features, self.places.len()),
            None => vec![1.0; self.places.len()],
        }
    }
}

impl<'a> Calibrator<'a> {
    /// A calibrator of a model for a problem, with the normalization of its targets and its native interval.
    pub fn new(problem: &'a Problem, target: &'a Normalizer, interval: Option<f64>) -> Self {
        let lengths = vec![LengthFit::default(); problem.target_channels];
        Self { problem, scale: target.scale(), interval, groups: Vec::new(), lengths, samples: 0 }
    }

    /// What the samples are for, by their number in the list.
    pub fn role(sample: usize) -> Role {
        if sample.is_multiple_of(SCALE_EVERY) { Role::Scale } else { Role::Quantiles }
    }

    /// Adds a prediction; random points of a large one.
    ///
    /// # Errors
    /// Points in another domain than the model's.
    pub fn add(&mut self, judged: &Judged, rng: &mut impl Rng) -> Result<()> {
        let (n, dim) = (judged.query.len(), judged.query.dim());
        let mut chosen: Vec<usize> = (0..n).collect();
        for i in 0..POINTS.min(n) {
            chosen.swap(i, rng.random_range(i..n));
        }
        chosen.truncate(POINTS);
        let mut flat = vec![0.0; chosen.len() * dim];
        for (point, &i) in flat.chunks_exact_mut(dim).zip(&chosen) {
            judged.query.write_point(i, point);
        }
        let points = Points::scattered(judged.query.domain().clone(), flat.clone())?;
        let places = Places::new(self.problem, &judged.context.points, &points)?;
        let relative = |c: usize, i: usize| {
            let (at, scale) = (c * n + i, self.scale[c]);
            match judged.truth[at] {
                truth if truth.is_nan() => f64::NAN,
                truth if judged.values[at].is_finite() => (judged.values[at] - truth) / scale,
                _ => f64::INFINITY,
            }
        };
        let signed: Vec<Vec<f64>> = (0..self.problem.target_channels)
            .map(|c| chosen.iter().map(|&i| relative(c, i)).collect())
            .collect();
        if Self::role(judged.sample) == Role::Scale {
            for (fit, errors) in self.lengths.iter_mut().zip(&signed) {
                let few = flat.chunks_exact(dim).zip(errors).take(PAIRED).enumerate();
                for (i, (x, a)) in few {
                    for (y, b) in flat.chunks_exact(dim).zip(errors).take(i) {
                        fit.add(self.problem.domain.distance(x, y), *a, *b);
                    }
                }
            }
        }
        self.samples = self.samples.max(judged.sample + 1);
        self.groups.push(Group {
            sample: judged.sample,
            noisy: judged.noisy,
            lead: judged.lead,
            readings: readings(self.problem, self.scale, judged.context)?,
            layout: places.layout,
            places: places.spacing.iter().zip(&places.distance).map(|(s, d)| [*s, *d, places.gap]).collect(),
            errors: signed.into_iter().map(|e| e.into_iter().map(f64::abs).collect()).collect(),
            features: judged.features.chunks_exact(n).flat_map(|f| chosen.iter().map(|&i| f[i])).collect(),
        });
        Ok(())
    }

    /// The calibration; `data` says in words what it was made from.
    ///
    /// # Errors
    /// Fewer than 15 samples, or only infinite errors.
    pub fn finish(mut self, data: String) -> Result<Calibration> {
        let refuse = |value: String, requirement: String| {
            Err(Error::Config { key: "samples".into(), value, requirement })
        };
        if self.samples < FEWEST {
            return refuse(self.samples.to_string(), format!("a calibration needs at least {FEWEST}"));
        }
        let mut leads: Vec<f64> = Vec::new();
        for group in &mut self.groups {
            let lead = group.lead / self.interval.unwrap_or(f64::INFINITY);
            // Times of files are rounded.
            let known = leads.iter().find(|known| (**known - lead).abs() <= 1e-3 * lead.abs());
            group.lead = known.copied().unwrap_or(lead);
            leads.extend(known.is_none().then_some(lead));
        }
        leads.sort_by(f64::total_cmp);
        let mut calibration = Calibration {
            data,
            samples: [Role::Scale, Role::Quantiles]
                .map(|role| (0..self.samples).filter(|&sample| Self::role(sample) == role).count()),
            bins: Evenness::ALL.map(|evenness| self.bins(evenness, leads.len())),
            leads,
            levels: LEVELS.to_vec(),
            channels: Vec::new(),
        };
        let features: Vec<f64> =
            calibration.leads.iter().map(|lead| lead_feature(*lead, Some(1.0))).collect();
        for channel in 0..self.problem.target_channels {
            match self.channel(channel, &features) {
                Some(done) => calibration.channels.push(done),
                None => {
                    let requirement = format!(
                        "channel {channel} has no finite error that tells the scale; train the model"
                    );
                    return refuse(format!("{:?}", calibration.samples), requirement);
                }
            }
        }
        for channel in 0..self.problem.target_channels {
            calibration.channels[channel].quantiles = self.quantiles(channel, &calibration);
        }
        calibration.validate(self.problem.target_channels)?;
        Ok(calibration)
    }

    /// Predictions from observations as they are calibrated for, of samples with a role.
    fn of(&self, role: Role) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.role() == role && !group.noisy)
    }

    /// The bins of sensors that are as even, by the predictions that give the scale: as many as the others have draws for.
    fn bins(&self, evenness: Evenness, n_leads: usize) -> Bins {
        let even = || self.of(Role::Scale).filter(|group| group.layout.evenness == evenness);
        let draws = (SCALE_EVERY - 1) * even().count() / n_leads;
        let ranges = (draws / DRAWS_IN_RANGE).clamp(1, BINS[0]);
        let numbers = edges(even().map(|group| group.layout.mean_spacing).collect(), ranges);
        let density = |range: usize| {
            let within = even().filter(|group| Bins::range(&numbers, group.layout.mean_spacing) == range);
            let between =
                within.flat_map(|group| &group.places).filter(|place| !Places::is_at_sensor(place[1]));
            edges(between.map(|place| place[0]).collect(), BINS[1])
        };
        Bins { densities: (0..=numbers.len()).map(density).collect(), numbers }
    }

    /// Nodes that cover a feature of the points that give the scale.
    fn nodes(&self, feature: usize) -> Vec<f64> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for place in self.of(Role::Scale).flat_map(|group| &group.places) {
            (low, high) = (low.min(place[feature]), high.max(place[feature]));
        }
        let step = STEPS[feature];
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        (first..=last.max(first)).map(|i| i as f64 * step).collect()
    }

    /// The scale of the errors of a channel; no quantiles yet.
    fn channel(&self, c: usize, leads: &[f64]) -> Option<ChannelCalibration> {
        let amplitude_power = self.amplitude_power(c);
        let mut channel = ChannelCalibration {
            amplitude_power,
            scales: self.tables(c, leads, amplitude_power)?,
            noise: None,
            local: None,
            length: self.lengths[c].length()?,
            quantiles: Vec::new(),
        };
        let mut fit = LocalFit::default();
        for group in self.of(Role::Scale).filter(|group| !group.features.is_empty()) {
            let (n, scale) = (group.places.len(), group.scale(c, &channel));
            let few = group.places.iter().zip(&group.errors[c]).enumerate().take(PAIRED);
            for (i, (place, error)) in few {
                fit.add(group.features.chunks_exact(n).map(|f| f[i]), error / scale.at(*place, 1.0));
            }
        }
        channel.local = fit.finish();
        channel.noise = self.noise(c, leads, &channel);
        Some(channel)
    }

    /// T for each evenness; where none was tried, of all. What is less even is not smaller at the same place.
    fn tables(&self, c: usize, leads: &[f64], amplitude_power: f64) -> Option<[Table; Evenness::ALL.len()]> {
        let fitted = |wanted: &dyn Fn(Evenness) -> bool| {
            let mut fit = TableFit::new(vec![leads.to_vec(), self.nodes(0), self.nodes(1), self.nodes(2)]);
            for group in self.of(Role::Scale).filter(|group| wanted(group.layout.evenness)) {
                let reading = group.readings.as_ref().map(|readings| readings[c]);
                let amplitude = reading.map_or(1.0, |reading| reading.amplitude.powf(amplitude_power));
                let known = group.places.iter().zip(&group.errors[c]).filter(|(_, error)| error.is_finite());
                for ([spacing, distance, gap], error) in known {
                    let features = [lead_feature(group.lead, Some(1.0)), *spacing, *distance, *gap];
                    fit.add(&features, error.max(LEAST_ERROR) / amplitude);
                }
            }
            fit.finish(&[false, true, true, true], LEAST[0])
        };
        let all = fitted(&|_| true)?;
        let mut tables =
            Evenness::ALL.map(|evenness| fitted(&|of| of == evenness).unwrap_or_else(|| all.clone()));
        for less_even in 1..tables.len() {
            tables[less_even] = tables[less_even].clone().at_least(&tables[less_even - 1]);
        }
        Some(tables)
    }

    /// The quantiles of a channel, bin by bin. Observations with noise that is not calibrated for count where it is noticed.
    fn quantiles(&self, c: usize, calibration: &Calibration) -> Vec<Option<f64>> {
        let channel = &calibration.channels[c];
        // By bin and sample.
        let mut binned: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); self.samples]; calibration.n_bins()];
        for group in self.groups.iter().filter(|group| group.role() == Role::Quantiles) {
            let noisy = calibration.is_noisy(group.readings.as_deref(), group.layout);
            if group.noisy && !noisy {
                continue;
            }
            let (scale, locals) = (group.scale(c, channel), group.locals(channel));
            let each = group.places.iter().zip(&group.errors[c]).zip(locals);
            for ((place, error), local) in each.filter(|((_, error), _)| !error.is_nan()) {
                let lead = lead_feature(group.lead, Some(1.0));
                let bin = calibration.bin(lead, noisy, group.layout, [place[0], place[1]]);
                binned[bin][group.sample].push(error / scale.at(*place, local));
            }
        }
        let mut quantiles = Vec::with_capacity(calibration.n_bins() * calibration.levels.len());
        for lead in binned.chunks(calibration.bins_of_lead()) {
            for wider in calibration.wider_bins() {
                let together = |bins: std::ops::Range<usize>| -> Vec<Vec<f64>> {
                    let of = |sample: usize| lead[bins.clone()].iter().flat_map(move |bin| &bin[sample]);
                    (0..self.samples).map(|sample| of(sample).copied().collect()).collect()
                };
                let mut last = Vec::new();
                for bins in wider {
                    last = together(bins);
                    if last.iter().filter(|sample| !sample.is_empty()).count() >= FEWEST_IN_BIN {
                        break;
                    }
                }
                let groups: Vec<&[f64]> = last.iter().map(Vec::as_slice).collect();
                quantiles.extend(conformal::quantiles(&groups, &calibration.levels));
            }
        }
        quantiles
    }

    /// γ by least squares: the slope of log mean error against log amplitude among predictions over the same lead from
    /// about as many sensors, between 0 and 1.
    fn amplitude_power(&self, c: usize) -> f64 {
        let mut alike: std::collections::BTreeMap<(u64, i64), Vec<[f64; 2]>> = Default::default();
        for group in self.of(Role::Scale) {
            let Some(readings) = &group.readings else { continue };
            let known = || group.errors[c].iter().filter(|error| error.is_finite());
            let mean = known().sum::<f64>() / known().count().max(1) as f64;
            if mean > 0.0 {
                let key = (group.lead.to_bits(), group.layout.mean_spacing.round() as i64);
                alike.entry(key).or_default().push([readings[c].amplitude.ln(), mean.ln()]);
            }
        }
        let (mut both, mut square) = (0.0, 0.0);
        for pairs in alike.values() {
            let mean = |i: usize| pairs.iter().map(|pair| pair[i]).sum::<f64>() / pairs.len() as f64;
            let [x, y] = [mean(0), mean(1)];
            both += pairs.iter().map(|pair| (pair[0] - x) * (pair[1] - y)).sum::<f64>();
            square += pairs.iter().map(|pair| (pair[0] - x).powi(2)).sum::<f64>();
        }
        if square > 1e-6 { (both / square).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// What noise adds to the errors of a channel whose scale without noise is known; `None` if none was tried or readings cannot
    /// be compared. The share N over a lead, from about as many sensors, is that of least squares:
    /// (mean error)² − (mean scale)² = (N ν)².
    fn noise(&self, c: usize, leads: &[f64], clean: &ChannelCalibration) -> Option<NoiseGrowth> {
        let scale = || self.groups.iter().filter(|group| group.role() == Role::Scale);
        let reading = |group: &Group| group.readings.as_ref().map(|readings| readings[c]);
        if !scale().any(|group| group.noisy) {
            return None;
        }
        let (low, high) = scale().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), group| {
            (low.min(group.layout.mean_spacing), high.max(group.layout.mean_spacing))
        });
        let nodes = (low.floor() as i64..=high.ceil() as i64).map(|i| i as f64).collect();
        let mut usual = TableFit::new(vec![nodes]);
        for group in scale().filter(|group| !group.noisy) {
            if let Some(noise) = reading(group).and_then(|reading| reading.disagreement) {
                usual.add(&[group.layout.mean_spacing], noise);
            }
        }
        let usual = usual.finish(&[false], LEAST[1])?;
        let mut share = TableFit::new(vec![leads.to_vec(), usual.nodes(0).to_vec()]);
        for group in scale().filter(|group| group.noisy) {
            let Some(reading) = reading(group) else { continue };
            let nu = NoiseGrowth::noise(&usual, &reading, group.layout.mean_spacing);
            let mean = |of: &mut dyn Iterator<Item = f64>| {
                let finite: Vec<f64> = of.filter(|x| x.is_finite()).collect();
                finite.iter().sum::<f64>() / finite.len().max(1) as f64
            };
            let (scale, locals) = (group.scale(c, clean), group.locals(clean));
            let scales = &mut group.places.iter().zip(locals).map(|(place, local)| scale.at(*place, local));
            let excess = mean(&mut group.errors[c].iter().copied()).powi(2) - mean(scales).powi(2);
            if nu > 0.0 {
                let features = [lead_feature(group.lead, Some(1.0)), group.layout.mean_spacing];
                share.add_weighted(&features, excess.max(0.0).sqrt().max(LEAST_SHARE * nu) / nu, nu * nu);
            }
        }
        let share = share.finish(&[false, false], 0.0)?;
        Some(NoiseGrowth { usual, share })
    }
}

/// Edges between `n` ranges of equal shares of some values.
fn edges(mut all: Vec<f64>, n: usize) -> Vec<f64> {
    all.sort_by(f64::total_cmp);
    let mut edges: Vec<f64> = (1..n).filter_map(|i| all.get(i * all.len() / n).copied()).collect();
    edges.dedup_by(|b, a| *b - *a < 1e-6);
    edges.retain(|edge| all.last().is_some_and(|last| edge < last));
    edges
}
