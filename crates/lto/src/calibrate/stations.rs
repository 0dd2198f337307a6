//! Calibration on records of stations: forecasts from what some of them report against what others report later.

use super::{CalibrationConfig, NOISE, add_noise};
use crate::band::{Calibration, Calibrator, Judged};
use crate::data::stations::{Group, Span, StationData, some_stations};
use crate::data::stream::{Purpose, stream};
use crate::error::{Error, Result};
use crate::model::Model;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use rand::{Rng, RngExt};
use std::sync::Arc;

/// Calibrates a model on the records of a span of time it was not trained on. At every time, `draws` times some of the stations
/// that are trained on are observed, and what they and the held-out stations report later is predicted. The first third of
/// the time gives the scale of the errors, the rest the quantiles; each time counts as a sample. `progress` gets `(done, all)`
/// times and says whether to go on.
///
/// # Errors
/// Records that can no longer be read, too few times, or [`Error::Interrupted`].
pub fn calibrate_stations(
    model: &Model,
    data: &StationData,
    span: Span,
    config: &CalibrationConfig,
    progress: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Calibration> {
    config.context.validate()?;
    let card = model.card();
    let frames = data.span(span);
    let leads = config.leads_within(frames.len() / 2);
    let mut calibrator = Calibrator::new(&card.problem, &card.target_normalizer, card.native_interval);
    let third = frames.len() / 3;
    for (j, i) in frames.clone().take(3 * third).enumerate() {
        let number = if j < third { 3 * j } else { 3 * ((j - third) / 2) + 1 + (j - third) % 2 };
        let mut rng = stream(config.seed, Purpose::Calibration, i as u64);
        for draw in 0..config.draws + config.noisy_draws() {
            let Some(whole) =
                data.context(i, card.problem.history(), |station| data.is_in(station, Group::Seen))?
            else {
                continue;
            };
            let choice = config.draw(&mut rng);
            let mut context = some_stations(choice, whole, &mut rng)?;
            let noise = match draw >= config.draws {
                true => NOISE[0] * (NOISE[1] / NOISE[0]).powf(rng.random()),
                false => config.context.noise,
            };
            add_noise(&mut context, noise, model, &mut rng);
            let trial = Trial { number, noisy: draw >= config.draws, frame: i, span, leads: &leads };
            trial.run(model, data, &context, &mut calibrator, &mut rng)?;
        }
        if !progress(j + 1, 3 * third) {
            return Err(Error::Interrupted);
        }
    }
    let (times, clock) = (data.records().times(), data.records().clock());
    let shown = |i: usize| times.get(i).map_or_else(String::new, |time| clock.show(*time));
    calibrator.finish(format!(
        "records of {} from {} to {}",
        data.records().path().display(),
        shown(frames.start),
        shown(frames.end.saturating_sub(1))
    ))
}

/// Forecasts from one time and some stations.
struct Trial<'a> {
    number: usize,
    noisy: bool,
    frame: usize,
    span: Span,
    leads: &'a [usize],
}

impl Trial<'_> {
    fn run(
        &self,
        model: &Model,
        data: &StationData,
        context: &Context,
        calibrator: &mut Calibrator,
        rng: &mut impl Rng,
    ) -> Result<()> {
        let problem = &model.card().problem;
        // What is observed now, of every variable.
        let newest = context.newest(problem.target_channels);
        if (0..problem.target_channels).any(|c| newest.channel(c).is_none()) {
            return Ok(());
        }
        let s = data.records().times()[self.frame];
        let encoded = model.encode(context, s)?;
        for &lead in self.leads {
            let within = |later: &usize| data.span(self.span).contains(later);
            let Some(later) = data.later(self.frame, lead).filter(within) else { continue };
            let t = data.records().times()[later];
            let Some(mut truth) = data.truth(later, |_| true)? else { continue };
            let (places, n, dim) = (truth.points.coordinates(), truth.points.len(), truth.points.dim());
            // Held-out stations and as many of the observed. Stations that were trained on but are hidden now are better known than
            // other places.
            let new = data.truth(later, |station| data.is_in(station, Group::New))?;
            let mut asked = new.map_or_else(Vec::new, |new| new.points.coordinates());
            let observed = context.points.coordinates();
            let most = if asked.is_empty() { n } else { asked.len() / dim };
            let first = rng.random_range(0..context.points.len());
            asked
                .extend(observed.iter().cycle().skip(first * dim).take(most.min(context.points.len()) * dim));
            for (i, place) in places.chunks_exact(dim).enumerate() {
                if !asked.chunks_exact(dim).any(|other| other == place) {
                    truth.values.iter_mut().skip(i).step_by(n).for_each(|value| *value = f64::NAN);
                }
            }
            let query = Arc::new(Points::scattered(problem.domain.clone(), places)?);
            let (prediction, features) = encoded.look(&[t], None, &query)?;
            let judged = Judged {
                sample: self.number,
                noisy: self.noisy,
                context,
                lead: t - s,
                query: &query,
                values: &prediction.values,
                features: &features[0],
                truth: &truth.values,
            };
            calibrator.add(&judged, rng)?;
        }
        Ok(())
    }
}
