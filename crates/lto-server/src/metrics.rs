//! Counts and times, as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper ends of the times that are counted, in seconds.
const SECONDS: [f64; 13] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// What is counted over the life of the service.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(String, u16), Times>>,
    under_way: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    streams: Arc<AtomicUsize>,
}

/// How often, and how long.
#[derive(Clone, Copy, Default)]
struct Times {
    below: [u64; SECONDS.len()],
    count: u64,
    seconds: f64,
}

/// Something that is there as long as this is.
pub struct Present(Arc<AtomicUsize>);

impl Present {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// A request begins.
    pub fn request(&self) -> Present {
        Present::new(&self.under_way)
    }

    /// A client connects.
    pub fn connection(&self) -> Present {
        Present::new(&self.connections)
    }

    /// A stream begins.
    pub fn stream(&self) -> Present {
        Present::new(&self.streams)
    }

    /// A request was answered.
    pub fn answered(&self, route: &str, status: u16, took: Duration) {
        let seconds = took.as_secs_f64();
        let mut requests = self.lock();
        let times = requests.entry((route.into(), status)).or_default();
        times.count += 1;
        times.seconds += seconds;
        times
            .below
            .iter_mut()
            .zip(SECONDS)
            .filter(|(_, end)| seconds <= *end)
            .for_each(|(below, _)| *below += 1);
    }

    /// The text that Prometheus reads; `levels` are further gauges, each with its help.
    pub fn text(&self, levels: &[(&str, &str, usize)]) -> String {
        let mut text = String::new();
        let now = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let own = [
            ("lto_requests_under_way", "Requests that are not answered yet.", now(&self.under_way)),
            ("lto_connections", "Open connections.", now(&self.connections)),
            ("lto_streams", "Open streams of forecasts.", now(&self.streams)),
        ];
        for (name, help, value) in own.iter().chain(levels) {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n");
        }
        let name = "lto_request_seconds";
        let _ = write!(
            text,
            "# HELP {name} Time from a request's headers to its answer.\n# TYPE {name} histogram\n"
        );
        for ((route, status), times) in self.lock().iter() {
            let labels = format!("route=\"{route}\",status=\"{status}\"");
            for (below, end) in times.below.iter().zip(SECONDS) {
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{end}\"}} {below}");
            }
            let Times { count, seconds, .. } = times;
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {count}");
            let _ = write!(text, "{name}_sum{{{labels}}} {seconds}\n{name}_count{{{labels}}} {count}\n");
        }
        text
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, u16), Times>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_cumulatively() {
        let metrics = Metrics::default();
        let present = metrics.connection();
        metrics.answered("/v1/models", 200, Duration::from_millis(2));
        metrics.answered("/v1/models", 200, Duration::from_secs(60));
        let text = metrics.text(&[("lto_states", "States.", 4)]);
        for line in [
            "lto_connections 1",
            "lto_states 4",
            "lto_request_seconds_bucket{route=\"/v1/models\",status=\"200\",le=\"0.001\"} 0",
            "lto_request_seconds_bucket{route=\"/v1/models\",status=\"200\",le=\"0.0025\"} 1",
            "lto_request_seconds_bucket{route=\"/v1/models\",status=\"200\",le=\"30\"} 1",
            "lto_request_seconds_bucket{route=\"/v1/models\",status=\"200\",le=\"+Inf\"} 2",
            "lto_request_seconds_sum{route=\"/v1/models\",status=\"200\"} 60.002",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        drop(present);
        assert!(metrics.text(&[]).contains("lto_connections 0\n"));
    }
}
