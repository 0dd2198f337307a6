//! How much the service takes: limits of a request, and of all requests together.

use crate::error::{Error, Result};
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The list of limits, one line each: its name, its default, what it limits.
macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident = $default:literal,)+) => {
        /// How much the service takes.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        pub struct Limits {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Limits {
            /// Name, default and meaning of every limit.
            pub const ALL: &[(&str, u64, &str)] = &[$((stringify!($name), $default, concat!($($doc),+)),)+];

            /// The limit of a name, to be changed.
            pub fn get_mut(&mut self, name: &str) -> Option<&mut u64> {
                match name { $(stringify!($name) => Some(&mut self.$name),)+ _ => None }
            }
        }
    };
}

limits! {
    /// Kilobytes of a request's body
    body_kb = 16_384,
    /// Sensors of a request
    sensors = 100_000,
    /// Points of a query or a grid
    points = 1_048_576,
    /// Times of a request
    times = 512,
    /// Numbers of an answer: times × channels × points
    values = 4_194_304,
    /// Native intervals between readings and forecast
    steps = 1_000,
    /// Sensors to certify, or to place and keep
    study_sensors = 2_000,
    /// Seconds a request may take
    seconds = 30,
    /// Requests that wait for a processor
    waiting = 256,
    /// Megabytes of all requests and answers under way
    memory_mb = 512,
    /// Encoded states that are kept
    states = 1_000,
    /// Megabytes of these states
    states_mb = 256,
    /// Seconds a state is kept without being used
    state_seconds = 600,
    /// Streams of forecasts
    streams = 64,
    /// Connections
    connections = 16_384,
    /// Seconds a connection may be idle, send its headers, or not take its answer
    idle_seconds = 60,
}

impl Limits {
    /// Refuses more sensors than allowed.
    ///
    /// # Errors
    /// The number and the limit.
    pub fn check_sensors(&self, n: usize) -> Result<()> {
        check("too_many_sensors", "sensors", n as u64, self.sensors)
    }

    /// Refuses more sensors than are certified or placed.
    ///
    /// # Errors
    /// The number and the limit.
    pub fn check_study(&self, n: usize) -> Result<()> {
        check("too_many_sensors", "sensors", n as u64, self.study_sensors)
    }

    /// Refuses a query of too many points.
    ///
    /// # Errors
    /// The number and the limit.
    pub fn check_points(&self, n: u64) -> Result<()> {
        check("too_many_points", "points", n, self.points)
    }

    /// Refuses too many times, or too many numbers.
    ///
    /// # Errors
    /// The number and the limit.
    pub fn check_answer(&self, times: usize, channels: usize, points: usize) -> Result<()> {
        check("too_many_times", "times", times as u64, self.times)?;
        let values = (times.max(1) as u64).saturating_mul(channels as u64).saturating_mul(points as u64);
        check("too_many_values", "numbers (times × channels × points)", values, self.values)
    }

    /// Refuses times that are too many native intervals ahead: some models go there step by step.
    ///
    /// # Errors
    /// The number and the limit.
    pub fn check_steps(&self, s: f64, times: &[f64], interval: Option<f64>) -> Result<()> {
        let furthest = times.iter().fold(0.0, |most: f64, t| most.max(t - s));
        let steps = interval.map_or(0.0, |interval| (furthest / interval).round());
        check("too_many_steps", "native intervals ahead", steps as u64, self.steps)
    }
}

fn check(kind: &'static str, what: &str, got: u64, limit: u64) -> Result<()> {
    if got <= limit { Ok(()) } else { Err(Error::too_many(kind, what, got, limit)) }
}

/// The memory that requests and answers under way may take together. What does not fit is refused at once, so that neither
/// many clients nor slow ones fill the memory.
#[derive(Clone)]
pub struct Budget {
    kilobytes: Arc<Semaphore>,
    all: usize,
}

/// A share of the budget, given back when dropped.
pub type Share = OwnedSemaphorePermit;

impl Budget {
    /// The least a request costs: its headers, its task, its place in a queue.
    const LEAST_KB: u64 = 16;

    /// A budget of megabytes.
    pub fn new(megabytes: u64) -> Self {
        let all = megabytes.saturating_mul(1024).clamp(1, Semaphore::MAX_PERMITS as u64) as usize;
        Self { kilobytes: Arc::new(Semaphore::new(all)), all }
    }

    /// A share for some bytes.
    ///
    /// # Errors
    /// Busy: not enough is left.
    pub fn take(&self, bytes: u64) -> Result<Share> {
        let kilobytes = bytes.div_ceil(1024).max(Self::LEAST_KB);
        // What is larger than all waits for all, not forever.
        let kilobytes = kilobytes.min(self.all as u64).min(u64::from(u32::MAX)) as u32;
        self.kilobytes.clone().try_acquire_many_owned(kilobytes).map_err(|_| Error::busy())
    }

    /// Kilobytes in use.
    pub fn used_kb(&self) -> usize {
        self.all - self.kilobytes.available_permits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_changed_by_its_name() {
        let mut limits = Limits::default();
        for (name, default, meaning) in Limits::ALL {
            let limit = limits.get_mut(name).unwrap();
            assert!(*limit == *default && !meaning.is_empty(), "{name}");
            *limit = 7;
        }
        assert!(limits.get_mut("none").is_none());
        assert_eq!(limits.check_sensors(8), Err(Error::too_many("too_many_sensors", "sensors", 8, 7)));
        assert!(limits.check_sensors(7).is_ok() && limits.check_answer(7, 1, 1).is_ok());
        assert!(limits.check_answer(1, 2, 4).is_err() && limits.check_answer(usize::MAX, 2, 4).is_err());
        assert!(limits.check_steps(1.0, &[1.5, 8.0], Some(1.0)).is_ok());
        assert!(limits.check_steps(0.0, &[f64::INFINITY], Some(1.0)).is_err());
        assert!(limits.check_steps(0.0, &[1e9], None).is_ok());
    }

    #[test]
    fn a_share_comes_back() {
        let budget = Budget::new(1);
        let share = budget.take(1000 << 10).unwrap();
        assert_eq!(budget.used_kb(), 1000);
        assert_eq!(budget.take(64 << 10).unwrap_err(), Error::busy());
        drop(share);
        assert_eq!(budget.used_kb(), 0);
        // One that is too large gets everything.
        let all = budget.take(u64::MAX).unwrap();
        assert_eq!(budget.used_kb(), 1024);
        drop(all);
    }
}
