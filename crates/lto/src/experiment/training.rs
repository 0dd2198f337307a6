//! How to train: the `[train]` of a configuration file.

use crate::cpu_time;
use crate::data::context::ContextConfig;
use crate::data::pairs::{Pairs, PushforwardConfig};
use crate::error::{Error, Result};
use crate::loss::{LossKind, ObjectiveConfig};
use crate::operator::Reach;
use crate::optim::schedule::ScheduleConfig;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How to train. The optimizer's defaults are the published ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// A trained model of the same configuration, or its run, whose weights and normalization training begins from.
    pub start_from: Option<PathBuf>,
    /// Examples in a batch.
    pub batch: usize,
    /// Number of optimizer steps.
    pub steps: Option<u64>,
    /// Instead of steps: how often every training sample is seen, each time with one pair (s, t).
    pub epochs: Option<f64>,
    /// Minutes after which training stops, unless the steps end first; the schedule follows whichever is
    /// nearer its end. Such a run depends on the machine's speed: it resumes, but not bit for bit.
    pub minutes: Option<f64>,
    /// The same in minutes of processor time, over all threads: a budget that does not depend on what else
    /// the machine does.
    pub cpu_minutes: Option<f64>,
    /// The largest learning rate.
    pub learning_rate: f64,
    /// AdamW's decoupled weight decay.
    pub weight_decay: f64,
    /// Decay of AdamW's two running means.
    pub betas: [f64; 2],
    /// The learning rate over the course of training.
    pub schedule: ScheduleConfig,
    /// Gradients with a larger norm (over all parameters) are scaled down to it; 0 for no clipping.
    pub gradient_clip: f64,
    /// Decay of the running mean of the weights, which is validated and saved; 0 uses the weights themselves.
    pub ema_decay: f64,
    /// Which source and target frames are paired; by default all, or consecutive ones for a model that goes
    /// one native step at a time.
    pub pairs: Option<Pairs>,
    /// What is observed of a source state.
    pub context: ContextConfig,
    /// Whether examples are transformed by the symmetries of the data (`data.symmetries`).
    pub symmetries: bool,
    /// Whether predictions of the trained model are means over these symmetries; shifts left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub symmetrize: bool,
    /// Number of random points of the native grid to compare at; all if not given.
    pub query_points: Option<usize>,
    /// Training on the model's own errors.
    pub pushforward: PushforwardConfig,
    /// The terms of the objective.
    pub objective: ObjectiveConfig,
    /// What is measured along the way.
    pub validation: ValidationConfig,
    /// Steps between checkpoints.
    pub checkpoint_every: u64,
    /// Steps between lines of the metrics.
    pub log_every: u64,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            start_from: None,
            batch: 4,
            steps: None,
            epochs: None,
            minutes: None,
            cpu_minutes: None,
            learning_rate: 1e-3,
            weight_decay: 5e-5,
            betas: [0.9, 0.99],
            schedule: ScheduleConfig::default(),
            gradient_clip: 1.0,
            ema_decay: 0.0,
            pairs: None,
            context: ContextConfig::default(),
            symmetries: false,
            symmetrize: false,
            query_points: None,
            pushforward: PushforwardConfig::default(),
            objective: ObjectiveConfig::default(),
            validation: ValidationConfig::default(),
            checkpoint_every: 500,
            log_every: 10,
        }
    }
}

/// Relative L2 errors on held-out samples, in physical units: of each example, then the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValidationConfig {
    /// Steps between measurements; 0 measures only at the end.
    pub every: u64,
    /// The most samples to use, of those held out for validation, else for tests.
    pub samples: usize,
    /// Leads to predict directly, in native steps; those longer than the data are left out.
    pub leads: Vec<usize>,
    /// `context_fraction` of the random context measured beside the full one; 0 leaves it out.
    pub sparse_fraction: f64,
}

impl Default for ValidationConfig {
    fn default() -> Self {
        Self { every: 500, samples: 16, leads: vec![1, 4, 16], sparse_fraction: 0.1 }
    }
}

