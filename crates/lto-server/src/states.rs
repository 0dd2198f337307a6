//! Encoded states that clients come back for: bounded in number, in memory and in time.

use crate::limits::Limits;
use lto::model::Encoded;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The states of all models. The one that was used longest ago goes first.
pub struct States {
    kept: Mutex<HashMap<String, Kept>>,
    most: usize,
    most_bytes: usize,
    life: Duration,
}

struct Kept {
    /// The name of its model.
    model: String,
    /// The state, with the weights that it was encoded with: a reload does not touch it.
    encoded: Encoded,
    bytes: usize,
    used: Instant,
}

impl States {
    /// Room for as many states as the limits allow.
    pub fn new(limits: &Limits) -> Self {
        Self {
            kept: Mutex::default(),
            most: limits.states as usize,
            most_bytes: (limits.states_mb as usize).saturating_mul(1 << 20),
            life: Duration::from_secs(limits.state_seconds),
        }
    }

    /// Keeps a state of a model and gives its name, which cannot be guessed.
    pub fn keep(&self, model: &str, encoded: Encoded, bytes: usize) -> String {
        let id = format!("{:032x}", rand::random::<u128>());
        self.keep_at(
            Instant::now(),
            id.clone(),
            Kept { model: model.into(), encoded, bytes, used: Instant::now() },
        );
        id
    }

    fn keep_at(&self, now: Instant, id: String, state: Kept) {
        let mut kept = self.lock();
        self.forget_old(&mut kept, now);
        kept.insert(id, state);
        while kept.len() > self.most || bytes(&kept) > self.most_bytes {
            let oldest = kept.iter().min_by_key(|(_, state)| state.used).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { break };
            kept.remove(&oldest);
        }
    }

    /// The state of a name, if it is still there and of this model; using it makes it young.
    pub fn find(&self, model: &str, id: &str) -> Option<Encoded> {
        self.find_at(Instant::now(), model, id)
    }

    fn find_at(&self, now: Instant, model: &str, id: &str) -> Option<Encoded> {
        let mut kept = self.lock();
        self.forget_old(&mut kept, now);
        let state = kept.get_mut(id).filter(|state| state.model == model)?;
        state.used = now;
        Some(state.encoded.clone())
    }

    /// How many states are kept, and their bytes.
    pub fn size(&self) -> (usize, usize) {
        let mut kept = self.lock();
        self.forget_old(&mut kept, Instant::now());
        (kept.len(), bytes(&kept))
    }

    /// Seconds a state is kept without being used.
    pub fn seconds(&self) -> u64 {
        self.life.as_secs()
    }

    fn forget_old(&self, kept: &mut HashMap<String, Kept>, now: Instant) {
        kept.retain(|_, state| now.saturating_duration_since(state.used) < self.life);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes(kept: &HashMap<String, Kept>) -> usize {
    kept.values().map(|state| state.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::Points;
    use lto_numerics::dataset::Context;

    fn encoded() -> Encoded {
        let model = crate::twin::model().unwrap();
        let domain = model.card().problem.domain.clone();
        let points = Points::scattered(domain, vec![0.1, 0.2, 0.7, 0.4]).unwrap();
        model
            .encode(&Context { points, n_channels: 1, values: vec![0.1, 0.3], deviations: None }, 0.0)
            .unwrap()
    }

    #[test]
    fn states_are_bounded_in_number_memory_and_time() {
        let limits = Limits { states: 3, states_mb: 1, state_seconds: 10, ..Limits::default() };
        let (states, start, encoded) = (States::new(&limits), Instant::now(), encoded());
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let keep = |seconds: u64, id: &str, bytes: usize| {
            let state = Kept { model: "m".into(), encoded: encoded.clone(), bytes, used: at(seconds) };
            states.keep_at(at(seconds), id.into(), state);
        };
        let there = |seconds: u64, id: &str| states.find_at(at(seconds), "m", id).is_some();
        keep(0, "a", 1);
        keep(1, "b", 1);
        keep(2, "c", 1);
        // Used again, a is younger than b.
        assert!(there(3, "a"));
        keep(4, "d", 1);
        assert!(!there(4, "b") && there(4, "a") && there(4, "c") && there(4, "d"));
        assert!(states.find_at(at(4), "other", "a").is_none());
        // By memory, the oldest go until the new one fits.
        keep(5, "e", (1 << 20) - 1);
        assert!(there(5, "e") && states.lock().len() == 2);
        // A state expires after its last use.
        assert!(there(14, "e"));
        assert!(there(23, "e") && !there(33, "e"));
        assert_eq!(states.lock().len(), 0);
        // One that never fits is not kept.
        keep(40, "f", 2 << 20);
        assert!(!there(40, "f"));
    }
}
