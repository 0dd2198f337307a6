//! The batch of any training step, determined by the seed and the step's number alone.

use super::context::{ContextChoice, ContextConfig};
use super::pairs::{Pairs, PushforwardConfig};
use super::stream::{Purpose, stream};
use super::{Data, State, Wanted};
use crate::error::Result;
use crate::operator::Batch;
use lto_numerics::dataset::Context;
use lto_numerics::{Field, Isometry, Points};
use rand::RngExt;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// What batches are made of.
#[derive(Clone, Debug)]
pub struct BatchOptions {
    /// Number of examples.
    pub size: usize,
    /// Which frames are paired.
    pub pairs: Pairs,
    /// How source states are observed.
    pub context: ContextConfig,
    /// What the noise on them is a share of: the deviation of every channel of sources and of targets.
    pub deviations: [Vec<f64>; 2],
    /// Whether the symmetries of the data are used.
    pub symmetries: bool,
    /// Number of query points, drawn from the native grid; all if `None`.
    pub query_points: Option<usize>,
    /// Training on the model's own errors.
    pub pushforward: PushforwardConfig,
    /// Whether targets are observed too (steady problems that reconstruct them).
    pub observe_targets: bool,
}

/// Where an example comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExampleOrigin {
    /// The sample.
    pub sample: usize,
    /// Its source and target times; `None` if steady.
    pub times: Option<(f64, f64)>,
}

/// `sample 12 (s = 0.1, t = 0.4)`.
impl fmt::Display for ExampleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sample {}", self.sample)?;
        self.times.map_or(Ok(()), |(s, t)| write!(f, " (s = {s}, t = {t})"))
    }
}

/// A batch with what the trainer needs to know about it.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The examples, in physical units.
    pub batch: Batch,
    /// Pushforward: for each native step before the supervised one, the `(s, t)` of every example. The
    /// contexts of the batch then belong to the first of these steps.
    pub unroll: Vec<Vec<(f64, f64)>>,
    /// Where the examples come from.
    pub origins: Vec<ExampleOrigin>,
}

/// What batches come from. Shared between threads.
pub trait BatchSource: Send + Sync {
    /// The batch of step `step`, the same whatever was made before.
    ///
    /// # Errors
    /// Data that cannot be read or solved, or a context that cannot be drawn.
    fn make(&self, step: u64) -> Result<Prepared>;
}

/// Makes batches of fields. Shared between threads.
pub struct Batches {
    data: Arc<Data>,
    options: BatchOptions,
    seed: u64,
    native: Arc<Points>,
    order: Mutex<Option<(u64, Vec<usize>)>>,
}

/// An example before its values are loaded: indices into the list of states to load.
struct Draft {
    choice: ContextChoice,
    observed: usize,
    observed_finer: Option<usize>,
    source: usize,
    target: usize,
    target_choice: Option<(ContextChoice, Option<usize>)>,
}

impl Batches {
    /// Batches of the training samples of `data`.
    pub fn new(data: Arc<Data>, options: BatchOptions, seed: u64) -> Self {
        let native = Arc::new(Points::grid(data.layout().grid.as_ref().clone()));
        Self { data, options, seed, native, order: Mutex::new(None) }
    }

    /// As [`BatchSource::make`].
    ///
    /// # Errors
    /// As [`BatchSource::make`].
    pub fn make(&self, step: u64) -> Result<Prepared> {
        let options = &self.options;
        let layout = self.data.layout();
        let mut rng = stream(self.seed, Purpose::Batch, step);
        let steady = layout.is_steady();
        let n_unroll = if steady { 0 } else { options.pushforward.draw(self.n_frames(), &mut rng) };
        let mut wanted = Vec::new();
        let mut origins = Vec::with_capacity(options.size);
        let mut times = Vec::with_capacity(options.size);
        let mut unroll = vec![Vec::with_capacity(options.size); n_unroll];
        let mut drafts = Vec::with_capacity(options.size);
        for i in 0..options.size {
            let sample = self.sample(step * options.size as u64 + i as u64);
            let states = if steady {
                [State::Source, State::Source, State::Target]
            } else {
                let (first, s, t) = self.frames(n_unroll, &mut rng);
                for (k, pairs) in unroll.iter_mut().enumerate() {
                    pairs.push((layout.times[first + k], layout.times[first + k + 1]));
                }
                times.push((layout.times[s], layout.times[t]));
                [State::History(first), State::History(s), State::Frame(t)]
            };
            origins.push(ExampleOrigin { sample, times: times.last().copied() });
            drafts.push(self.draft(sample, states, &mut wanted, &mut rng));
        }
        times.resize(options.size, (0.0, 0.0));
        let fields = self.data.fields(&wanted)?;
        let mut batch = self.assemble(drafts, &fields, times, &mut rng)?;
        self.add_noise(&mut batch, step);
        Ok(Prepared { batch, unroll, origins })
    }

    /// Sample number `position` of an endless stream: epoch after epoch, each a random order of all training samples.
    fn sample(&self, position: u64) -> usize {
        let train = &self.data.split().train;
        let (epoch, index) = (position / train.len() as u64, (position % train.len() as u64) as usize);
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        if order.as_ref().is_none_or(|(known, _)| *known != epoch) {
            let mut shuffled = train.clone();
            shuffled.shuffle(&mut stream(self.seed, Purpose::Order, epoch));
            *order = Some((epoch, shuffled));
        }
        order.as_ref().map_or(train[index], |(_, shuffled)| shuffled[index])
    }

