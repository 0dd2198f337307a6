//! Times reading an array of a file: the whole at once, and sample after sample in order.
//!
//! `cargo run --release -p lto-numerics --example bench_arrays -- FILE [ARRAY [SAMPLES]]`

use lto_numerics::dataset::format::open;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("which file?")?;
    let clock = Instant::now();
    let mut store = open(Path::new(path))?;
    println!("open            {:>9.3} s", clock.elapsed().as_secs_f64());
    for info in store.arrays() {
        println!("  {} {:?} {}", info.name, info.shape, info.storage);
    }
    let Some(name) = arguments.get(1) else { return Ok(()) };
    let info = store.arrays().iter().find(|a| a.name == *name).ok_or("no such array")?.clone();
    let (mut start, mut count) = (vec![0; info.shape.len()], info.shape.clone());
    let n_samples = arguments.get(2).map_or(Ok(info.shape[0]), |n| n.parse())?;

    if let Some(last) = info.shape[0].checked_sub(1) {
        (start[0], count[0]) = (last, 1);
        let clock = Instant::now();
        store.read(name, &start, &count)?;
        println!("last sample     {:>9.3} s", clock.elapsed().as_secs_f64());
    }
    let (clock, mut sum) = (Instant::now(), 0.0);
    for i in 0..n_samples {
        start[0] = i;
        sum += store.read(name, &start, &count)?.iter().sum::<f64>();
    }
    println!("{n_samples} in order    {:>9.3} s, sum {sum}", clock.elapsed().as_secs_f64());
    println!("{}", peak_memory());
    (start[0], count[0]) = (0, n_samples);
    let clock = Instant::now();
    let values = store.read(name, &start, &count)?;
    println!("{n_samples} at once     {:>9.3} s, {} values", clock.elapsed().as_secs_f64(), values.len());
    Ok(())
}

/// Peak resident memory, where the system tells.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("peak memory unknown").into()
}
