//! Measures how far a model's forecasts are off on samples it was not trained on, from many layouts of sensors: the
//! calibration of its bands.

mod stations;

pub use stations::calibrate_stations;

use crate::band::{Calibration, Calibrator, Judged};
use crate::data::context::{ContextChoice, ContextConfig, DesignKind, DesignWeights};
use crate::data::stream::{Purpose, stream};
use crate::data::{Data, State, Wanted};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::operator::Reach;
use lto_numerics::dataset::Context;
use lto_numerics::{Field, Points};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Noise that is tried to see how much worse forecasts get, as shares of a channel's deviation.
const NOISE: [f64; 2] = [0.01, 0.3];
/// The share of draws that observe the smallest or the largest part of the points: bands hold up to both, so the quantiles there
/// must not be those of the layouts between.
const AT_ENDS: f64 = 0.2;

/// How to calibrate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CalibrationConfig {
    /// The layouts of sensors that bands are for.
    pub context: ContextConfig,
    /// Layouts drawn for each sample, each with its own start.
    pub draws: usize,
    /// Leads in native steps; those longer than the data are left out. 1, 2, 4, … and the longest if empty.
    pub leads: Vec<usize>,
    /// Seed of layouts, starts and noise.
    pub seed: u64,
}

impl Default for CalibrationConfig {
    fn default() -> Self {
        let designs =
            DesignWeights { random: 3.0, strided: 1.0, clustered: 1.0, failed_region: 1.0, full: 2.0 };
        Self {
            context: ContextConfig { designs, fraction: [0.05, 1.0], ..ContextConfig::default() },
            draws: 4,
            leads: Vec::new(),
            seed: 0,
        }
    }
}

/// Calibrates a model on samples of some data, which it must not have been trained on. Every sample is observed `draws` times,
/// by a layout drawn anew and from a start drawn anew, and predicted over all leads that fit; layouts that models of
/// this kind do not take are left out. A third of the samples gives the scale of the errors, the others give the
/// quantiles. `progress` gets `(done, all)` samples and says whether to go on.
///
/// # Errors
/// Data of another problem, too few samples, layouts none of which the model takes, or [`Error::Interrupted`].
pub fn calibrate(
    model: &Model,
    data: &Data,
    samples: &[usize],
    config: &CalibrationConfig,
    progress: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Calibration> {
    config.context.validate()?;
    let card = model.card();
    card.problem.check_domain("data", data.layout().grid.domain())?;
    let query = Arc::new(Points::grid(data.layout().grid.as_ref().clone()));
    let leads = config.leads(model, data);
    let mut calibrator = Calibrator::new(&card.problem, &card.target_normalizer, card.native_interval);
    let (mut taken, mut refused) = (0, None);
    for (number, &sample) in samples.iter().enumerate() {
        let mut rng = stream(config.seed, Purpose::Calibration, sample as u64);
        for draw in 0..config.draws + config.noisy_draws() {
            let trial = Trial { number, sample, noisy: draw >= config.draws, query: &query, leads: &leads };
            match trial.run(model, data, config, &mut calibrator, &mut rng) {
                Ok(()) => taken += 1,
                Err(unsupported @ Error::Unsupported { .. }) => refused = Some(unsupported),
                Err(other) => return Err(other),
            }
        }
        if !progress(number + 1, samples.len()) {
            return Err(Error::Interrupted);
        }
    }
    match refused {
        Some(refused) if taken == 0 => Err(refused),
        _ => calibrator.finish(format!("{}, {} used", data.layout().description, samples.len())),
    }
}

impl CalibrationConfig {
    /// Leads in frames: from 0, the present state, for a model that goes straight to any time.
    fn leads(&self, model: &Model, data: &Data) -> Vec<usize> {
        if data.layout().is_steady() {
            return vec![0];
        }
        let most =
            data.layout().times.len().saturating_sub(data.history().max(model.card().problem.history()));
        let mut leads = self.leads_within(most);
        if self.leads.is_empty() && model.operator().reach() == Reach::Direct {
            leads.insert(0, 0);
        }
        leads
    }

    /// Draws how much of a state is observed and by which design.
    fn draw(&self, rng: &mut impl Rng) -> ContextChoice {
        let mut choice = self.context.draw(rng);
        if choice.design != DesignKind::Full && rng.random_bool(AT_ENDS) {
            choice.fraction = self.context.fraction[usize::from(rng.random::<bool>())];
        }
        choice
    }

    /// Draws of a sample with further noise on the observations.
    fn noisy_draws(&self) -> usize {
        self.draws.div_ceil(2)
    }

    /// The leads that are asked for, else 1, 2, 4, … and the longest, up to `most`.
    fn leads_within(&self, most: usize) -> Vec<usize> {
        let mut leads = match self.leads.is_empty() {
            true => (0..).map(|k| 1 << k).take_while(|&lead| lead < most).chain([most]).collect(),
            false => self.leads.clone(),
        };
        leads.retain(|&lead| lead <= most);
        leads
    }
}

/// A state and what becomes of it.
pub(crate) struct Outlook {
    /// The state at s, with its history.
    pub source: Field,
    /// Its time.
    pub s: f64,
    /// Later times and their states.
    pub ahead: Vec<(f64, Field)>,
}

impl Outlook {
    /// Draws the longest of some leads (in frames), then a start from which it fits, so that no lead is rare; all leads that
    /// fit are looked at. A steady sample has its one target.
    ///
    /// # Errors
    /// Data that cannot be read or solved.
    pub fn draw(
        data: &Data,
        model: &Model,
        sample: usize,
        leads: &[usize],
        rng: &mut impl Rng,
    ) -> Result<Self> {
        let layout = data.layout();
        let longest = leads[rng.random_range(0..leads.len().max(1))];
        let (states, times) = if layout.is_steady() {
            (vec![State::Source, State::Target], vec![0.0; 2])
        } else {
            let first = data.history().max(model.card().problem.history()) - 1;
            let s = rng.random_range(first..layout.times.len() - longest);
            let frames = leads.iter().map(|lead| s + lead).filter(|&frame| frame < layout.times.len());
            let frames: Vec<usize> = frames.collect();
            let times = [s].iter().chain(&frames).map(|&frame| layout.times[frame]).collect();
            (std::iter::once(State::History(s)).chain(frames.into_iter().map(State::Frame)).collect(), times)
        };
        let wanted: Vec<Wanted> =
            states.into_iter().map(|state| Wanted { sample, state, finer: false }).collect();
        let mut fields = data.fields(&wanted)?;
        let source = fields.remove(0);
        Ok(Self { source, s: times[0], ahead: times.into_iter().skip(1).zip(fields).collect() })
    }
}

/// One layout and start of a sample.
struct Trial<'a> {
    number: usize,
    sample: usize,
    noisy: bool,
    query: &'a Arc<Points>,
    leads: &'a [usize],
}

