//! Solving all samples on all cores, in blocks: memory stays bounded, and the journal gets them in order.

use super::record;
use crate::interrupt;
use crate::journal::{Header, Journal};
use crate::progress::Progress;
use anyhow::{Context, Result};
use lto_numerics::pde::{Pde, sample_rng};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Memory that the solved samples of a block may take.
const BLOCK_BYTES: usize = 256 << 20;
/// Blocks grow until they take this long, so that bringing them onto the disk costs nothing.
const BLOCK_TIME: Duration = Duration::from_secs(1);

/// Bytes of a sample in single precision, for a PDE of one channel.
pub fn sample_bytes(pde: &dyn Pde) -> usize {
    let arrays = if pde.times().is_empty() { 2 } else { pde.times().len() };
    4 * arrays * pde.grids().iter().map(|grid| grid.len()).sum::<usize>()
}

/// Solves what is missing in the journal. Returns early, with fewer samples, where an interrupt was asked for.
///
/// # Errors
/// A solver fails (the error says at which sample), or the disk is full.
pub fn solve(pde: &dyn Pde, header: &Header, journal: &mut Journal, progress: &mut Progress) -> Result<()> {
    let threads = rayon::current_num_threads();
    let at_most = (BLOCK_BYTES / sample_bytes(pde).max(1)).max(threads);
    let mut block = threads.min(at_most);
    while journal.len() < header.samples && !interrupt::requested() {
        let started = Instant::now();
        let end = header.samples.min(journal.len() + block);
        let solved: Vec<Option<Result<Vec<u8>>>> = (journal.len()..end)
            .into_par_iter()
            .map(|index| (!interrupt::requested()).then(|| solve_one(pde, header.seed, index)))
            .collect();
        // Up to the first that an interrupt left out: the journal has no gaps.
        for sample in solved.into_iter().map_while(|sample| sample) {
            journal.append(&sample?)?;
        }
        journal.flush()?;
        progress.set(journal.len());
        if started.elapsed() < BLOCK_TIME {
            block = (2 * block).min(at_most);
        }
    }
    Ok(())
}

fn solve_one(pde: &dyn Pde, seed: u64, index: usize) -> Result<Vec<u8>> {
    let failed = || format!("sample {index} of seed {seed} cannot be solved");
    let samples = pde.sample(&mut sample_rng(seed, index as u64)).with_context(failed)?;
    record::encode(&samples).with_context(failed)
}
