//! Runs an evaluation: every case on the same samples, starts and random contexts, whatever the model.

use super::config::{EvaluationConfig, Protocol};
use super::coverage::{coverage, n_cases};
use super::evaluation::{
    ContextResult, DataInfo, Evaluation, ModelInfo, NoiseResult, ResolutionResult, SCHEMA,
};
use super::examples::{Example, predict_all};
use super::gallery::{About, Gallery, fields};
use super::horizon::horizon;
use super::level::{Level, Levels, ResolutionOrigin};
use super::outcome::{Outcome, Tally};
use super::scores::Scores;
use super::worst::Worst;
use crate::data::State;
use crate::data::context::ContextChoice;
use crate::error::{Error, Result};
use crate::model::{Model, Way};
use lto_numerics::dataset::{Context, Mask};
use lto_numerics::pde::sample_rng;
use lto_numerics::ranks::{Alone, Ranks, dealt};
use lto_numerics::{Field, Points};
use rand::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// Samples whose fields are in memory at the same time.
pub(super) const CHUNK: usize = 8;

/// Gets `(done, total)` parts; returns whether to continue.
pub type Progress<'a> = dyn FnMut(usize, usize) -> bool + 'a;

/// Evaluates a model.
///
/// # Errors
/// A protocol that the data do not allow, data that cannot be read, a model for another problem, or times that it was not
/// trained on ([`Model::check_times`]); [`Error::Interrupted`] if `progress` says so. What models of this
/// kind cannot do is an outcome, not an error.
pub fn evaluate(
    model: &Model,
    info: ModelInfo,
    levels: &Levels,
    config: &EvaluationConfig,
    progress: &mut Progress,
) -> Result<Evaluation> {
    evaluate_together(model, info, levels, config, &Alone, progress)
}

/// As [`evaluate`]; several processes share the samples, and have the same result.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_together(
    model: &Model,
    info: ModelInfo,
    levels: &Levels,
    config: &EvaluationConfig,
    ranks: &dyn Ranks,
    progress: &mut Progress,
) -> Result<Evaluation> {
    let clock = Instant::now();
    let mut runner = Runner::new(model, levels, config, ranks, progress)?;
    let native = levels.at(None)?;
    let mut gallery = Gallery::default();
    let full =
        Case { context: native.clone(), query: native.clone(), choice: ContextChoice::FULL, noise: 0.0 };
    let measured = !config.bands_only;
    let one_step = match measured {
        true => runner.measure(&full, Some(&mut gallery))?.0,
        false => Outcome::Unsupported("only bands were measured".into()),
    };
    let mut resolutions = Vec::new();
    for (context, query) in runner.resolution_pairs().into_iter().filter(|_| measured) {
        let (context, query) = levels.pair(context, query)?;
        let outcome = if context.grid == native.grid && query.grid == native.grid {
            one_step.clone()
        } else {
            runner.measure(&Case { context: context.clone(), query: query.clone(), ..full.clone() }, None)?.0
        };
        resolutions.push(ResolutionResult {
            context: context.grid.shape(),
            context_origin: context.origin,
            query: query.grid.shape(),
            query_origin: query.origin,
            outcome,
        });
    }
    let mut contexts = Vec::new();
    for &design in config.designs.iter().filter(|_| measured) {
        for &fraction in &config.fractions {
            let choice = ContextChoice { design, fraction };
            let origin = if choice.above(native.grid.len()) {
                ResolutionOrigin::Resampled
            } else {
                ResolutionOrigin::Native
            };
            let (outcome, n_points) = runner.measure(&Case { choice, ..full.clone() }, None)?;
            contexts.push(ContextResult { design, fraction, n_points, origin, outcome });
        }
    }
    let mut noise = Vec::new();
    for &level in config.noise.iter().filter(|_| measured) {
        let outcome = runner.measure(&Case { noise: level, ..full.clone() }, None)?.0;
        noise.push(NoiseResult { level, outcome });
    }
    let horizon = if measured { horizon(&mut runner, native, &mut gallery)? } else { None };
    let (before, samples) = (runner.done, runner.protocol.samples.clone());
    let coverage = {
        let mut progress = |done: usize, _: usize| runner.advance(before + done - runner.done).is_ok();
        coverage(model, levels.data(), &samples, config, ranks, &mut progress)?
    };
    let layout = levels.data().layout();
    let Protocol { samples, starts, .. } = runner.protocol;
    Ok(Evaluation {
        schema: SCHEMA,
        model: info,
        data: DataInfo {
            description: layout.description.clone(),
            native: layout.grid.shape(),
            channels: layout.target_channels.clone(),
            samples,
            starts: if layout.is_steady() { Vec::new() } else { starts },
            interval: layout.native_interval(),
        },
        config: config.clone(),
        command: String::new(),
        one_step,
        resolutions,
        contexts,
        noise,
        horizon,
        coverage,
        spectra: gallery.spectra(),
        examples: gallery.examples,
        seconds: clock.elapsed().as_secs_f64(),
        peak_mb: None,
    })
}

