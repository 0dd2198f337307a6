//! Errors on held-out samples: direct predictions at native resolution, in physical units.

use crate::data::context::{ContextChoice, DesignKind};
use crate::data::stream::{Purpose, stream};
use crate::data::{Data, State, Wanted};
use crate::error::{Error, Result};
use crate::experiment::training::ValidationConfig;
use crate::model::{Model, PIECE};
use crate::operator::Reach;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use lto_numerics::metric::relative_l2::relative_l2;
use rand::RngExt;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One number to measure.
struct Case {
    name: String,
    /// Native steps ahead; `None` for a steady problem.
    lead: Option<usize>,
    choice: ContextChoice,
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

    /// Relative L2 of each example, then the mean, by name: `relative_l2_lead_1` from the full context,
    /// `relative_l2_lead_1_sparse` from the sparse one; without `lead` for a steady problem. What models of
    /// this kind cannot do has no number: longer leads if they step, contexts they do not support.
    ///
    /// # Errors
    /// Data that cannot be read or solved, or a context the model should take but cannot.
    pub fn measure(&self, model: &Model) -> Result<BTreeMap<String, f64>> {
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
                    let mut rng = stream(self.seed, Purpose::Validation, 2 * sample as u64);
                    let s = rng.random_range(self.data.history() - 1..layout.times.len() - lead);
                    times.push((layout.times[s], layout.times[s + lead]));
                    (State::History(s), State::Frame(s + lead))
                }
            };
            wanted.extend([from, to].map(|state| Wanted { sample, state, finer: false }));
        }
        let fields = self.data.fields(&wanted)?;
        let mut contexts: Vec<Context> = Vec::with_capacity(samples.len());
        for (&sample, pair) in samples.iter().zip(fields.chunks_exact(2)) {
            let mut rng = stream(self.seed, Purpose::Validation, 2 * sample as u64 + 1);
            contexts.push(case.choice.observe(&pair[0], None, &mut rng)?);
        }
        let predicted = model.apply(&contexts, &times, std::slice::from_ref(&self.query))?;
        let each = layout.target_channels.len() * self.query.len();
        let pairs = predicted.chunks_exact(each).zip(fields.chunks_exact(2));
        pairs.map(|(predicted, pair)| Ok(relative_l2(predicted, pair[1].values())?)).sum()
    }
}
