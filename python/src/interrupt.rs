//! Ctrl-C while the libraries compute.

use crate::detached::detached;
use crate::error::Result;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often signals are looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// Works on a thread of its own, while this one looks for Ctrl-C and then sets `stop`. What is raised meanwhile is returned
/// once the work has stopped; a panic of the work goes on here.
///
/// # Errors
/// Ctrl-C, as `KeyboardInterrupt`.
pub fn watched<T: Send>(py: Python, stop: &AtomicBool, work: impl FnOnce() -> T + Send) -> Result<T> {
    detached(py, || {
        std::thread::scope(|scope| {
            let (done, finished) = channel();
            let worker = scope.spawn(move || {
                let result = work();
                // Nobody waits for the message any more if this thread has ended early.
                let _ = done.send(());
                result
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(PAUSE) {
                if let (None, Err(error)) = (&raised, Python::attach(|py| py.check_signals())) {
                    stop.store(true, Ordering::SeqCst);
                    raised = Some(error);
                }
            }
            match (worker.join(), raised) {
                (Err(panic), _) => std::panic::resume_unwind(panic),
                (Ok(_), Some(error)) => Err(error.into()),
                (Ok(result), None) => Ok(result),
            }
        })
    })?
}

/// As [`watched`], for work that cannot be stopped: it is left to itself, and its result is dropped.
///
/// # Errors
/// Ctrl-C, as `KeyboardInterrupt`.
pub fn abandoned<T: Send + 'static>(py: Python, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    detached(py, || {
        let (done, finished) = channel();
        let worker = std::thread::spawn(move || {
            // Nobody waits for the result any more after Ctrl-C.
            let _ = done.send(work());
        });
        loop {
            match finished.recv_timeout(PAUSE) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => {
                    let panic =
                        worker.join().err().unwrap_or_else(|| Box::new("the work ended without a result"));
                    std::panic::resume_unwind(panic);
                }
            }
        }
    })?
}

/// As [`abandoned`] if the work may be `long`, else on this thread: another one would cost a short prediction a good part of its time.
///
/// # Errors
/// Ctrl-C during long work, as `KeyboardInterrupt`; after short work Python raises it itself.
pub fn heeding<T: Send + 'static>(
    py: Python,
    long: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if long { abandoned(py, work) } else { detached(py, work) }
}
