//! Ctrl-C: the first asks the running command to stop between two samples, the second stops at once.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of an interrupted command, as shells have it.
pub const STATUS: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C (and termination) from here on.
///
/// # Errors
/// The operating system refuses.
pub fn listen() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(STATUS));
        }
    })
    .context("listening for Ctrl-C")
}

/// Whether the command should stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}