/// Context and query resolutions, and how the context is observed.
#[derive(Clone)]
pub(super) struct Case {
    context: Level,
    query: Level,
    choice: ContextChoice,
    noise: f64,
}

/// What some samples add to a case.
#[derive(Default, Serialize, Deserialize)]
struct Piece {
    tally: Tally,
    gallery: Gallery,
    worst: Worst,
    /// Observed points of all examples.
    points: usize,
    /// Examples.
    count: usize,
}

impl Piece {
    /// Adds what the samples after these add.
    fn merge(&mut self, other: Piece) {
        self.tally.merge(other.tally);
        self.gallery.merge(other.gallery);
        self.worst.merge(other.worst);
        self.points += other.points;
        self.count += other.count;
    }
}

/// What all cases share.
pub(super) struct Runner<'a> {
    pub model: &'a Model,
    pub levels: &'a Levels,
    pub config: &'a EvaluationConfig,
    pub protocol: Protocol,
    /// Frames of a source.
    pub history: usize,
    /// Outside it nothing is compared.
    mask: Option<Mask>,
    ranks: &'a dyn Ranks,
    progress: &'a mut Progress<'a>,
    done: usize,
    total: usize,
}

impl<'a> Runner<'a> {
    fn new(
        model: &'a Model,
        levels: &'a Levels,
        config: &'a EvaluationConfig,
        ranks: &'a dyn Ranks,
        progress: &'a mut Progress,
    ) -> Result<Self> {
        let problem = &model.card().problem;
        let data = levels.data();
        problem.check_domain("data", data.layout().grid.domain())?;
        let history = problem.history();
        let protocol = config.protocol(data, history)?;
        let mask = config.mask.as_deref().map(|written| Mask::over(written, &problem.domain)).transpose()?;
        let times = &data.layout().times;
        let ahead = protocol.horizon.map_or(0..0, |(start, n_steps)| start..start + n_steps + 1);
        let frames = protocol.starts.iter().flat_map(|start| [*start, start + config.lead]).chain(ahead);
        model.check_times(&frames.filter_map(|frame| times.get(frame).copied()).collect::<Vec<_>>())?;
        let cases = config.all_resolutions().len() + config.designs.len() * config.fractions.len();
        let long = if protocol.horizon.is_some() { Way::ALL.len() } else { 0 };
        let bands = model.card().calibration.as_ref().map_or(0, |_| n_cases(config));
        let others = if config.bands_only { 0 } else { 1 + cases + config.noise.len() + long };
        let total = (others + bands) * protocol.samples.len();
        Ok(Self { model, levels, config, protocol, history, mask, ranks, progress, done: 0, total })
    }

    /// Resolutions of context and query; `None` is native.
    fn resolution_pairs(&self) -> Vec<(Option<usize>, Option<usize>)> {
        let config = self.config;
        let both = config.resolutions.iter().map(|&r| (Some(r), Some(r)));
        let contexts = config.context_resolutions.iter().map(|&r| (Some(r), None));
        both.chain(contexts).chain(config.query_resolutions.iter().map(|&r| (None, Some(r)))).collect()
    }

