//! Errors on held-out samples: direct predictions at native resolution, in physical units.

use crate::data::context::{ContextChoice, DesignKind};
use crate::data::stream::{Purpose, stream};
use crate::data::{Data, State, Wanted};
use crate::error::{Error, Result};
use crate::experiment::training::ValidationConfig;
use crate::model::{BestWay, Forecast, Model, PIECE, Way};
use crate::operator::Reach;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::metric::relative_l2::relative_l2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One number to measure.
struct Case {
    name: String,
    /// Native steps ahead; `None` for a steady problem.
    lead: Option<usize>,
    choice: ContextChoice,
}

/// What is measured of a model while it is trained.
pub trait Measure: Send + Sync {
    /// Errors by name.
    ///
    /// # Errors
    /// Data that cannot be read, or contexts the model cannot take.
    fn measure(&self, model: &Model) -> Result<BTreeMap<String, f64>>;

    /// Errors of the ways to later times by name, and the best of them; none where there is only one.
    ///
    /// # Errors
    /// As [`Measure::measure`].
    fn ways(&self, _model: &Model) -> Result<(BTreeMap<String, f64>, Vec<BestWay>)> {
        Ok((BTreeMap::new(), Vec::new()))
    }
}

/// What is measured: the same samples, times and contexts every time.
pub struct Validation {
    data: Arc<Data>,
    samples: Vec<usize>,
    cases: Vec<Case>,
    seed: u64,
    batch: usize,
    query: Arc<Points>,
}

impl Measure for Validation {
    /// Relative L2 of each example, then the mean, by name: `relative_l2_lead_1` from the full context,
    /// `relative_l2_lead_1_sparse` from the sparse one; without `lead` for a steady problem. What models of
    /// this kind cannot do has no number: longer leads if they step, contexts they do not support.
    ///
    /// # Errors
    /// Data that cannot be read or solved, or a context the model should take but cannot.
    fn measure(&self, model: &Model) -> Result<BTreeMap<String, f64>> {
        let mut errors = BTreeMap::new();
        let direct = model.operator().reach() == Reach::Direct;
        let within = |case: &&Case| direct || case.lead.is_none_or(|lead| lead == 1);
        for case in self.cases.iter().filter(within) {
            let batches = self.samples.chunks(self.batch);
            let sum: Result<f64> = batches.map(|samples| self.measure_batch(case, samples, model)).sum();
            match sum {
                Err(Error::Unsupported { .. }) => continue,
                sum if !self.samples.is_empty() => {
                    errors.insert(case.name.clone(), sum? / self.samples.len() as f64);
                }
                _ => {}
            }
        }
        Ok(errors)
    }

    /// For each lead beyond one step of the model: the errors of all ways from the full context, by name
    /// (`relative_l2_lead_16_rollout`), and the best of them.
    ///
    /// # Errors
    /// As [`Validation::measure`].
    fn ways(&self, model: &Model) -> Result<(BTreeMap<String, f64>, Vec<BestWay>)> {
        let (mut errors, mut best) = (BTreeMap::new(), Vec::new());
        if model.operator().reach() == Reach::Step {
            return Ok((errors, best));
        }
        for case in self.cases.iter().filter(|case| case.choice == ContextChoice::FULL) {
            let Some(lead) =
                case.lead.filter(|&lead| lead as f64 > model.card().model.max_step().unwrap_or(1.0))
            else {
                continue;
            };
            let mut found = Vec::new();
            for way in Way::ALL {
                let each = self.samples.iter().map(|&sample| self.measure_way(lead, way, sample, model));
                let error = each.sum::<Result<f64>>()? / self.samples.len().max(1) as f64;
                errors.insert(format!("{}_{}", case.name, way.name()), error);
                found.push((error, way));
            }
            let least = found.into_iter().filter(|(e, _)| e.is_finite()).min_by(|a, b| a.0.total_cmp(&b.0));
            best.extend(least.map(|(_, way)| BestWay { lead: lead as f64, way }));
        }
        Ok((errors, best))
    }
}

