//! Predictions of one model that wait together are computed together where they are for the same points: these are looked up
//! once, and every layer of a network sees several states. Nobody waits for others to come.

use crate::compute::{self, Wanted};
use crate::error::Result;
use crate::limits::Limits;
use crate::pool::{Joint, guarded};
use crate::served::{Loaded, Served};
use crate::wire::{FieldAnswer, PredictRequest};
use lto::model::{Forecast, Way};
use lto::observations::Observations;
use std::sync::Arc;
use tokio::sync::oneshot::Sender;

/// A prediction that somebody waits for.
pub struct Prediction {
    served: Arc<Served>,
    limits: Limits,
    client: Box<dyn FnOnce() -> Option<(PredictRequest, Tell)> + Send>,
}

/// Tells a client the outcome.
type Tell = Box<dyn FnOnce(Result<FieldAnswer>) + Send>;

impl Prediction {
    /// A prediction whose request is read, and whose field is written, by the thread that computes; what `read` gives beside
    /// the request is for `write`.
    pub fn new<K: Send + 'static, T: Send + 'static>(
        served: Arc<Served>,
        limits: Limits,
        read: impl FnOnce() -> Result<(PredictRequest, K)> + Send + 'static,
        write: impl FnOnce(FieldAnswer, K) -> Result<T> + Send + 'static,
        told: Sender<Result<T>>,
    ) -> Self {
        let client = move || {
            if told.is_closed() {
                return None;
            }
            match guarded(read) {
                Ok((request, kept)) => {
                    let tell = move |field: Result<FieldAnswer>| {
                        let _ = told.send(field.and_then(|field| guarded(|| write(field, kept))));
                    };
                    Some((request, Box::new(tell) as Tell))
                }
                Err(error) => {
                    let _ = told.send(Err(error));
                    None
                }
            }
        };
        Self { served, limits, client: Box::new(client) }
    }
}

impl Joint for Prediction {
    fn joins(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.served, &other.served)
    }

    fn work(together: Vec<Self>) {
        let Some(loaded) = together.first().map(|first| first.served.now()) else { return };
        let mut ready = Vec::new();
        for Self { limits, client, .. } in together {
            let Some((request, tell)) = client() else { continue };
            match guarded(|| Asked::new(&loaded, request, &limits)) {
                Ok(asked) => ready.push((tell, asked)),
                Err(error) => tell(Err(error)),
            }
        }
        while let Some((tell, asked)) = ready.pop() {
            let (joined, rest): (Vec<_>, _) = ready.into_iter().partition(|(_, other)| asked.joins(other));
            ready = rest;
            let (tellers, all): (Vec<_>, Vec<_>) = joined.into_iter().chain([(tell, asked)]).unzip();
            for (tell, field) in tellers.into_iter().zip(answers(&loaded, all)) {
                tell(field);
            }
        }
    }
}

/// What a request asks, checked.
struct Asked {
    observed: Observations,
    wanted: Wanted,
    force: bool,
    /// Whether it can be computed with others: no step from time to time, no band, nothing unusual.
    plain: bool,
}

impl Asked {
    fn new(loaded: &Loaded, request: PredictRequest, limits: &Limits) -> Result<Self> {
        let tolerance = request.tolerance();
        let PredictRequest { sensors, values, s, times, query, band, force, .. } = request;
        limits.check_sensors(sensors.n)?;
        let observed = compute::observations(loaded.model.card(), sensors, &values, s, tolerance)?;
        let s = compute::time(&observed);
        let wanted = Wanted::new(&compute::model(loaded, force), s, times, query, band, limits)?;
        let direct = |t: &f64| loaded.model.way_to(t - s) == Way::Direct;
        let plain = !force && band.is_none() && wanted.times.iter().all(direct);
        Ok(Self { observed, wanted, force, plain })
    }

    fn joins(&self, other: &Self) -> bool {
        self.plain && other.plain && self.wanted.query == other.wanted.query
    }

    fn alone(self, loaded: &Loaded) -> Result<FieldAnswer> {
        let encoded = compute::encode(loaded, &self.observed, self.force)?;
        Ok(FieldAnswer { doubt: self.observed.doubt, ..self.wanted.of(&encoded)? })
    }
}

/// The fields of requests for the same points. What cannot be computed together is computed one by one, so that everybody hears
/// of its own mistakes only.
fn answers(loaded: &Loaded, all: Vec<Asked>) -> Vec<Result<FieldAnswer>> {
    let together = || {
        let each = all.iter().map(|Asked { observed, wanted, .. }| Forecast {
            context: &observed.context,
            s: compute::time(observed),
            times: &wanted.times,
        });
        let forecasts: Vec<Forecast> = each.collect();
        Ok(loaded.model.predict_batch(&forecasts, &all[0].wanted.query)?)
    };
    let found = if all.len() > 1 { guarded(together).ok() } else { None };
    match found {
        Some(predictions) => {
            let each = all.into_iter().zip(predictions);
            each.map(|(Asked { observed, wanted, .. }, prediction)| {
                let field = wanted.predicted(loaded.model.card(), prediction);
                Ok(FieldAnswer { doubt: observed.doubt, ..field })
            })
            .collect()
        }
        None => all.into_iter().map(|asked| guarded(|| asked.alone(loaded))).collect(),
    }
}
