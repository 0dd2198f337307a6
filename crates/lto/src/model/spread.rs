//! How far a prediction may be off: bands and samples, by the calibration of the model.

use super::prediction::only;
use super::{Encoded, Evolved, Forecast, Model, ModelCard, Prediction, Way};
use crate::band::correlated::CorrelatedField;
use crate::band::place::{Places, lead_feature, readings};
use crate::band::{Band, Calibration, ChannelCalibration, normal};
use crate::error::{Error, Result};
use crate::operator::Reach;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::pde::sample_rng;
use std::sync::Arc;

/// Levels at which a distribution is compared with the truth.
const MIDPOINTS: usize = 64;

/// A prediction with the scale of its errors, from which bands of any level and samples follow.
#[derive(Clone, Debug)]
pub struct Spread {
    card: Arc<ModelCard>,
    query: Points,
    /// The prediction `[time, channel, point]`.
    values: Vec<f64>,
    /// σ of each value.
    scale: Vec<f64>,
    /// The bin of the calibration, `[time, point]`.
    bins: Vec<usize>,
    outside: f64,
}

impl Spread {
    /// The scale σ of the error of each value, in the order of the prediction's values.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The share of points at a lead, at a distance from sensors or among sensors so sparse that no calibration sample had
    /// them: bands there are guesses, as wide as the nearest calibrated ones.
    pub fn outside(&self) -> f64 {
        self.outside
    }

    /// The band û ± q σ of a level, with q the calibrated quantile of that level, or of the next higher one that is kept.
    ///
    /// # Errors
    /// A level that is not between 0 and 1, or too high for the number of calibration samples.
    pub fn band(&self, level: f64) -> Result<Band> {
        let calibration = self.calibration()?;
        let number = calibration.level(level)?;
        let mut half = Vec::with_capacity(self.values.len());
        for (channel, bins, scale) in self.rows() {
            for (bin, scale) in bins.iter().zip(scale) {
                half.push(calibration.quantile(channel, *bin, number)? * scale);
            }
        }
        let end =
            |sign: f64| self.values.iter().zip(&half).map(|(value, half)| value + sign * half).collect();
        Ok(Band { level, lower: end(-1.0), upper: end(1.0) })
    }

    /// Fields that the state may be, `n` of them in the order of the prediction's values: at each place and time distributed as
    /// the bands say; alike over the length scale of the errors, and with one pattern for all times of a sample. Channels
    /// are independent of each other.
    ///
    /// # Errors
    /// None for a sound calibration.
    pub fn samples(&self, n: usize, seed: u64) -> Result<Vec<Vec<f64>>> {
        let calibration = self.calibration()?;
        let curves = self.curves(calibration);
        let draw = |number: usize| {
            let mut rng = sample_rng(seed, number as u64);
            let patterns: Vec<Vec<f64>> = calibration
                .channels
                .iter()
                .map(|c| CorrelatedField::draw(self.query.domain(), c.length, &mut rng).at(&self.query))
                .collect();
            let rows = self.rows().zip(self.values.chunks_exact(self.query.len()));
            let one = rows.flat_map(|((channel, bins, scale), values)| {
                let each = values.iter().zip(scale).zip(bins).zip(&patterns[channel]);
                let curves = &curves[channel];
                each.map(|(((value, scale), bin), z)| value + scale * curves[*bin].at(*z))
            });
            one.collect()
        };
        Ok((0..n).map(draw).collect())
    }

    /// The continuous ranked probability score of each value against the truth, ∫ 2 (1{u < Q(τ)} − τ)(Q(τ) − u) dτ with
    /// the quantiles Q of the distribution that bands and samples show: the mean absolute error, were it certain.
    ///
    /// # Errors
    /// As [`Spread::samples`].
    pub fn crps(&self, truth: &[f64]) -> Result<Vec<f64>> {
        let calibration = self.calibration()?;
        let curves = self.curves(calibration);
        let levels: Vec<f64> = (0..MIDPOINTS).map(|j| (j as f64 + 0.5) / MIDPOINTS as f64).collect();
        let normals: Vec<f64> = levels.iter().map(|level| normal::quantile(*level)).collect();
        // Quantiles of every bin in units of its scale.
        let table: Vec<Vec<Vec<f64>>> = curves
            .iter()
            .map(|curves| curves.iter().map(|curve| normals.iter().map(|z| curve.at(*z)).collect()).collect())
            .collect();
        let n = self.query.len();
        let rows = self.rows().zip(self.values.chunks_exact(n)).zip(truth.chunks_exact(n));
        let scores = rows.flat_map(|(((channel, bins, scale), values), truth)| {
            let (table, levels) = (&table[channel], &levels);
            values.iter().zip(truth).zip(scale).zip(bins).map(move |(((value, truth), scale), bin)| {
                let pinball = |(quantile, level): (&f64, &f64)| {
                    let above = value + scale * quantile - truth;
                    2.0 * (f64::from(u8::from(above > 0.0)) - level) * above
                };
                table[*bin].iter().zip(levels).map(pinball).sum::<f64>() / MIDPOINTS as f64
            })
        });
        Ok(scores.collect())
    }

