//! Work of the libraries, without the interpreter's lock.

use crate::error::{Result, failed};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process whose threads compute; 0 before any work.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Works while other threads of Python go on.
///
/// # Errors
/// A process in which [`own_threads`] finds none.
pub fn detached<T: Send>(py: Python, work: impl FnOnce() -> T + Send) -> Result<T> {
    own_threads()?;
    Ok(py.detach(work))
}

/// Makes sure that there are threads to compute on.
///
/// # Errors
/// A process that was forked from one that had begun to compute: the threads stayed there, and work would wait for them forever.
pub fn own_threads() -> Result<()> {
    let process = std::process::id();
    match PROCESS.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != process => Err(failed(format!(
            "process {process} was forked from {first} after lto had begun to compute there, whose threads it does not have; \
             start processes by multiprocessing.get_context(\"spawn\")"
        ))),
        _ => Ok(()),
    }
}
