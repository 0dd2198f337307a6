//! What a model alone costs a request to a service: some sensors, some points, one time; no HTTP, no text.

use crate::error::Result;
use crate::model::Forecast;
use crate::{Model, cpu_time};
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Points};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Sensors and points of a request.
const SIZES: [usize; 2] = [100, 1000];

/// Requests to a model, on some threads, some at a time.
#[derive(Clone, Copy, Debug)]
pub struct RequestCost {
    /// Threads, each with its own requests.
    pub threads: usize,
    /// Requests that are computed together.
    pub together: usize,
    /// Requests a second.
    pub rate: f64,
    /// Processor time of one, in microseconds; zero if the system does not say.
    pub microseconds: f64,
}

/// Measures a model for about `seconds`; its problem has times.
///
/// # Errors
/// A model that does not predict.
pub fn measure_requests(model: &Model, threads: usize, together: usize, seconds: f64) -> Result<RequestCost> {
    let (before, begun) = (cpu_time::seconds(), Instant::now());
    let done: Vec<Result<usize>> = thread::scope(|scope| {
        let each = |_| scope.spawn(|| requests(model, together, Duration::from_secs_f64(seconds)));
        let running: Vec<_> = (0..threads).map(each).collect();
        // A thread that panics ends this one with its message.
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
            .collect()
    });
    let (done, took) = (done.into_iter().sum::<Result<usize>>()? as f64, begun.elapsed().as_secs_f64());
    let used = cpu_time::seconds().zip(before).map_or(0.0, |(now, before)| now - before);
    Ok(RequestCost { threads, together, rate: done / took, microseconds: 1e6 * used / done })
}

/// Requests of one thread until the time is over; how many.
fn requests(model: &Model, together: usize, limit: Duration) -> Result<usize> {
    // Parallel loops stay on this thread, as those of the service do.
    let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let (problem, begun, mut done) = (&model.card().problem, Instant::now(), 0);
    let [first, last] = problem.times.unwrap_or_default();
    let times = [0.5 * (first + last)];
    while done == 0 || begun.elapsed() < limit {
        let query = Arc::new(points(&problem.domain, SIZES[1], 0)?);
        let contexts = (0..together).map(|i| {
            let value = |k: usize| k as f64 / SIZES[0] as f64;
            let values = (0..problem.source_channels * SIZES[0]).map(value).collect();
            let points = points(&problem.domain, SIZES[0], 5000 + i)?;
            Ok(Context { points, n_channels: problem.source_channels, values, deviations: None })
        });
        let contexts: Vec<Context> = contexts.collect::<Result<_>>()?;
        let each = contexts.iter().map(|context| Forecast { context, s: first, times: &times });
        done += model.predict_batch(&each.collect::<Vec<_>>(), &query)?.len();
    }
    Ok(done)
}

/// `n` points of a low-discrepancy sequence.
fn points(domain: &Domain, n: usize, offset: usize) -> Result<Points> {
    let axes = domain.axes();
    let at = |i: usize| {
        let share = [0.754_877_666, 0.569_840_290].map(|step| i as f64 * step % 1.0);
        axes.iter().zip(share).map(|(axis, share)| axis.lower + share * axis.length()).collect::<Vec<_>>()
    };
    Ok(Points::scattered(domain.clone(), (offset..offset + n).flat_map(at).collect())?)
}