    /// Each time and channel: its channel, its bins and its scales.
    fn rows(&self) -> impl Iterator<Item = (usize, &[usize], &[f64])> {
        let (n, q) = (self.query.len(), self.card.problem.target_channels);
        let scales = self.scale.chunks_exact(n).enumerate();
        scales.map(move |(row, scale)| (row % q, &self.bins[row / q * n..(row / q + 1) * n], scale))
    }

    fn calibration(&self) -> Result<&Calibration> {
        self.card.calibration()
    }

    fn curves(&self, calibration: &Calibration) -> Vec<Vec<Curve>> {
        let of = |channel: usize| {
            (0..calibration.n_bins()).map(|bin| Curve::new(calibration, channel, bin)).collect()
        };
        (0..calibration.channels.len()).map(of).collect()
    }
}

/// The symmetric distribution whose central intervals are the bands: its quantile function of the standard normal z, linear
/// between the levels that are kept and in proportion to z beyond the last.
struct Curve {
    nodes: Vec<[f64; 2]>,
}

impl Curve {
    fn new(calibration: &Calibration, channel: usize, bin: usize) -> Self {
        let kept = calibration.levels.iter().zip(calibration.quantiles(channel, bin));
        let node = |(level, q): (&f64, &Option<f64>)| Some([normal::quantile(0.5 + level / 2.0), (*q)?]);
        Self { nodes: std::iter::once([0.0; 2]).chain(kept.filter_map(node)).collect() }
    }

    /// Errors in units of σ at z.
    fn at(&self, z: f64) -> f64 {
        let above = self.nodes.partition_point(|node| node[0] < z.abs());
        let size = match (self.nodes.get(above.wrapping_sub(1)), self.nodes.get(above)) {
            (Some([a, low]), Some([b, high])) => low + (high - low) * (z.abs() - a) / (b - a),
            (Some([a, last]), None) if *a > 0.0 => last * z.abs() / a,
            _ => 0.0,
        };
        size.copysign(z)
    }
}

/// d of every channel and point, in that order, by what the decoder sees; nothing where it does not count.
fn local(calibration: &Calibration, features: &[f32], n: usize) -> Result<Vec<f64>> {
    if !calibration.is_local() {
        return Ok(Vec::new());
    }
    let of = |channel: &ChannelCalibration| match &channel.local {
        Some(local) if local.fits(features.len() / n.max(1)) => Ok(local.at(features, n)),
        None => Ok(vec![1.0; n]),
        Some(local) => Err(Error::Config {
            key: "calibration".into(),
            value: format!("for {} latent channels", local.n_features()),
            requirement: "is of another model; calibrate this one".into(),
        }),
    };
    Ok(calibration.channels.iter().map(of).collect::<Result<Vec<_>>>()?.concat())
}

impl ModelCard {
    /// The calibration.
    ///
    /// # Errors
    /// There is none.
    pub fn calibration(&self) -> Result<&Calibration> {
        self.calibration.as_ref().ok_or_else(|| Error::Config {
            key: "band".into(),
            value: "of a model without calibration".into(),
            requirement:
                "how far it is off must be measured first, on samples it was not trained on: lto calibrate"
                    .into(),
        })
    }
}

impl Model {
    /// As [`Model::predict`], or by a given way, with how far each value may be off.
    ///
    /// # Errors
    /// As [`Model::predict_by`]; a model without calibration.
    pub fn predict_spread(
        &self,
        forecast: &Forecast,
        way: Option<Way>,
        query: &Arc<Points>,
    ) -> Result<(Prediction, Spread)> {
        let Forecast { context, s, times } = *forecast;
        let calibration = self.card.calibration()?;
        let (prediction, features) = self.encode(context, s)?.look(times, way, query)?;
        let local = features.iter().map(|features| local(calibration, features, query.len()));
        let local = local.collect::<Result<Vec<_>>>()?.concat();
        let spread = self.spread_of(context, s, &prediction, query, &local)?;
        Ok((prediction, spread))
    }

    /// How far an earlier prediction from observations at time s may be off. If the scale depends on the latent state it is
    /// computed again: [`Model::predict_spread`] and [`Evolved::decode_spread`] need not.
    ///
    /// # Errors
    /// A model without calibration, or a query that is not the prediction's.
    pub fn spread(
        &self,
        context: &Context,
        s: f64,
        prediction: &Prediction,
        query: &Arc<Points>,
    ) -> Result<Spread> {
        let calibration = self.card.calibration()?;
        let mut all = Vec::new();
        if calibration.is_local() {
            all = vec![Vec::new(); prediction.times.len()];
            let way = |j: usize| prediction.ways.get(j).copied();
            self.encode(context, s)?.visit(&prediction.times, way, |j, evolved| {
                all[j] = local(calibration, &self.features(evolved, query)?, query.len())?;
                Ok(())
            })?;
        }
        self.spread_of(context, s, prediction, query, &all.concat())
    }