impl Trial<'_> {
    fn run(
        &self,
        model: &Model,
        data: &Data,
        config: &CalibrationConfig,
        calibrator: &mut Calibrator,
        rng: &mut impl Rng,
    ) -> Result<()> {
        let choice = config.draw(rng);
        let Outlook { source, s, ahead } = Outlook::draw(data, model, self.sample, self.leads, rng)?;
        let mut context = choice.observe(&source, None, rng)?;
        let noise = match self.noisy {
            true => NOISE[0] * (NOISE[1] / NOISE[0]).powf(rng.random()),
            false => config.context.noise,
        };
        add_noise(&mut context, noise, model, rng);
        let times: Vec<f64> = ahead.iter().map(|(t, _)| *t).collect();
        let (prediction, features) = model.encode(&context, s)?.look(&times, None, self.query)?;
        let each = prediction.values.len() / ahead.len().max(1);
        for (i, (t, truth)) in ahead.iter().enumerate() {
            let part = i * each..(i + 1) * each;
            let judged = Judged {
                sample: self.number,
                noisy: self.noisy,
                context: &context,
                lead: t - s,
                query: self.query,
                values: &prediction.values[part],
                features: &features[i],
                truth: truth.values(),
            };
            calibrator.add(&judged, rng)?;
        }
        Ok(())
    }
}

/// Adds noise of `level` deviations of the training data to every channel.
fn add_noise(context: &mut Context, level: f64, model: &Model, rng: &mut impl Rng) {
    if level > 0.0 {
        let deviations: Vec<f64> = model.card().source_normalizer.scale().iter().map(|s| level * s).collect();
        context.add_noise(&deviations, rng);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tenth of the layouts that are not whole grids lie at either end of the fractions; the others lie between.
    #[test]
    fn both_ends_are_calibrated_for() {
        let config = CalibrationConfig::default();
        let mut rng = stream(0, Purpose::Calibration, 0);
        let drawn =
            (0..4000).map(|_| config.draw(&mut rng)).filter(|choice| choice.design != DesignKind::Full);
        let fractions: Vec<f64> = drawn.map(|choice| choice.fraction).collect();
        let [low, high] = config.context.fraction;
        assert!(fractions.iter().all(|fraction| (low..=high).contains(fraction)));
        for end in [low, high] {
            let share = fractions.iter().filter(|&&f| f == end).count() as f64 / fractions.len() as f64;
            assert!((share - 0.5 * AT_ENDS).abs() < 0.02, "{end}: {share}");
        }
    }
}