    /// Frames with a full history, from which sources and targets are drawn.
    fn n_frames(&self) -> usize {
        self.data.layout().times.len() + 1 - self.data.history()
    }

    /// First frame of the unrolled steps, source and target.
    fn frames(&self, n_unroll: usize, rng: &mut ChaCha8Rng) -> (usize, usize, usize) {
        let (n, earliest) = (self.n_frames(), self.data.history() - 1);
        if n_unroll == 0 {
            let (s, t) = self.options.pairs.draw(n, rng);
            return (earliest + s, earliest + s, earliest + t);
        }
        let first = earliest + rng.random_range(0..n - n_unroll - 1);
        (first, first + n_unroll, first + n_unroll + 1)
    }

    fn draft(
        &self,
        sample: usize,
        states: [State; 3],
        wanted: &mut Vec<Wanted>,
        rng: &mut ChaCha8Rng,
    ) -> Draft {
        let layout = self.data.layout();
        let mut want = |state, finer| {
            wanted.push(Wanted { sample, state, finer });
            wanted.len() - 1
        };
        let [observed, source, target] = states;
        let finer = |choice: &ContextChoice| layout.finer.is_some() && choice.above(layout.grid.len());
        let choice = self.options.context.draw(rng);
        let target_choice = self.options.observe_targets.then(|| self.options.context.draw(rng));
        Draft {
            observed_finer: finer(&choice).then(|| want(observed, true)),
            target_choice: target_choice.map(|choice| (choice, finer(&choice).then(|| want(target, true)))),
            observed: want(observed, false),
            source: want(source, false),
            target: want(target, false),
            choice,
        }
    }

    fn assemble(
        &self,
        drafts: Vec<Draft>,
        fields: &[Field],
        times: Vec<(f64, f64)>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Batch> {
        let symmetries: &[_] = if self.options.symmetries { self.data.symmetries() } else { &[] };
        let domain = self.native.domain();
        let (mut query, mut chosen) = self.query(rng)?;
        // One symmetry for the whole batch, so that examples on the same grid still share kernel weights.
        let map = (!symmetries.is_empty()).then(|| Isometry::draw(symmetries, domain, rng));
        let sign = map.as_ref().map_or(1.0, Isometry::sign);
        if let Some(map) = &map {
            let (moved, order) = map.apply(&query)?;
            chosen = order.iter().map(|&j| chosen[j]).collect();
            query = Arc::new(moved);
        }
        let mut batch = Batch {
            contexts: Vec::with_capacity(drafts.len()),
            times,
            queries: vec![query],
            source: Vec::new(),
            target: Vec::new(),
            target_contexts: Vec::new(),
        };
        for draft in drafts {
            let finer = draft.observed_finer.map(|i| &fields[i]);
            let mut context = draft.choice.observe(&fields[draft.observed], finer, rng)?;
            let mut target_context = None;
            if let Some((choice, finer)) = draft.target_choice {
                target_context =
                    Some(choice.observe(&fields[draft.target], finer.map(|i| &fields[i]), rng)?);
            }
            if let Some(map) = &map {
                move_context(map, &mut context)?;
                target_context.as_mut().map_or(Ok(()), |context| move_context(map, context))?;
            }
            batch.contexts.push(context);
            batch.target_contexts.extend(target_context);
            let at = |field: usize| at(&fields[field], &chosen, sign);
            batch.source.extend(at(draft.source));
            batch.target.extend(at(draft.target));
        }
        Ok(batch)
    }

    /// Adds the noise of step `step`, drawn from a stream of its own: without noise the contexts are the same.
    fn add_noise(&self, batch: &mut Batch, step: u64) {
        let level = self.options.context.noise;
        if level == 0.0 {
            return;
        }
        let mut rng = stream(self.seed, Purpose::Noise, step);
        let [sources, targets] =
            self.options.deviations.each_ref().map(|deviations| -> Vec<f64> {
                deviations.iter().map(|deviation| level * deviation).collect()
            });
        batch.contexts.iter_mut().for_each(|context| context.add_noise(&sources, &mut rng));
        batch.target_contexts.iter_mut().for_each(|context| context.add_noise(&targets, &mut rng));
    }

    /// The query points, and which points of the native grid they are.
    fn query(&self, rng: &mut ChaCha8Rng) -> Result<(Arc<Points>, Vec<usize>)> {
        let n = self.native.len();
        match self.options.query_points {
            Some(m) if m < n => {
                let mut chosen = index::sample(rng, n, m).into_vec();
                chosen.sort_unstable();
                let grid = self.data.layout().grid.as_ref().clone();
                Ok((Arc::new(Points::masked(grid, chosen.clone())?), chosen))
            }
            _ => Ok((self.native.clone(), (0..n).collect())),
        }
    }
}

impl BatchSource for Batches {
    fn make(&self, step: u64) -> Result<Prepared> {
        Batches::make(self, step)
    }
}

/// Transforms the points of a context along with its values.
fn move_context(map: &Isometry, context: &mut Context) -> Result<()> {
    let (points, order) = map.apply(&context.points)?;
    let channels = context.values.chunks_exact(order.len());
    context.values = channels
        .flat_map(|values| order.iter().map(|&i| map.sign() * values[i]).collect::<Vec<_>>())
        .collect();
    context.points = points;
    Ok(())
}

/// Values at some grid points, `[channel, point]`.
fn at(field: &Field, indices: &[usize], sign: f64) -> Vec<f64> {
    let channels = (0..field.n_channels()).map(|c| field.channel(c));
    channels.flat_map(|values| indices.iter().map(|&i| sign * values[i]).collect::<Vec<_>>()).collect()
}
