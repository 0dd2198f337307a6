//! Datasets of random problems of a PDE, solved on all cores of one or several processes. Every solved sample goes into a
//! journal beside the file, so an interrupted generation resumes where it stopped and produces the same bytes.

mod journal;
mod parcel;
mod record;

pub use journal::{Journal, Recipe};

use crate::dataset::format::Attribute;
use crate::dataset::write;
use crate::error::{Error, Result};
use crate::pde::{Pde, sample_rng};
use crate::ranks::{Alone, Ranks, from_first};
use parcel::Solved;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Memory for the solved samples of a block.
const BLOCK_BYTES: usize = 256 << 20;
/// Blocks grow until they take this long; writing them to disk then costs nothing.
const BLOCK_TIME: Duration = Duration::from_secs(1);

/// What to do about existing files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Existing {
    /// Resume an unfinished generation.
    pub resume: bool,
    /// Replace the file and, unless resumed, its journal.
    pub replace: bool,
}

/// A generation, ready to run.
pub struct Generation {
    recipe: Recipe,
    pde: Box<dyn Pde>,
    output: PathBuf,
    /// Of the first process: it alone writes.
    journal: Option<Journal>,
    solved: usize,
    ranks: Arc<dyn Ranks>,
}

/// What the first process tells the others between two blocks.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Round {
    /// Samples solved so far.
    solved: usize,
    /// Samples of the next block.
    block: usize,
    /// Whether to stop.
    stop: bool,
}

impl Generation {
    /// Prepares a generation into `output`, whose suffix determines the format. Whatever can be refused is
    /// refused here, before anything is computed.
    ///
    /// # Errors
    /// Parameters out of range, an existing file or journal that may not be replaced, a folder that is
    /// missing or cannot be written, an unknown suffix, a disk too full, or a journal of something else.
    pub fn begin(recipe: Recipe, output: &Path, existing: Existing) -> Result<Self> {
        Self::begin_together(recipe, output, existing, Arc::new(Alone))
    }

    /// As [`Generation::begin`], by several processes: each solves its share, the first writes.
    ///
    /// # Errors
    /// As [`Generation::begin`].
    pub fn begin_together(
        recipe: Recipe,
        output: &Path,
        existing: Existing,
        ranks: Arc<dyn Ranks>,
    ) -> Result<Self> {
        let pde = recipe.config.build()?;
        let journal = ranks.is_first().then(|| open(&recipe, pde.as_ref(), output, existing)).transpose()?;
        let solved =
            from_first(ranks.as_ref(), || Ok::<_, Error>(journal.as_ref().map_or(0, Journal::n_samples)))?;
        Ok(Self { recipe, pde, output: output.into(), journal, solved, ranks })
    }

    /// Number of samples solved so far, in this run or before.
    pub fn solved(&self) -> usize {
        self.solved
    }

    /// The PDE.
    pub fn pde(&self) -> &dyn Pde {
        self.pde.as_ref()
    }

    /// Solves the missing samples and writes the file. `stop` is polled between samples; `progress` receives
    /// the number solved. Returns whether it finished; if stopped, the samples stay in the journal.
    ///
    /// # Errors
    /// A problem that cannot be solved ([`Error::Unsolved`]; it never can be, so the journal is deleted too),
    /// a full disk, or a damaged journal.
    pub fn run(&mut self, progress: &mut dyn FnMut(usize), stop: &(dyn Fn() -> bool + Sync)) -> Result<bool> {
        let done = self.solve(progress, stop).and_then(|()| self.write(stop));
        if let Some(journal) = &mut self.journal
            && matches!(done, Ok(true) | Err(Error::Unsolved { .. }))
        {
            journal.remove()?;
        }
        done
    }

    /// In blocks, so that memory stays bounded and the journal receives the samples in order.
    fn solve(&mut self, progress: &mut dyn FnMut(usize), stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let Self { recipe: Recipe { seed, samples, .. }, pde, ranks, journal, solved, .. } = self;
        let (pde, threads) = (pde.as_ref(), rayon::current_num_threads() * ranks.size());
        let at_most = (BLOCK_BYTES / sample_bytes(pde).max(1)).max(threads);
        let first = Round { solved: *solved, block: threads.min(at_most), stop: stop() };
        let mut round = from_first(ranks.as_ref(), || Ok::<_, Error>(first))?;
        while round.solved < *samples && !round.stop {
            let started = Instant::now();
            let block = round.solved..(*samples).min(round.solved + round.block);
            let own: Vec<Solved> = (block.start + ranks.rank()..block.end)
                .into_par_iter()
                .step_by(ranks.size())
                .map(|index| match stop() {
                    true => Solved::LeftOut,
                    false => solve_one(pde, *seed, index).map_or(Solved::Failed, Solved::Done),
                })
                .collect();
            let all = ranks.collect(parcel::pack(&own));
            round = from_first(ranks.as_ref(), || {
                // Only the first has a journal, and only its answer counts.
                let Some(journal) = journal else { return Ok(round) };
                let whole = keep(journal, block, &all, |index| solve_one(pde, *seed, index))?;
                let faster = if started.elapsed() < BLOCK_TIME { 2 } else { 1 };
                let block = (faster * round.block).min(at_most);
                Ok::<_, Error>(Round { solved: journal.n_samples(), block, stop: !whole || stop() })
            })?;
            *solved = round.solved;
            progress(*solved);
        }
        Ok(())
    }

