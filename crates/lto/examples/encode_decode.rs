//! Times a prediction from eight sensors at sixteen points: encoded, evolved, decoded. For the cost of calling it from elsewhere.
//!
//! `cargo run --release -p lto --example encode_decode -- RUN SECONDS`

use lto::Model;
use lto_numerics::Points;
use lto_numerics::dataset::Context;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, run, seconds] = arguments.as_slice() else {
        return Err("usage: encode_decode RUN SECONDS".into());
    };
    let model = Model::load(run)?;
    let domain = model.card().problem.domain.clone();
    let even = |n: usize| (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect::<Vec<f64>>();
    let query = Points::scattered(domain.clone(), even(16))?;
    let (mut times, limit) = (Vec::new(), Duration::from_secs_f64(seconds.parse()?));
    let started = Instant::now();
    while started.elapsed() < limit {
        let before = Instant::now();
        let points = Points::scattered(domain.clone(), even(8))?;
        let state =
            model.encode(&Context { points, n_channels: 1, values: vec![0.1; 8], deviations: None }, 0.0)?;
        let field = state.at(0.05)?.decode(&query)?;
        times.push(before.elapsed());
        assert_eq!(field.values.len(), 16);
    }
    times.sort_unstable();
    let microseconds = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{{\"program\": \"rust\", \"n\": {}, \"least_us\": {:.1}, \"median_us\": {:.1}}}",
        times.len(),
        microseconds(times[0]),
        microseconds(times[times.len() / 2])
    );
    Ok(())
}
