//! The next batches are made while the network computes.

use super::batches::{Batches, Prepared};
use crate::error::{Error, Result};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// So many batches are ready at most.
const READY: usize = 2;

/// A thread that makes the batches of consecutive steps, in order.
pub struct Prefetch {
    receiver: Option<Receiver<Result<Prepared>>>,
    thread: Option<JoinHandle<()>>,
}

impl Prefetch {
    /// Starts with the first of `steps`.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn start(batches: Arc<Batches>, steps: Range<u64>) -> Result<Self> {
        let (sender, receiver) = sync_channel(READY);
        let work = move || {
            for step in steps {
                let made = batches.make(step);
                let failed = made.is_err();
                // Nobody waits any more, or nothing can be made any more.
                if sender.send(made).is_err() || failed {
                    return;
                }
            }
        };
        let builder = std::thread::Builder::new().name("lto-batches".into());
        let thread = builder.spawn(work).map_err(|source| Error::Io { path: "batches".into(), source })?;
        Ok(Self { receiver: Some(receiver), thread: Some(thread) })
    }

    /// The batch of the next step.
    ///
    /// # Errors
    /// The batch cannot be made; after that, and after the last step, [`Error::NoBatch`].
    pub fn take(&mut self) -> Result<Prepared> {
        self.receiver.as_ref().and_then(|r| r.recv().ok()).unwrap_or(Err(Error::NoBatch))
    }
}

impl Drop for Prefetch {
    /// Stops the thread, after the batch it is at.
    fn drop(&mut self) {
        self.receiver = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