impl TrainConfig {
    /// Checks everything that needs no data.
    ///
    /// # Errors
    /// [`Error::Config`], naming the first value that makes no sense.
    pub fn validate(&self) -> Result<()> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let share = |x: f64| (0.0..1.0).contains(&x);
        let timed = self.minutes.or(self.cpu_minutes).is_some();
        let ends = [self.steps.is_some(), self.epochs.is_some(), timed];
        let at_least_1 = "must be at least 1";
        let on_grid = [self.objective.evolution_loss, self.objective.reconstruction_loss];
        let checks: [(&str, String, bool, &str); 19] = [
            ("batch", self.batch.to_string(), self.batch > 0, at_least_1),
            ("steps", "nothing".into(), ends.contains(&true), "give steps, epochs, minutes or cpu_minutes"),
            (
                "epochs",
                format!("{:?} beside steps", self.epochs),
                !(ends[0] && ends[1]),
                "give either steps or epochs",
            ),
            ("steps", "0".into(), self.steps != Some(0), at_least_1),
            ("epochs", format!("{:?}", self.epochs), self.epochs.is_none_or(positive), "must be positive"),
            ("minutes", format!("{:?}", self.minutes), self.minutes.is_none_or(positive), "must be positive"),
            (
                "cpu_minutes",
                format!("{:?}", self.cpu_minutes),
                self.cpu_minutes.is_none_or(|m| positive(m) && cpu_time::seconds().is_some()),
                "must be positive, on a system that counts processor time",
            ),
            (
                "learning_rate",
                self.learning_rate.to_string(),
                positive(self.learning_rate),
                "must be positive",
            ),
            (
                "weight_decay",
                self.weight_decay.to_string(),
                self.weight_decay >= 0.0 && self.weight_decay.is_finite(),
                "must not be negative",
            ),
            ("betas", format!("{:?}", self.betas), self.betas.into_iter().all(share), "both in [0, 1)"),
            (
                "gradient_clip",
                self.gradient_clip.to_string(),
                self.gradient_clip == 0.0 || positive(self.gradient_clip),
                "must be positive, or 0 for none",
            ),
            ("ema_decay", self.ema_decay.to_string(), share(self.ema_decay), "must be in [0, 1)"),
            ("query_points", "0".into(), self.query_points != Some(0), at_least_1),
            (
                "query_points",
                format!("{:?}", self.query_points.unwrap_or_default()),
                self.query_points.is_none() || !on_grid.into_iter().any(LossKind::needs_grid),
                "must be left out with relative_h1, which compares neighbors on a whole grid",
            ),
            ("pairs.max_steps", "0".into(), self.pairs != Some(Pairs::MaxSteps(0)), at_least_1),
            (
                "pushforward.probability",
                self.pushforward.probability.to_string(),
                (0.0..=1.0).contains(&self.pushforward.probability),
                "must be in [0, 1]",
            ),
            ("pushforward.max_steps", "0".into(), self.pushforward.max_steps > 0, at_least_1),
            (
                "validation.sparse_fraction",
                self.validation.sparse_fraction.to_string(),
                (0.0..=1.0).contains(&self.validation.sparse_fraction),
                "must be in [0, 1]",
            ),
            (
                "checkpoint_every, log_every",
                format!("{}, {}", self.checkpoint_every, self.log_every),
                self.checkpoint_every > 0 && self.log_every > 0,
                at_least_1,
            ),
        ];
        if let Some((key, value, _, requirement)) = checks.into_iter().find(|(_, _, good, _)| !good) {
            return Err(Error::Config {
                key: format!("train.{key}"),
                value,
                requirement: requirement.into(),
            });
        }
        let weights = [self.objective.evolution_weight, self.objective.reconstruction_weight];
        if !(weights.iter().all(|w| *w >= 0.0 && w.is_finite()) && weights[0] > 0.0) {
            return Err(Error::Config {
                key: "train.objective".into(),
                value: format!("{weights:?}"),
                requirement:
                    "the weight of the evolution must be positive, that of the reconstruction not negative"
                        .into(),
            });
        }
        if self.objective.per_lead && !matches!(self.objective.evolution_loss, LossKind::Mse | LossKind::Crps)
        {
            return Err(Error::Config {
                key: "train.objective.per_lead".into(),
                value: "true".into(),
                requirement: "needs evolution_loss = \"mse\" or \"crps\": relative errors have no units"
                    .into(),
            });
        }
        self.schedule.validate()?;
        self.context.validate()
    }

    /// The pairs to train an operator of this reach on, which takes steps of at most `max_step` native
    /// intervals if there is such a limit.
    ///
    /// # Errors
    /// Pairs further apart, or nearer, than an operator goes.
    pub fn pairs_for(&self, reach: Reach, max_step: Option<f64>) -> Result<Pairs> {
        let most = max_step.map(|step| step as usize);
        match (self.pairs, reach) {
            (None, Reach::Direct) => Ok(most.map_or(Pairs::All, Pairs::MaxSteps)),
            (Some(pairs), Reach::Direct) if most.is_some_and(|most| pairs.longest() > most) => {
                Err(Error::Config {
                    key: "train.pairs".into(),
                    value: format!("{pairs:?}"),
                    requirement: format!(
                        "must not be further apart than model.max_step = {}; leave it out",
                        max_step.unwrap_or_default()
                    ),
                })
            }
            (None, Reach::Step) => Ok(Pairs::Consecutive),
            (Some(pairs), Reach::Direct) => Ok(pairs),
            (Some(pairs @ (Pairs::Consecutive | Pairs::MaxSteps(1))), Reach::Step) => Ok(pairs),
            (Some(pairs), Reach::Step) => Err(Error::Config {
                key: "train.pairs".into(),
                value: format!("{pairs:?}"),
                requirement:
                    "must be \"consecutive\", or left out: the model goes one native step at a time, and \
                              rolls out to later times"
                        .into(),
            }),
        }
    }

    /// Number of steps for `n_train` training samples; `u64::MAX` if only time ends the run.
    pub fn total_steps(&self, n_train: usize) -> u64 {
        match (self.steps, self.epochs) {
            (Some(steps), _) => steps,
            (None, Some(epochs)) => ((epochs * n_train as f64 / self.batch as f64).ceil() as u64).max(1),
            (None, None) => u64::MAX,
        }
    }
}
