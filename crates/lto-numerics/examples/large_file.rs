//! Shows that large files need little memory: writes `n` samples of 201 × 1024 values (2000 make 1.6 GB), or takes
//! a file that is there already, reads some samples of `tensor` back, and prints rates and peak memory.
//!
//! `cargo run --release -p lto-numerics --example large_file -- large.hdf5 2000`

use lto_numerics::dataset::{format, write};
use lto_numerics::{Domain, Grid, Placement, Sample, Trajectory};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which file?")?;
    if let Some(n) = arguments.next() {
        write_samples(path.as_ref(), n.parse()?)?;
    }
    read_samples(path.as_ref())
}

fn write_samples(path: &Path, n_samples: usize) -> Result<(), Box<dyn Error>> {
    let grid = Arc::new(Grid::cubic(Domain::unit(1, true)?, 1024, Placement::Center)?);
    let times: Vec<f64> = (0..201).map(|i| f64::from(i) / 100.0).collect();
    let values = (0..201 * 1024).map(|i| (f64::from(i) * 1e-3).sin()).collect();
    let sample = [Sample::Evolution(Trajectory::new(grid.clone(), times.clone(), 1, values)?)];
    let begin = Instant::now();
    let header = write::Header { grids: vec![grid], times, n_samples, attributes: Vec::new() };
    let mut writer = write::create(path, &header)?;
    for _ in 0..n_samples {
        writer.append(&sample)?;
    }
    writer.finish()?;
    report("written", std::fs::metadata(path)?.len(), begin);
    Ok(())
}

fn read_samples(path: &Path) -> Result<(), Box<dyn Error>> {
    let begin = Instant::now();
    let mut store = format::open(path)?;
    let tensor = store.arrays().iter().find(|a| a.name == "tensor").ok_or("no tensor")?.clone();
    println!("tensor {:?}, {}", tensor.shape, tensor.storage);
    let mut count = tensor.shape.clone();
    count[0] = 1;
    let mut start = vec![0; count.len()];
    let mut n_values = 0;
    for sample in (0..tensor.shape[0]).step_by((tensor.shape[0] / 100).max(1)) {
        start[0] = sample;
        n_values += store.read("tensor", &start, &count)?.len();
    }
    report("read", 4 * n_values as u64, begin);
    Ok(())
}

fn report(what: &str, bytes: u64, begin: Instant) {
    let (megabytes, seconds) = (bytes as f64 / 1e6, begin.elapsed().as_secs_f64());
    // Linux only; elsewhere the line is left out.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!(
        "{what} {megabytes:.0} MB in {seconds:.2} s, {:.0} MB/s; peak memory {peak}",
        megabytes / seconds
    );
}
