//! Ctrl-C: the first asks the running command to stop between two samples, the second stops at once.

use crate::output;
use anyhow::{Context, Result};
use std::process::ExitCode;
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

/// The end of a command that was interrupted, which says so: `told` is what is left, and what to do next. Any other error stays
/// one.
///
/// # Errors
/// Any other error.
pub fn or_fail(error: anyhow::Error, told: &str) -> Result<ExitCode> {
    match error.downcast_ref::<lto::Error>() {
        Some(lto::Error::Interrupted) => {
            output::say(format_args!("interrupted; {told}"));
            Ok(ExitCode::from(STATUS))
        }
        _ => Err(error),
    }
}

/// Whether the command should stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}