    /// Reports samples as done.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn advance(&mut self, samples: usize) -> Result<()> {
        self.done += samples;
        if (self.progress)(self.done, self.total) { Ok(()) } else { Err(Error::Interrupted) }
    }

    /// Refuses frames too early for a source of the model.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub fn check_starts(&self, starts: &[usize]) -> Result<()> {
        let card = self.model.card();
        match starts.iter().find(|start| **start + 1 < self.history) {
            Some(start) if card.problem.times.is_some() => {
                let reason =
                    format!("it takes {} frames, from frame {start} there are {}", self.history, start + 1);
                Err(Error::Unsupported { model: card.model.name(), reason })
            }
            _ => Ok(()),
        }
    }

    /// The errors of a case, and the mean number of observed points.
    fn measure(&mut self, case: &Case, gallery: Option<&mut Gallery>) -> Result<(Outcome, f64)> {
        let query = Arc::new(Points::grid(case.query.grid.as_ref().clone()));
        let samples = self.protocol.samples.clone();
        if let Err(refused) = self.check_starts(&self.protocol.starts) {
            self.advance(samples.len())?;
            return Ok((Outcome::of(Err(refused))?, 0.0));
        }
        let steps = if self.levels.data().layout().is_steady() { 0 } else { self.config.lead };
        let channels = &self.model.card().channel_names;
        let about = About { channels, steps, rollout: false, worst: false };
        let pieces = self.chunks(|runner, number, chunk| {
            let examples = runner.examples(case, chunk)?;
            let mut piece = Piece {
                points: examples.iter().map(|e| e.context.points.len()).sum(),
                count: examples.len(),
                ..Piece::default()
            };
            let mut judged = |i: usize, j: usize, values: &[f64], scores: Scores| {
                if gallery.is_some() {
                    piece.gallery.add_spectra(&examples[i].targets[j].1, values);
                    if (number, i) == (0, 0) {
                        piece.gallery.examples.extend(fields(&examples[i], j, values, &about));
                    }
                    piece.worst.add(examples[i].sample, scores.errors.relative_l2, || {
                        fields(&examples[i], j, values, &About { worst: true, ..about })
                    });
                }
                piece.tally.add(examples[i].sample, scores);
            };
            let seconds = predict_all(runner.model, &examples, &query, None, &mut judged)?;
            piece.tally.seconds = seconds;
            Ok(piece)
        });
        let mut whole = Piece::default();
        match pieces {
            Ok(pieces) => pieces.into_iter().for_each(|piece| whole.merge(piece)),
            Err(refused @ Error::Unsupported { .. }) => return Ok((Outcome::of(Err(refused))?, 0.0)),
            Err(other) => return Err(other),
        }
        if let Some(gallery) = gallery {
            gallery.merge(whole.gallery);
            gallery.examples.extend(whole.worst.fields());
        }
        Ok((Outcome::of(whole.tally.measures())?, whole.points as f64 / whole.count.max(1) as f64))
    }

    /// Results of the samples, in chunks of [`CHUNK`] that are dealt out to the processes; `work` gets the number of a chunk
    /// and its samples.
    ///
    /// # Errors
    /// Those of `work`. [`Error::Unsupported`] of any chunk is that of all, on all processes.
    pub fn chunks<T: Serialize + DeserializeOwned>(
        &mut self,
        mut work: impl FnMut(&Self, usize, &[usize]) -> Result<T>,
    ) -> Result<Vec<T>> {
        let (ranks, samples) = (self.ranks, self.protocol.samples.clone());
        let (before, mut refused) = (self.done, None);
        let chunks: Vec<&[usize]> = samples.chunks(CHUNK).collect();
        let pieces = dealt(ranks, chunks.len(), |number| -> Result<_> {
            // What was refused once is refused again.
            if refused.is_none() {
                match work(self, number, chunks[number]) {
                    Ok(piece) => {
                        let left = before + samples.len() - self.done;
                        self.advance((chunks[number].len() * ranks.size()).min(left))?;
                        return Ok(Ok(piece));
                    }
                    Err(Error::Unsupported { reason, .. }) => refused = Some(reason),
                    Err(other) => return Err(other),
                }
            }
            Ok(Err(refused.clone().unwrap_or_default()))
        })?;
        self.advance(before + samples.len() - self.done)?;
        let unsupported = |reason| Error::Unsupported { model: self.model.card().model.name(), reason };
        pieces.into_iter().map(|piece| piece.map_err(unsupported)).collect()
    }

    /// All starts of some samples.
    fn examples(&self, case: &Case, samples: &[usize]) -> Result<Vec<Example>> {
        let layout = self.levels.data().layout();
        let starts = &self.protocol.starts;
        let pairs: Vec<(usize, usize)> =
            samples.iter().flat_map(|&sample| starts.iter().map(move |&start| (sample, start))).collect();
        let (targets, times): (Vec<_>, Vec<_>) = pairs
            .iter()
            .map(|&(sample, start)| match layout.is_steady() {
                true => ((sample, State::Target), (0.0, 0.0)),
                false => {
                    let target = start + self.config.lead;
                    ((sample, State::Frame(target)), (layout.times[start], layout.times[target]))
                }
            })
            .unzip();
        let sources = self.sources(&case.context, &pairs)?;
        let targets = self.truths(&case.query, &targets)?;
        let mut examples = Vec::with_capacity(pairs.len());
        let mut rng = sample_rng(self.config.seed, 0);
        let mut last = None;
        for (((&(sample, _), source), target), (s, t)) in pairs.iter().zip(sources).zip(targets).zip(times) {
            if last.replace(sample) != Some(sample) {
                // The same points, independent of the other samples.
                rng = sample_rng(self.config.seed, sample as u64);
            }
            let mut context = case.choice.observe(&source, None, &mut rng)?;
            add_noise(&mut context, &source, case.noise, &mut rng);
            examples.push(Example { sample, context, s, targets: vec![(t, target)] });
        }
        Ok(examples)
    }

    /// What predictions are compared with: states of a level, NaN outside the mask.
    ///
    /// # Errors
    /// Data that cannot be read, or a mask that hides every point.
    pub fn truths(&self, level: &Level, wanted: &[(usize, State)]) -> Result<Vec<Field>> {
        let fields = level.fields(wanted)?;
        let Some(mask) = &self.mask else { return Ok(fields) };
        let points = Points::grid(level.grid.as_ref().clone());
        let restrict = |field: Field| {
            let (grid, channels, mut values) =
                (field.grid().clone(), field.n_channels(), field.into_values());
            mask.restrict(&points, &mut values)?;
            Ok(Field::new(grid, channels, values)?)
        };
        fields.into_iter().map(restrict).collect()
    }

    /// Source states at pairs of sample and frame: as many frames as the model takes, oldest first, as channels.
    pub fn sources(&self, level: &Level, pairs: &[(usize, usize)]) -> Result<Vec<Field>> {
        let steady = self.levels.data().layout().is_steady();
        let wanted: Vec<(usize, State)> = pairs
            .iter()
            .flat_map(|&(sample, start)| {
                (0..self.history).map(move |age| match steady {
                    true => (sample, State::Source),
                    false => (sample, State::Frame(start + 1 + age - self.history)),
                })
            })
            .collect();
        let fields = level.fields(&wanted)?;
        if self.history == 1 {
            return Ok(fields);
        }
        let together = |frames: &[Field]| {
            let channels = frames.iter().map(Field::n_channels).sum();
            let values = frames.iter().flat_map(Field::values).copied().collect();
            Ok(Field::new(level.grid.clone(), channels, values)?)
        };
        fields.chunks_exact(self.history).map(together).collect()
    }
}

