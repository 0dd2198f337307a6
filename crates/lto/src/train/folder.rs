//! The folder of a run.

use super::{checkpoint, metrics};
use crate::error::{Error, Result};
use crate::evaluate::evaluation;
use crate::experiment::{Experiment, Setting};
use crate::model;
use lto_numerics::dataset::write::AtomicFile;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The resolved configuration.
pub const CONFIG_FILE: &str = "config.toml";

/// Makes the folder of a new run, and takes away the files of a run that it holds already.
///
/// # Errors
/// A folder that cannot be written.
pub fn create(run: &Path) -> Result<()> {
    std::fs::create_dir_all(run).map_err(Error::io(run))?;
    files(run)?.iter().try_for_each(|path| std::fs::remove_file(path).map_err(Error::io(path)))?;
    forget_evaluation(run)
}

/// Takes away the evaluation that is kept with a run: it is not that of the model that is trained now.
///
/// # Errors
/// A file that cannot be removed.
pub fn forget_evaluation(run: &Path) -> Result<()> {
    let path = run.join(evaluation::FILE_NAME);
    if path.exists() { std::fs::remove_file(&path).map_err(Error::io(&path)) } else { Ok(()) }
}

/// Refuses a folder that holds a run already.
///
/// # Errors
/// [`Error::RunExists`], or a folder that cannot be read.
pub fn refuse_existing(run: &Path) -> Result<()> {
    if run.exists() && !files(run)?.is_empty() {
        return Err(Error::RunExists { path: run.into() });
    }
    Ok(())
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
