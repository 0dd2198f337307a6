//! Batches of station records.

use super::{Group, Span, StationData};
use crate::data::batches::{BatchOptions, BatchSource, ExampleOrigin, Prepared};
use crate::data::context::{ContextChoice, DesignKind};
use crate::data::stream::{Purpose, stream};
use crate::error::{Error, Result};
use crate::operator::Batch;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Points};
use rand::seq::{SliceRandom, index};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::sync::Arc;

/// Pairs of times that are drawn before giving up: records may be mostly gaps.
const TRIES: usize = 10_000;
/// Share of the stations around one of them that fail together.
const FAILED: f64 = 0.2;

/// Makes batches of the stations and times to train on: the context is what some of the stations report at s, the query what
/// all of them report at t. Queries are filled up to one size by places where nothing is known.
pub struct StationBatches {
    data: Arc<StationData>,
    options: BatchOptions,
    seed: u64,
}

/// An example: its context, and the truth at its query points.
struct Example {
    context: Context,
    times: (f64, f64),
    places: Vec<f64>,
    values: Vec<f64>,
}

impl StationBatches {
    /// Batches of `data`.
    pub fn new(data: Arc<StationData>, options: BatchOptions, seed: u64) -> Self {
        Self { data, options, seed }
    }

    fn example(&self, rng: &mut ChaCha8Rng) -> Result<Example> {
        let (data, span) = (&self.data, self.data.span(Span::Train));
        let times = &data.records().times()[span.clone()];
        let n = ((times[times.len() - 1] - times[0]) / data.interval()).round() as usize + 1;
        let frame = |k: usize| data.at(times[0] + k as f64 * data.interval()).filter(|i| span.contains(i));
        let seen = |station: u32| data.is_in(station, Group::Seen);
        for _ in 0..TRIES {
            let (s, t) = self.options.pairs.draw(n, rng);
            let (Some(s), Some(t)) = (frame(s), frame(t)) else { continue };
            let (Some(whole), Some(truth)) = (data.context(s, data.history(), seen)?, data.truth(t, seen)?)
            else {
                continue;
            };
            let context = some_stations(self.options.context.draw(rng), whole, rng)?;
            let (mut places, mut values) = (truth.points.coordinates(), truth.values);
            let (dim, m) = (truth.points.dim(), truth.points.len());
            if let Some(most) = self.options.query_points.filter(|most| *most < m) {
                let chosen = index::sample(rng, m, most).into_vec();
                places = chosen.iter().flat_map(|&j| places[j * dim..(j + 1) * dim].to_vec()).collect();
                values = values.chunks_exact(m).flat_map(|v| chosen.iter().map(|&j| v[j])).collect();
            }
            let times = (data.records().times()[s], data.records().times()[t]);
            return Ok(Example { context, times, places, values });
        }
        Err(Error::Config {
            key: "train.pairs".into(),
            value: format!("{:?}", self.options.pairs),
            requirement: format!(
                "fit no two times of the records; is their interval {} right?",
                data.interval()
            ),
        })
    }
}

impl BatchSource for StationBatches {
    fn make(&self, step: u64, chosen: Range<usize>) -> Result<Prepared> {
        let mut rng = stream(self.seed, Purpose::Batch, step);
        let examples = (0..self.options.size).map(|_| self.example(&mut rng)).collect::<Result<Vec<_>>>()?;
        let domain = self.data.records().domain();
        let m = examples.iter().map(|example| example.places.len() / domain.dim()).max().unwrap_or(0);
        let mut batch = Batch {
            contexts: Vec::new(),
            times: Vec::new(),
            queries: Vec::new(),
            source: Vec::new(),
            target: Vec::new(),
            target_contexts: Vec::new(),
        };
        let mut origins = Vec::new();
        for Example { context, times, places, values } in examples {
            let known = places.len() / domain.dim();
            let points = filled(domain, places, m, &mut rng)?;
            for channel in values.chunks_exact(known) {
                batch.target.extend(channel);
                batch.target.resize(batch.target.len() + m - known, f64::NAN);
            }
            batch.queries.push(Arc::new(points));
            batch.contexts.push(context);
            batch.times.push(times);
            origins.push(ExampleOrigin { sample: 0, times: Some(times) });
        }
        let level = self.options.context.noise;
        if level > 0.0 {
            let mut rng = stream(self.seed, Purpose::Noise, step);
            let noise: Vec<f64> =
                self.options.deviations[0].iter().map(|deviation| level * deviation).collect();
            batch.contexts.iter_mut().for_each(|context| context.add_noise(&noise, &mut rng));
        }
        Ok(Prepared { batch, unroll: Vec::new(), origins }.only(chosen))
    }
}

/// `m` points: the given places, then random ones.
fn filled(domain: &Domain, mut places: Vec<f64>, m: usize, rng: &mut ChaCha8Rng) -> Result<Points> {
    while places.len() < m * domain.dim() {
        let place = domain.axes().iter().map(|axis| axis.lower + rng.random::<f64>() * axis.length());
        places.extend(place);
    }
    Ok(Points::scattered(domain.clone(), places)?)
}

/// Some of the stations of a context, as a design chooses them.
pub(crate) fn some_stations(choice: ContextChoice, whole: Context, rng: &mut impl Rng) -> Result<Context> {
    let n = whole.points.len();
    let mut kept: Vec<usize> = (0..n).collect();
    if choice.design != DesignKind::Full {
        kept.shuffle(rng);
        kept.truncate(((choice.fraction * n as f64).round() as usize).clamp(1, n));
    }
    if choice.design == DesignKind::FailedRegion && kept.len() > 1 {
        let (places, dim, domain) = (whole.points.coordinates(), whole.points.dim(), whole.points.domain());
        let place = |j: usize| &places[j * dim..(j + 1) * dim];
        let center = kept[rng.random_range(0..kept.len())];
        let away = |j: &usize| domain.distance_squared(place(*j), place(center));
        kept.sort_by(|a, b| away(b).total_cmp(&away(a)));
        kept.truncate(((1.0 - FAILED) * kept.len() as f64).ceil() as usize);
    }
    kept.sort_unstable();
    let of = |all: &[f64]| all.chunks_exact(n).flat_map(|v| kept.iter().map(|&j| v[j])).collect::<Vec<f64>>();
    Ok(Context {
        points: whole.points.select(&kept)?,
        values: of(&whole.values),
        deviations: whole.deviations.as_deref().map(of),
        ..whole
    })
}
