//! Ctrl-C, SIGTERM and SIGHUP: the first asks the running command to save and stop, the second stops at once.

use crate::output;
use anyhow::{Context, Result};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of an interrupted command, by the shells' convention.
pub const STATUS: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C, termination and hang-up from here on. A hang-up that was ignored when the program started (`nohup`)
/// stays ignored.
///
/// # Errors
/// The operating system refuses.
pub fn listen() -> Result<()> {
    let context = "listening for Ctrl-C";
    #[cfg(unix)]
    let hangup = hangup::disposition().context(context)?;
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(STATUS));
        }
    })
    .context(context)?;
    #[cfg(unix)]
    hangup::keep_ignored(&hangup).context(context)?;
    Ok(())
}

/// What a hang-up of the terminal does to the program.
#[cfg(unix)]
mod hangup {
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

    /// What a hang-up does now; from here it is ignored until a handler is set.
    pub fn disposition() -> nix::Result<SigAction> {
        let ignore = SigAction::new(SigHandler::SigIgn, SaFlags::empty(), SigSet::empty());
        // SAFETY: ignoring a signal runs no handler.
        unsafe { sigaction(Signal::SIGHUP, &ignore) }
    }

    /// Ignores hang-ups again if they were ignored before.
    pub fn keep_ignored(before: &SigAction) -> nix::Result<()> {
        if matches!(before.handler(), SigHandler::SigIgn) {
            // SAFETY: as above.
            unsafe { sigaction(Signal::SIGHUP, before) }?;
        }
        Ok(())
    }
}

/// Ends an interrupted command and says so: `told` is what is left, and what to do next.
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