    /// The spread of a prediction with the factors `local` of its values; none if empty.
    fn spread_of(
        &self,
        context: &Context,
        s: f64,
        prediction: &Prediction,
        query: &Points,
        local: &[f64],
    ) -> Result<Spread> {
        let card = &self.card;
        let (calibration, problem) = (card.calibration()?, &card.problem);
        let (n, units) = (query.len(), card.target_normalizer.scale());
        let expected = prediction.times.len() * problem.target_channels * n;
        if prediction.values.len() != expected {
            let (what, got) = ("number of predicted values at the query".into(), prediction.values.len());
            return Err(Error::Numerics(lto_numerics::Error::Mismatch { what, expected, got }));
        }
        let places = Places::new(problem, &context.points, query)?;
        let readings = readings(problem, units, context)?;
        let noisy = calibration.is_noisy(readings.as_deref(), places.layout);
        let (mut scale, mut bins, mut outside) = (Vec::with_capacity(expected), Vec::new(), 0);
        let beyond = |of: f64, nodes: &[f64]| nodes.last().is_some_and(|last| of > last + 1e-6);
        for t in &prediction.times {
            let lead = lead_feature(t - s, card.native_interval);
            for (c, (channel, unit)) in calibration.channels.iter().zip(units).enumerate() {
                let reading = readings.as_ref().map(|readings| &readings[c]);
                let of = channel.scale(reading, lead, places.layout);
                for (spacing, distance) in places.spacing.iter().zip(&places.distance) {
                    let local = local.get(scale.len()).copied().unwrap_or(1.0);
                    scale.push(unit * of.at([*spacing, *distance, places.gap], local));
                }
            }
            let table = &calibration.channels[0].scales[0];
            for (spacing, distance) in places.spacing.iter().zip(&places.distance) {
                bins.push(calibration.bin(lead, noisy, places.layout, [*spacing, *distance]));
                let far = [(lead, 0), (*spacing, 1), (*distance, 2), (places.gap, 3)];
                outside += usize::from(far.into_iter().any(|(of, axis)| beyond(of, table.nodes(axis))));
            }
        }
        let outside = outside as f64 / bins.len().max(1) as f64;
        Ok(Spread {
            card: card.clone(),
            query: query.clone(),
            values: prediction.values.clone(),
            scale,
            bins,
            outside,
        })
    }
}

impl Evolved {
    /// As [`Evolved::decode`], with how far it may be off.
    ///
    /// # Errors
    /// As [`Evolved::decode`] and [`Model::spread`].
    pub fn decode_spread(&self, query: &Points) -> Result<(Prediction, Spread)> {
        let (prediction, model, source) = (self.decode(query)?, &self.encoded.model, &self.encoded.source);
        let (calibration, query) = (model.card.calibration()?, Arc::new(query.clone()));
        let used = self.latents.as_ref().filter(|_| calibration.is_local());
        let features = used.map_or(Ok(Vec::new()), |latents| model.features(latents, &query))?;
        let local = local(calibration, &features, query.len())?;
        let spread = model.spread_of(&source.contexts[0], source.starts[0], &prediction, &query, &local)?;
        Ok((prediction, spread))
    }

    /// As [`Evolved::decode`], with a band of a level around it.
    ///
    /// # Errors
    /// As [`Evolved::decode_spread`] and [`Spread::band`].
    pub fn decode_band(&self, query: &Points, level: f64) -> Result<(Prediction, Band)> {
        let (prediction, spread) = self.decode_spread(query)?;
        let band = spread.band(level)?;
        Ok((prediction, band))
    }
}

impl Encoded {
    /// Predictions of the first source at times, and what the decoder sees at the query: `[k, point]` for each time, empty for
    /// a model without a latent state or one that goes one native step at a time.
    ///
    /// # Errors
    /// As [`Model::predict_by`].
    pub(crate) fn look(
        &self,
        times: &[f64],
        way: Option<Way>,
        query: &Arc<Points>,
    ) -> Result<(Prediction, Vec<Vec<f32>>)> {
        let (model, source) = (&self.model, &self.source);
        let (context, s) = (&source.contexts[0], source.starts[0]);
        let mut features = vec![Vec::new(); times.len()];
        if model.operator.reach() == Reach::Step {
            let prediction = match way {
                Some(way) => model.predict_by(way, &Forecast { context, s, times }, query),
                None => model.predict(context, s, times, query),
            };
            return Ok((prediction?, features));
        }
        let steady = [s];
        let times = if model.card.problem.times.is_some() { times } else { &steady };
        model.check_times(times)?;
        model.check_forward(s, times)?;
        let mut values = vec![Vec::new(); times.len()];
        self.visit(
            times,
            |_| way,
            |j, evolved| {
                values[j] = model.values(evolved, std::slice::from_ref(query))?;
                features[j] = model.features(evolved, query)?;
                Ok(())
            },
        )?;
        let prediction = only(self.predictions(vec![times.to_vec()], vec![values.concat()], way))?;
        Ok((prediction, features))
    }
}
