//! What the model alone costs a request of `bench/server.sh`: 100 sensors, 1000 points, one time; no HTTP, no JSON. On one
//! thread, on all, and for several requests at once.
//!
//! `cargo run --release -p lto-server --example bare -- MODEL SECONDS`

use lto::model::Forecast;
use lto::{Model, cpu_time};
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Points};
use std::error::Error;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// `n` points of a low-discrepancy sequence.
fn points(domain: &Domain, n: usize, offset: usize) -> Points {
    let coordinates =
        (offset..offset + n).flat_map(|i| [i as f64 * 0.754_877_666 % 1.0, i as f64 * 0.569_840_290 % 1.0]);
    Points::scattered(domain.clone(), coordinates.collect()).expect("they are distinct and inside")
}

/// Requests a second of one thread, `batch` at a time.
fn rate(model: &Model, batch: usize, limit: Duration) -> f64 {
    // As the workers of the service.
    let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let domain = &model.card().problem.domain;
    let (mut done, started) = (0, Instant::now());
    while started.elapsed() < limit {
        let query = Arc::new(points(domain, 1000, 0));
        let context = |i: usize| Context {
            points: points(domain, 100, 5000 + i),
            n_channels: 1,
            values: (0..100).map(|i| f64::from(i) / 100.0).collect(),
            deviations: None,
        };
        let contexts: Vec<Context> = (0..batch).map(context).collect();
        let wanted: Vec<Forecast> =
            contexts.iter().map(|context| Forecast { context, s: 0.0, times: &[0.008] }).collect();
        let found = model.predict_batch(&wanted, &query).expect("it predicts");
        assert!(found.iter().all(|found| found.values.len() == 1000));
        done += batch;
    }
    f64::from(u32::try_from(done).unwrap_or(u32::MAX)) / started.elapsed().as_secs_f64()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, model, seconds] = arguments.as_slice() else { return Err("usage: bare MODEL SECONDS".into()) };
    let (model, limit) = (Model::load(model)?, Duration::from_secs_f64(seconds.parse()?));
    let cores = thread::available_parallelism()?.get();
    for (threads, batch) in [(1, 1), (cores, 1), (cores, 4), (cores, 16)] {
        let before = cpu_time::seconds().unwrap_or_default();
        let rate: f64 = thread::scope(|scope| {
            let each: Vec<_> = (0..threads).map(|_| scope.spawn(|| rate(&model, batch, limit))).collect();
            each.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        let used = cpu_time::seconds().unwrap_or_default() - before;
        let each = 1e6 * used / (rate * limit.as_secs_f64());
        println!(
            "bare model, {threads} threads, {batch} at a time: {rate:.0} requests/s, {each:.0} µs of a processor each"
        );
    }
    Ok(())
}
