//! The folder of a run.

use super::{checkpoint, metrics};
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Setting};
use crate::model;
use lto_numerics::dataset::write::AtomicFile;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The resolved configuration.
pub const CONFIG_FILE: &str = "config.toml";

/// The evaluation of the trained model.
pub const EVALUATION_FILE: &str = "evaluation.json";

/// Locked while a process trains in the folder, and holds its id.
const LOCK_FILE: &str = ".lock";

/// Holds a new run until its first model replaces the old run.
pub const REPLACEMENT: &str = "replacement";

/// The folder of a run, locked against other processes.
pub struct RunFolder {
    path: PathBuf,
    current: PathBuf,
    /// The system unlocks it, however the process ends.
    lock: Option<File>,
}

impl RunFolder {
    /// Locks the folder of an existing run.
    ///
    /// # Errors
    /// [`Error::RunInUse`], or a folder that cannot be read or written.
    pub fn open(run: &Path) -> Result<Self> {
        let lock = if holds_run(run)? { Some(lock(run)?) } else { None };
        Ok(Self { path: run.into(), current: run.into(), lock })
    }

    /// The folder of a run that another process writes.
    pub fn watched(run: &Path) -> Self {
        Self { path: run.into(), current: run.into(), lock: None }
    }

    /// Prepares the folder for a new run. An existing run stays until [`RunFolder::replace`].
    ///
    /// # Errors
    /// [`Error::RunInUse`], [`Error::RunExists`] unless it may be replaced, or a folder that cannot be written.
    pub fn begin(&mut self, overwrite: bool) -> Result<()> {
        std::fs::create_dir_all(&self.path).map_err(Error::io(&self.path))?;
        if self.lock.is_none() {
            self.lock = Some(lock(&self.path)?);
        }
        if !holds_run(&self.path)? {
            return Ok(());
        }
        if !overwrite {
            return Err(Error::RunExists { path: self.path.clone() });
        }
        self.current = self.path.join(REPLACEMENT);
        if self.current.exists() {
            std::fs::remove_dir_all(&self.current).map_err(Error::io(&self.current))?;
        }
        std::fs::create_dir(&self.current).map_err(Error::io(&self.current))
    }

    /// The folder the user gave.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the files of the run are written: the folder itself, or [`REPLACEMENT`] in it.
    pub fn current(&self) -> &Path {
        &self.current
    }

    /// Replaces the files of the old run, if any, by the new run's.
    ///
    /// # Errors
    /// A file that cannot be moved or removed.
    pub fn replace(&mut self) -> Result<()> {
        if self.current == self.path {
            return Ok(());
        }
        self.forget_evaluation()?;
        let mut old = files(&self.path)?;
        for from in files(&self.current)? {
            let to = self.path.join(from.file_name().unwrap_or_default());
            std::fs::rename(&from, &to).map_err(Error::io(&to))?;
            old.retain(|path| *path != to);
        }
        old.iter().try_for_each(|path| std::fs::remove_file(path).map_err(Error::io(path)))?;
        std::fs::remove_dir(&self.current).map_err(Error::io(&self.current))?;
        self.current.clone_from(&self.path);
        Ok(())
    }

    /// Removes the evaluation of a model that is about to be replaced.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn forget_evaluation(&self) -> Result<()> {
        let path = self.path.join(EVALUATION_FILE);
        if path.exists() { std::fs::remove_file(&path).map_err(Error::io(&path)) } else { Ok(()) }
    }
}

/// Locks a folder for this process.
fn lock(run: &Path) -> Result<File> {
    let path = run.join(LOCK_FILE);
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = open.map_err(Error::io(&path))?;
    // Some network file systems have no locks; training there is still fine.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let mut text = String::new();
        let process = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
        return Err(Error::RunInUse { path: run.into(), process });
    }
    let write = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    write.map_err(Error::io(&path))?;
    Ok(file)
}

/// Refuses a folder that already holds a run.
///
/// # Errors
/// [`Error::RunExists`], or a folder that cannot be read.
pub fn refuse_existing(run: &Path) -> Result<()> {
    if holds_run(run)? { Err(Error::RunExists { path: run.into() }) } else { Ok(()) }
}

fn holds_run(run: &Path) -> Result<bool> {
    Ok(run.exists() && !files(run)?.is_empty())
}

/// The files of a run in a folder.
fn files(run: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(run).map_err(Error::io(run))? {
        let entry = entry.map_err(Error::io(run))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let of_a_run =
            [CONFIG_FILE, checkpoint::FILE_NAME, metrics::FILE_NAME, model::FILE_NAME].contains(&&*name);
        if of_a_run || name.starts_with("events.out.tfevents.") {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Writes the configuration of a run.
///
/// # Errors
/// The file cannot be written.
pub fn write_config(run: &Path, experiment: &Experiment) -> Result<()> {
    let path = run.join(CONFIG_FILE);
    let mut file = AtomicFile::create(&path)?;
    file.file().write_all(experiment.to_toml()?.as_bytes()).map_err(Error::io(&path))?;
    Ok(file.finish()?)
}

/// Reads the configuration of a run.
///
/// # Errors
/// A folder that holds no run, or a configuration that is not understood.
pub fn read_config(run: &Path, overrides: &[Setting]) -> Result<Experiment> {
    let path = run.join(CONFIG_FILE);
    if !path.is_file() || !run.join(checkpoint::FILE_NAME).is_file() {
        return Err(Error::bad_file(
            run,
            "holds no run to resume: config.toml and checkpoint.safetensors are needed",
        ));
    }
    Experiment::read(&path, overrides)
}
