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
use std::ops::Range;
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

impl Prepared {
    /// Some of its examples.
    pub fn only(self, examples: Range<usize>) -> Self {
        let times = |all: Vec<(f64, f64)>| all[examples.clone()].to_vec();
        Self {
            unroll: self.unroll.into_iter().map(times).collect(),
            origins: self.origins[examples.clone()].to_vec(),
            batch: self.batch.only(examples),
        }
    }
}

/// What batches come from. Shared between threads.
pub trait BatchSource: Send + Sync {
    /// Some examples of the batch of step `step`, the same whatever was made before and whichever others are made.
    ///
    /// # Errors
    /// Data that cannot be read or solved, or a context that cannot be drawn.
    fn make(&self, step: u64, examples: Range<usize>) -> Result<Prepared>;
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
    /// The number of the example, counted from the first step.
    number: u64,
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

    /// The whole batch of step `step`.
    ///
    /// # Errors
    /// As [`BatchSource::make`].
    pub fn make(&self, step: u64) -> Result<Prepared> {
        self.some(step, 0..self.options.size)
    }

    /// As [`BatchSource::make`].
    fn some(&self, step: u64, examples: Range<usize>) -> Result<Prepared> {
        let options = &self.options;
        let layout = self.data.layout();
        let mut rng = stream(self.seed, Purpose::Batch, step);
        let steady = layout.is_steady();
        let n_unroll = if steady { 0 } else { options.pushforward.draw(self.n_frames(), &mut rng) };
        let (mut wanted, mut drafts) = (Vec::new(), Vec::with_capacity(examples.len()));
        let (mut origins, mut times) =
            (Vec::with_capacity(examples.len()), Vec::with_capacity(examples.len()));
        let mut unroll = vec![Vec::with_capacity(examples.len()); n_unroll];
        for i in 0..options.size {
            let number = step * options.size as u64 + i as u64;
            let frames = (!steady).then(|| self.frames(n_unroll, &mut rng));
            let choice = options.context.draw(&mut rng);
            let target_choice = options.observe_targets.then(|| options.context.draw(&mut rng));
            if !examples.contains(&i) {
                continue;
            }
            let pair = frames.map(|(_, s, t)| (layout.times[s], layout.times[t]));
            let states = frames.map_or([State::Source, State::Source, State::Target], |(first, s, t)| {
                for (k, pairs) in unroll.iter_mut().enumerate() {
                    pairs.push((layout.times[first + k], layout.times[first + k + 1]));
                }
                [State::History(first), State::History(s), State::Frame(t)]
            });
            let sample = self.sample(number);
            times.push(pair.unwrap_or((0.0, 0.0)));
            origins.push(ExampleOrigin { sample, times: pair });
            drafts.push(self.draft((number, sample), states, (choice, target_choice), &mut wanted));
        }
        let fields = self.data.fields(&wanted)?;
        let batch = self.assemble(drafts, &fields, times, &mut rng)?;
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
        (number, sample): (u64, usize),
        [observed, source, target]: [State; 3],
        (choice, target_choice): (ContextChoice, Option<ContextChoice>),
        wanted: &mut Vec<Wanted>,
    ) -> Draft {
        let layout = self.data.layout();
        let mut want = |state, finer| {
            wanted.push(Wanted { sample, state, finer });
            wanted.len() - 1
        };
        let finer = |choice: &ContextChoice| layout.finer.is_some() && choice.above(layout.grid.len());
        Draft {
            number,
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
            // A stream of its own: an example does not depend on which others are made.
            let mut rng = stream(self.seed, Purpose::Context, draft.number);
            let finer = draft.observed_finer.map(|i| &fields[i]);
            let mut context = draft.choice.observe(&fields[draft.observed], finer, &mut rng)?;
            let mut target_context = None;
            if let Some((choice, finer)) = draft.target_choice {
                target_context =
                    Some(choice.observe(&fields[draft.target], finer.map(|i| &fields[i]), &mut rng)?);
            }
            if let Some(map) = &map {
                context = context.moved(map)?;
                target_context = target_context.map(|context| context.moved(map)).transpose()?;
            }
            self.add_noise(&mut context, target_context.as_mut(), draft.number);
            batch.contexts.push(context);
            batch.target_contexts.extend(target_context);
            let at = |field: usize| at(&fields[field], &chosen, sign);
            batch.source.extend(at(draft.source));
            batch.target.extend(at(draft.target));
        }
        Ok(batch)
    }

    /// Adds the noise of an example, drawn from a stream of its own: without noise the contexts are the same.
    fn add_noise(&self, context: &mut Context, target: Option<&mut Context>, number: u64) {
        let level = self.options.context.noise;
        if level == 0.0 {
            return;
        }
        let mut rng = stream(self.seed, Purpose::Noise, number);
        let [of_source, of_target] = self
            .options
            .deviations
            .each_ref()
            .map(|each| each.iter().map(|deviation| level * deviation).collect::<Vec<f64>>());
        context.add_noise(&of_source, &mut rng);
        if let Some(target) = target {
            target.add_noise(&of_target, &mut rng);
        }
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
    fn make(&self, step: u64, examples: Range<usize>) -> Result<Prepared> {
        self.some(step, examples)
    }
}

/// Values at some grid points, `[channel, point]`.
fn at(field: &Field, indices: &[usize], sign: f64) -> Vec<f64> {
    let channels = (0..field.n_channels()).map(|c| field.channel(c));
    channels.flat_map(|values| indices.iter().map(|&i| sign * values[i]).collect::<Vec<_>>()).collect()
}