    /// Writes the file from a complete journal; `false`, and no file, if it is not complete or stopped.
    fn write(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Result<bool> {
        let Self { recipe, pde, output, journal, solved, ranks } = self;
        if *solved < recipe.samples {
            return Ok(false);
        }
        from_first(ranks.as_ref(), || {
            let Some(journal) = journal else { return Ok(true) };
            let mut writer = write::create(output, &file_header(recipe, pde.as_ref())?)?;
            for sample in journal.samples()? {
                if stop() {
                    return Ok(false);
                }
                let sample = record::decode(pde.as_ref(), &sample?);
                writer.append(&sample.ok_or_else(|| journal.damaged())?)?;
            }
            writer.finish()?;
            Ok(true)
        })
    }
}

/// Checks all that can be checked before anything is computed, and opens the journal.
fn open(recipe: &Recipe, pde: &dyn Pde, output: &Path, existing: Existing) -> Result<Journal> {
    let refuse = |path: &Path, problem: &str| Error::Output { path: path.into(), problem: problem.into() };
    let folder = write::folder_of(output)?;
    if output.exists() && !existing.replace {
        return Err(refuse(output, "exists already; --force replaces it"));
    }
    let path = Journal::path_for(output);
    let unfinished = path.exists();
    if unfinished && !existing.resume && !existing.replace {
        let problem = "left by an unfinished run; continue it with --resume, or start over with --force";
        return Err(refuse(&path, problem));
    }
    // All samples go into the journal first, then into the file beside it.
    let total = (recipe.samples as u64).saturating_mul(sample_bytes(pde) as u64);
    let there = std::fs::metadata(&path).map_or(0, |file| file.len());
    check_space(&folder, total.saturating_mul(2).saturating_sub(there))?;
    check_file_size(output, total)?;
    // Created and dropped: any problem with the name or the folder shows now, not after hours.
    drop(write::create(output, &file_header(recipe, pde)?)?);
    if unfinished && existing.resume {
        Journal::resume(&path, recipe)
    } else {
        Journal::create(&path, recipe)
    }
}

/// Appends the samples of a block to the journal, as far as there is no gap, and returns whether there is none. Where another
/// process found no solution, `again` finds none either, and says why.
fn keep(
    journal: &mut Journal,
    block: Range<usize>,
    parcels: &[Vec<u8>],
    again: impl Fn(usize) -> Result<Vec<u8>>,
) -> Result<bool> {
    let mut parcels: Vec<_> = parcels.iter().map(|bytes| parcel::unpack(bytes)).collect();
    let (turns, end) = (parcels.len(), block.end);
    for (i, index) in block.enumerate() {
        match parcels[i % turns].next() {
            Some(Solved::Done(sample)) => journal.append(&sample)?,
            Some(Solved::Failed) => journal.append(&again(index)?)?,
            Some(Solved::LeftOut) | None => break,
        }
    }
    journal.flush()?;
    Ok(journal.n_samples() == end)
}

fn solve_one(pde: &dyn Pde, seed: u64, index: usize) -> Result<Vec<u8>> {
    let solved = pde.sample(&mut sample_rng(seed, index as u64));
    let encoded = solved.and_then(|samples| record::encode(&samples));
    encoded.map_err(|problem| Error::Unsolved { index, seed, problem: Box::new(problem) })
}

/// Bytes of a sample in single precision, for a PDE of one channel.
fn sample_bytes(pde: &dyn Pde) -> usize {
    let arrays = if pde.times().is_empty() { 2 } else { pde.times().len() };
    4 * arrays * pde.grids().iter().map(|grid| grid.len()).sum::<usize>()
}

/// What the file holds besides samples: the attributes of the PDE, and how to regenerate the file.
fn file_header(recipe: &Recipe, pde: &dyn Pde) -> Result<write::Header> {
    let number = |value: f64| Attribute::Numbers(vec![value]);
    let text = |value: String| Attribute::Texts(vec![value]);
    let mut attributes: Vec<(String, Attribute)> =
        pde.attributes().into_iter().map(|(name, value)| (name.into(), number(value))).collect();
    attributes.push(("generator".into(), text(format!("lto {}", recipe.version))));
    attributes.push(("generator_config".into(), text(recipe.config_json()?)));
    attributes.push(("generator_seed".into(), text(recipe.seed.to_string())));
    let (grids, times) = (pde.grids().to_vec(), pde.times().to_vec());
    Ok(write::Header { grids, times, n_samples: recipe.samples, attributes })
}

/// Refuses a disk without room for `needed` bytes.
#[cfg(unix)]
fn check_space(folder: &Path, needed: u64) -> Result<()> {
    let disk = rustix::fs::statvfs(folder)
        .map_err(|source| Error::Io { path: folder.into(), source: source.into() })?;
    let available = disk.f_bavail.saturating_mul(disk.f_frsize);
    if needed <= available {
        return Ok(());
    }
    let problem = format!(
        "{:.3e} bytes are needed here (half of them only while generating), but only {available:.3e} are free",
        needed as f64,
        available = available as f64
    );
    Err(Error::Output { path: folder.into(), problem })
}

#[cfg(not(unix))]
fn check_space(_folder: &Path, _needed: u64) -> Result<()> {
    Ok(())
}

/// Refuses files longer than the shell's limit, at which the system would kill the program without a message.
#[cfg(unix)]
fn check_file_size(output: &Path, needed: u64) -> Result<()> {
    match rustix::process::getrlimit(rustix::process::Resource::Fsize).current {
        Some(limit) if needed > limit => {
            let problem = format!(
                "needs {needed} bytes, but files are limited to {limit} here; raise the limit: ulimit -f unlimited"
            );
            Err(Error::Output { path: output.into(), problem })
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_file_size(_output: &Path, _needed: u64) -> Result<()> {
    Ok(())
}
