//! Measures how many samples a minute each PDE makes, in parallel over samples:
//! `cargo run --release --example bench_pde -- [name | JSON configuration]...` (all defaults where none given).

use lto_numerics::pde::{PdeConfig, sample_rng};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Samples are made until this much time has passed.
const BUDGET: Duration = Duration::from_secs(10);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let configs = if arguments.is_empty() {
        PdeConfig::all()
    } else {
        arguments.iter().map(|a| parse(a)).collect::<Result<_, _>>()?
    };
    let n_threads = rayon::current_num_threads();
    for config in configs {
        let start = Instant::now();
        let pde = config.build()?;
        let planning = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let mut n_samples = 0;
        while start.elapsed() < BUDGET {
            let batch = n_samples..n_samples + 2 * n_threads as u64;
            n_samples = batch.end;
            batch.into_par_iter().try_for_each(|i| pde.sample(&mut sample_rng(0, i)).map(drop))?;
        }
        let rate = 60.0 * n_samples as f64 / start.elapsed().as_secs_f64();
        let text = serde_json::to_string(&config)?;
        println!("{rate:>10.0} samples/min on {n_threads} threads, planned in {planning:.3} s: {text}");
    }
    Ok(())
}

fn parse(argument: &str) -> serde_json::Result<PdeConfig> {
    if argument.starts_with('{') {
        serde_json::from_str(argument)
    } else {
        serde_json::from_value(serde_json::json!({ "pde": argument }))
    }
}
