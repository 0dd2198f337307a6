//! Makes the next batches while the network computes.

use super::batches::{BatchSource, Prepared};
use crate::error::{Error, Result};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// The most batches that are ready in advance.
const READY: usize = 2;

/// A thread that makes the batches of consecutive steps, in order.
pub struct Prefetch {
    receiver: Option<Receiver<Result<Prepared>>>,
    thread: Option<JoinHandle<()>>,
}

impl Prefetch {
    /// Starts with the first of `steps`; makes some examples of each batch.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start(batches: Arc<dyn BatchSource>, steps: Range<u64>, examples: Range<usize>) -> Result<Self> {
        let (sender, receiver) = sync_channel(READY);
        let work = move || {
            for step in steps {
                let made = batches.make(step, examples.clone());
                let failed = made.is_err();
                // The receiver is gone, or no more can be made.
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
    /// Stops the thread after its current batch.
    fn drop(&mut self) {
        self.receiver = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