impl Validation {
    /// Chooses what to measure, with a message if the choice is unexpected.
    pub fn new(
        data: Arc<Data>,
        config: &ValidationConfig,
        batch: usize,
        seed: u64,
    ) -> (Self, Option<String>) {
        let split = data.split();
        let (held_out, note) = match (split.validation.is_empty(), split.test.is_empty()) {
            (false, _) => (&split.validation, None),
            (true, false) => (
                &split.test,
                Some("no samples to validate on: validation errors are of test samples".to_string()),
            ),
            (true, true) => (
                &split.train,
                Some("no samples held out: validation errors are of training samples".to_string()),
            ),
        };
        let n = config.samples.min(held_out.len());
        let samples: Vec<usize> = (0..n).map(|i| held_out[i * held_out.len() / n.max(1)]).collect();
        let leads: Vec<Option<usize>> = if data.layout().is_steady() {
            vec![None]
        } else {
            let most = data.layout().times.len() - data.history();
            config.leads.iter().copied().filter(|&k| k <= most).map(Some).collect()
        };
        let sparse = ContextChoice { design: DesignKind::Random, fraction: config.sparse_fraction };
        let contexts = [("", ContextChoice::FULL), ("_sparse", sparse)];
        let contexts = &contexts[..if config.sparse_fraction > 0.0 { 2 } else { 1 }];
        let cases = leads
            .into_iter()
            .flat_map(|lead| {
                contexts.iter().map(move |&(suffix, choice)| {
                    let steps = lead.map_or(String::new(), |k| format!("_lead_{k}"));
                    Case { name: format!("relative_l2{steps}{suffix}"), lead, choice }
                })
            })
            .collect();
        let query = Arc::new(Points::grid(data.layout().grid.as_ref().clone()));
        let batch = batch.min(PIECE / query.len()).max(1);
        (Self { samples, cases, seed, batch, query, data }, note)
    }

    fn measure_way(&self, lead: usize, way: Way, sample: usize, model: &Model) -> Result<f64> {
        let times = &self.data.layout().times;
        let s = self.start(sample, lead);
        let states = [State::History(s), State::Frame(s + lead)];
        let fields = self.data.fields(&states.map(|state| Wanted { sample, state, finer: false }))?;
        let context = ContextChoice::FULL.observe(&fields[0], None, &mut self.stream(sample))?;
        let forecast = Forecast { context: &context, s: times[s], times: &[times[s + lead]] };
        let predicted = model.predict_by(way, &forecast, &self.query)?;
        Ok(relative_l2(&predicted.values, fields[1].values())?)
    }

    /// The start frame of a sample for a lead.
    fn start(&self, sample: usize, lead: usize) -> usize {
        let mut rng = stream(self.seed, Purpose::Validation, 2 * sample as u64);
        rng.random_range(self.data.history() - 1..self.data.layout().times.len() - lead)
    }

    /// The random numbers of a sample's context.
    fn stream(&self, sample: usize) -> ChaCha8Rng {
        stream(self.seed, Purpose::Validation, 2 * sample as u64 + 1)
    }

    fn measure_batch(&self, case: &Case, samples: &[usize], model: &Model) -> Result<f64> {
        let layout = self.data.layout();
        let mut wanted = Vec::with_capacity(2 * samples.len());
        let mut times = Vec::with_capacity(samples.len());
        for &sample in samples {
            let (from, to) = match case.lead {
                None => {
                    times.push((0.0, 0.0));
                    (State::Source, State::Target)
                }
                Some(lead) => {
                    let s = self.start(sample, lead);
                    times.push((layout.times[s], layout.times[s + lead]));
                    (State::History(s), State::Frame(s + lead))
                }
            };
            wanted.extend([from, to].map(|state| Wanted { sample, state, finer: false }));
        }
        let fields = self.data.fields(&wanted)?;
        let mut contexts: Vec<Context> = Vec::with_capacity(samples.len());
        for (&sample, pair) in samples.iter().zip(fields.chunks_exact(2)) {
            contexts.push(case.choice.observe(&pair[0], None, &mut self.stream(sample))?);
        }
        let predicted = model.apply(&contexts, &times, std::slice::from_ref(&self.query))?;
        let each = layout.target_channels.len() * self.query.len();
        let pairs = predicted.chunks_exact(each).zip(fields.chunks_exact(2));
        pairs.map(|(predicted, pair)| Ok(relative_l2(predicted, pair[1].values())?)).sum()
    }
}
