//! Measures elliptic solves a minute on Darcy's default grid, on one thread and on all (best of several rounds),
//! and writes one problem with its solution for a comparison with other solvers:
//! `cargo run --release --example bench_darcy -- [directory]`.

use lto_numerics::pde::darcy::Darcy;
use lto_numerics::pde::{DarcyConfig, elliptic, sample_rng};
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 5;
const SOLVES_A_THREAD: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let config = DarcyConfig::default();
    let n = config.resolution;
    let darcy = Darcy::new(&config)?;
    let start = Instant::now();
    let coefficients: Vec<_> = (0..4).map(|i| darcy.coefficient(&mut sample_rng(0, i))).collect();
    let drawing = start.elapsed().as_secs_f64() / coefficients.len() as f64;
    println!("{n} x {n} vertices; drawing a coefficient takes {:.1} ms", 1e3 * drawing);

    let right_hand_side = vec![1.0; n * n];
    let solve = |i: usize| elliptic::solve(n, &coefficients[i % coefficients.len()], &right_hand_side);
    let mut thread_counts = vec![1, rayon::current_num_threads()];
    thread_counts.dedup();
    for n_threads in thread_counts {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build()?;
        let n_solves = SOLVES_A_THREAD * n_threads;
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            pool.install(|| (0..n_solves).into_par_iter().try_for_each(|i| solve(i).map(drop)))?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{:.0} solves/min on {n_threads} threads", 60.0 * n_solves as f64 / best);
    }

    let solution = solve(0)?;
    let residual = elliptic::relative_residual(n, &coefficients[0], &right_hand_side, &solution)?;
    println!("relative residual {residual:.1e}");
    if let Some(directory) = std::env::args().nth(1) {
        for (name, values) in [("coefficient.f64", &coefficients[0]), ("solution.f64", &solution)] {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            std::fs::write(Path::new(&directory).join(name), bytes)?;
        }
    }
    Ok(())
}
