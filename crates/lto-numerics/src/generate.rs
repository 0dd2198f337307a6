//! Datasets of random problems of a PDE, solved on all cores. Every solved sample goes into a journal beside
//! the file, so an interrupted generation resumes where it stopped and produces the same bytes.

mod journal;
mod record;

pub use journal::{Journal, Recipe};

use crate::dataset::format::Attribute;
use crate::dataset::write;
use crate::error::{Error, Result};
use crate::pde::{Pde, sample_rng};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
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
    journal: Journal,
}

impl Generation {
    /// Prepares a generation into `output`, whose suffix determines the format. Whatever can be refused is
    /// refused here, before anything is computed.
    ///
    /// # Errors
    /// Parameters out of range, an existing file or journal that may not be replaced, a folder that is
    /// missing or cannot be written, an unknown suffix, a disk too full, or a journal of something else.
    pub fn begin(recipe: Recipe, output: &Path, existing: Existing) -> Result<Self> {
        let pde = recipe.config.build()?;
        let refuse =
            |path: &Path, problem: &str| Error::Output { path: path.into(), problem: problem.into() };
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
        let total = (recipe.samples as u64).saturating_mul(sample_bytes(pde.as_ref()) as u64);
        let there = std::fs::metadata(&path).map_or(0, |file| file.len());
        check_space(&folder, total.saturating_mul(2).saturating_sub(there))?;
        check_file_size(output, total)?;
        // Created and dropped: any problem with the name or the folder shows now, not after hours.
        drop(write::create(output, &file_header(&recipe, pde.as_ref())?)?);
        let journal = if unfinished && existing.resume {
            Journal::resume(&path, &recipe)?
        } else {
            Journal::create(&path, &recipe)?
        };
        Ok(Self { recipe, pde, output: output.into(), journal })
    }

    /// Number of samples solved so far, in this run or before.
    pub fn solved(&self) -> usize {
        self.journal.len()
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
        if let Err(error) = self.solve(progress, stop) {
            if matches!(error, Error::Unsolved { .. }) {
                self.journal.remove()?;
            }
            return Err(error);
        }
        let finished = self.journal.len() == self.recipe.samples && self.write(stop)?;
        if finished {
            self.journal.remove()?;
        }
        Ok(finished)
    }

    /// In blocks, so that memory stays bounded and the journal receives the samples in order.
    fn solve(&mut self, progress: &mut dyn FnMut(usize), stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let (pde, seed, samples) = (self.pde.as_ref(), self.recipe.seed, self.recipe.samples);
        let threads = rayon::current_num_threads();
        let at_most = (BLOCK_BYTES / sample_bytes(pde).max(1)).max(threads);
        let mut block = threads.min(at_most);
        while self.journal.len() < samples && !stop() {
            let started = Instant::now();
            let end = samples.min(self.journal.len() + block);
            let solved: Vec<Option<Result<Vec<u8>>>> = (self.journal.len()..end)
                .into_par_iter()
                .map(|index| (!stop()).then(|| solve_one(pde, seed, index)))
                .collect();
            // Up to the first sample left out, so that the journal has no gaps.
            for sample in solved.into_iter().map_while(|sample| sample) {
                self.journal.append(&sample?)?;
            }
            self.journal.flush()?;
            progress(self.journal.len());
            if started.elapsed() < BLOCK_TIME {
                block = (2 * block).min(at_most);
            }
        }
        Ok(())
    }

    /// Writes the file from a complete journal; `false`, and no file, if stopped.
    fn write(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Result<bool> {
        let pde = self.pde.as_ref();
        let mut writer = write::create(&self.output, &file_header(&self.recipe, pde)?)?;
        for sample in self.journal.samples()? {
            if stop() {
                return Ok(false);
            }
            let sample = record::decode(pde, &sample?);
            writer.append(&sample.ok_or_else(|| self.journal.damaged())?)?;
        }
        writer.finish()?;
        Ok(true)
    }
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
