//! What all requests share.

use crate::auth::Guard;
use crate::batch::Prediction;
use crate::error::{Error, Result};
use crate::limits::{Budget, Limits};
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::served::Served;
use crate::source::Source;
use crate::states::States;
use crate::wire::{Answer, FieldAnswer, Paid, PredictRequest};
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// Certificates and layouts that wait for one another.
const SLOW_WAITING: usize = 16;

/// How a service is set up.
#[derive(Clone, Default)]
pub struct Config {
    /// The models; without any, the twin of the heat equation that is part of the binary.
    pub models: Vec<Source>,
    /// How much it takes.
    pub limits: Limits,
    /// Who may ask.
    pub guard: Guard,
    /// Threads that compute; as many as there are processors if `None`.
    pub workers: Option<usize>,
}

/// Why a service cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A model that cannot be served.
    #[error("{name}: {source}")]
    Model {
        /// Which.
        name: String,
        /// Why not.
        source: lto::Error,
    },
    /// Two models of one name.
    #[error("two models are named {0}; name one otherwise: other={0}")]
    SameName(String),
    /// No threads.
    #[error("starting threads: {0}")]
    Threads(#[from] std::io::Error),
}

/// A service; clones are the same one.
#[derive(Clone)]
pub struct Service(Arc<Shared>);

struct Shared {
    models: BTreeMap<String, Arc<Served>>,
    limits: Limits,
    guard: Guard,
    budget: Budget,
    /// For predictions, which take milliseconds.
    quick: Pool<Prediction>,
    /// For certificates and layouts, which take seconds and must not keep predictions waiting.
    slow: Pool<Prediction>,
    states: States,
    metrics: Metrics,
    streams: Arc<Semaphore>,
    stopping: watch::Sender<bool>,
}

impl Service {
    /// Loads the models and starts the threads.
    ///
    /// # Errors
    /// A model that cannot be read, two of one name, or no threads.
    pub fn new(config: Config) -> Result<Self, SetupError> {
        let Config { models, limits, guard, workers } = config;
        let sources = if models.is_empty() { vec![Source::embedded()] } else { models };
        let mut models = BTreeMap::new();
        for source in sources {
            let name = source.name.clone();
            let served =
                Served::load(source).map_err(|source| SetupError::Model { name: name.clone(), source })?;
            if models.insert(name.clone(), Arc::new(served)).is_some() {
                return Err(SetupError::SameName(name));
            }
        }
        let workers = workers.or_else(|| std::thread::available_parallelism().ok().map(usize::from));
        Ok(Self(Arc::new(Shared {
            models,
            guard,
            budget: Budget::new(limits.memory_mb),
            quick: Pool::new("predict", workers.unwrap_or(1), limits.waiting as usize)?,
            slow: Pool::new("study", 1, SLOW_WAITING)?,
            states: States::new(&limits),
            metrics: Metrics::default(),
            streams: Arc::new(Semaphore::new((limits.streams as usize).min(Semaphore::MAX_PERMITS))),
            stopping: watch::Sender::new(false),
            limits,
        })))
    }

    /// The names of the models, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.models.keys().map(String::as_str)
    }

    /// The models, by name.
    pub(crate) fn models(&self) -> impl Iterator<Item = &Arc<Served>> {
        self.0.models.values()
    }

    /// A model by its name.
    ///
    /// # Errors
    /// There is none; the message says which there are.
    pub(crate) fn model(&self, name: &str) -> Result<Arc<Served>> {
        self.0.models.get(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            Error::missing("no_model", format!("there is no model {name:?}; there are: {}", names.join(", ")))
        })
    }

    /// How much it takes.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Who may ask.
    pub(crate) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// The memory of requests and answers.
    pub(crate) fn budget(&self) -> &Budget {
        &self.0.budget
    }

    /// The encoded states.
    pub(crate) fn states(&self) -> &States {
        &self.0.states
    }

    /// What is counted.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// The streams that may still begin.
    pub(crate) fn streams(&self) -> Arc<Semaphore> {
        self.0.streams.clone()
    }

    /// Work of milliseconds, off the threads that talk.
    ///
    /// # Errors
    /// As [`Pool::run`].
    pub(crate) async fn quick<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.0.quick.run(work).await
    }

    /// A prediction of a model, computed together with others that wait for it: `read` gives the request, and `write`
    /// makes an answer of the field and of what else was read, both off the threads that talk.
    ///
    /// # Errors
    /// As [`Pool::run`].
    pub(crate) async fn predict<K: Send + 'static, T: Send + 'static>(
        &self,
        served: Arc<Served>,
        read: impl FnOnce() -> Result<(PredictRequest, K)> + Send + 'static,
        write: impl FnOnce(FieldAnswer, K) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let limits = self.limits().clone();
        self.0.quick.join(|told| Prediction::new(served, limits, read, write, told)).await
    }

    /// Work of seconds, one after the other.
    ///
    /// # Errors
    /// As [`Pool::run`].
    pub(crate) async fn slow<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.0.slow.run(work).await
    }

    /// An answer as it is sent, paid from the budget until it is.
    ///
    /// # Errors
    /// Busy, if the budget does not have it.
    pub(crate) fn respond(&self, answer: Answer) -> Result<Response> {
        let Answer { content_type, shape, bytes } = answer;
        let share = self.budget().take(bytes.len() as u64)?;
        let mut response = Response::new(Body::new(Paid::new(bytes, share)));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        if let Some(shape) = shape.and_then(|shape| HeaderValue::from_str(&shape).ok()) {
            response.headers_mut().insert("x-shape", shape);
        }
        Ok(response)
    }

    /// What Prometheus reads.
    pub fn metrics_text(&self) -> String {
        let (states, bytes) = self.states().size();
        self.metrics().text(&[
            ("lto_waiting", "Predictions that wait for a processor.", self.0.quick.waiting()),
            ("lto_studies_waiting", "Certificates and layouts that wait.", self.0.slow.waiting()),
            ("lto_states", "Encoded states that are kept.", states),
            ("lto_states_bytes", "Bytes of these states, estimated.", bytes),
            (
                "lto_budget_used_bytes",
                "Bytes of requests and answers under way.",
                self.budget().used_kb() << 10,
            ),
        ])
    }

    /// Reads all models again; what cannot be read goes on as it was, and the log says so.
    pub fn reload_all(&self) {
        for served in self.models() {
            if let Err(error) = served.reload() {
                tracing::error!(%error, "not reloaded");
            }
        }
    }

    /// Ends all streams, since nobody else would.
    pub(crate) fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Becomes true when the service stops.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }
}