/// Adds Gaussian noise with `level` times the field's standard deviation, channel by channel.
pub(super) fn add_noise(context: &mut Context, field: &Field, level: f64, rng: &mut impl Rng) {
    if level == 0.0 {
        return;
    }
    let deviation = |c: usize| {
        let truth = field.channel(c);
        let mean = truth.iter().sum::<f64>() / truth.len() as f64;
        let variance = truth.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / truth.len() as f64;
        level * variance.sqrt()
    };
    let deviations: Vec<f64> = (0..field.n_channels()).map(deviation).collect();
    context.add_noise(&deviations, rng);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::config::DataConfig;
    use crate::model::ModelConfig;
    use lto_numerics::dataset::write::NpzArchive;

    /// Persistence inside a mask: the change of the true state there, by hand, in one step and over the horizon; bands of waves
    /// are not known, and pictures end with the mask.
    #[test]
    fn a_mask_restricts_scores_and_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("half.npz");
        let mut archive = NpzArchive::create(&file).unwrap();
        archive.numbers("x", &[2], &[0.2, 0.7]).unwrap();
        archive.numbers("y", &[3], &[0.1, 0.5, 0.9]).unwrap();
        archive.numbers("inside", &[2, 3], &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
        archive.finish().unwrap();
        let text = "generate = { pde = 'heat', resolution = 8, n_frames = 3 }\nsamples = 3\n\
                    split = { counts = { train = 1, validation = 0, test = 2 } }";
        let data: DataConfig = toml::from_str(text).unwrap();
        let levels = Levels::open(&data, &[]).unwrap();
        let model =
            levels.data().untrained(toml::from_str::<ModelConfig>("kind = 'persistence'").unwrap()).unwrap();
        let config = |mask: Option<&str>| EvaluationConfig {
            starts: Some(vec![0]),
            noise: vec![],
            fractions: vec![],
            horizon: Some(2),
            mask: mask.map(Into::into),
            ..EvaluationConfig::default()
        };
        let info = ModelInfo {
            run: String::new(),
            kind: String::new(),
            parameters: 0,
            steps: 0,
            train_seconds: None,
            seed: None,
            train_command: None,
        };
        let run = |mask| evaluate(&model, info.clone(), &levels, &config(mask), &mut |_, _| true);
        let masked = run(Some(file.to_str().unwrap())).unwrap();
        let native = levels.at(None).unwrap();
        let inside = |i: usize| native.grid.coordinates(0)[i / 8] > 0.45;
        let change = |sample: usize, k: usize| {
            let of = |frame| native.fields(&[(sample, State::Frame(frame))]).unwrap().remove(0).into_values();
            let (before, after) = (of(0), of(k));
            let squares: Vec<f64> =
                (0..64).filter(|&i| inside(i)).map(|i| (after[i] - before[i]).powi(2)).collect();
            (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
        };
        let rmse = |outcome: &Outcome| outcome.measures().unwrap().errors.rmse.errors.clone();
        for (k, found) in
            [(1, rmse(&masked.one_step)), (2, rmse(&masked.horizon.as_ref().unwrap().steps[1].rollout))]
        {
            for (sample, found) in [1, 2].into_iter().zip(found) {
                assert!((found - change(sample, k)).abs() < 1e-6, "{found} {}", change(sample, k));
            }
        }
        assert!(masked.one_step.measures().unwrap().bands.is_none());
        let shown = &masked.examples[0];
        for i in 0..64 {
            assert_eq!([shown.truth[i].is_finite(), shown.prediction[i].is_finite()], [inside(i); 2], "{i}");
        }
        assert_ne!(rmse(&run(None).unwrap().one_step), rmse(&masked.one_step));
        let json = crate::evaluate::evaluation::to_json(&[masked]).unwrap();
        let again: Vec<Evaluation> = serde_json::from_str(&json).unwrap();
        assert!(again[0].config.mask.as_ref().unwrap().ends_with("half.npz"));
    }
}
