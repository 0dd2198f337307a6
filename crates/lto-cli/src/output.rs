//! Output for people and programs: optional colors, errors with their causes, files written atomically.

use crate::args::GlobalArgs;
use crate::cluster;
use anyhow::Result;
use clap::ColorChoice;
use lto_numerics::dataset::write;
use lto_report::words::visible;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Whether to use colors on a stream: as asked, else on a terminal that has them unless `NO_COLOR` is set.
pub fn use_color(choice: ColorChoice, stream: &impl IsTerminal) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            !refused && !dumb && stream.is_terminal()
        }
    }
}

/// Prints `error: …` with its causes on standard error.
pub fn print_error(error: &anyhow::Error, color: ColorChoice) {
    let (bold, plain) = if use_color(color, &io::stderr()) { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    let mut text = format!("{bold}error:{plain} {}\n", visible(&error.to_string()));
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Library errors often quote their cause already.
        if !said.contains(&cause) {
            text.push_str(&format!("  because: {}\n", visible(&cause)));
        }
        said = cause;
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes a line for people to standard error. If the stream is closed or full, the line is lost, not the
/// work.
pub fn say(line: impl Display) {
    if !cluster::is_first() {
        return;
    }
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Whether an error only means that nobody reads our output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}

/// Prints to standard output; of several processes, the first does.
///
/// # Errors
/// The output cannot be written; see [`is_broken_pipe`].
pub fn print(text: &str) -> Result<()> {
    if !cluster::is_first() {
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Prints results: as JSON if asked, else as text unless quiet.
///
/// # Errors
/// As [`print()`].
pub fn print_results(
    results: &impl Serialize,
    json: bool,
    global: &GlobalArgs,
    text: impl FnOnce(bool) -> String,
) -> Result<()> {
    if json {
        print(&format!("{}\n", serde_json::to_string_pretty(results)?))
    } else if !global.quiet {
        print(&text(use_color(global.color, &io::stdout())))
    } else {
        Ok(())
    }
}

/// The folder of a file to write.
///
/// # Errors
/// The folder does not exist.
pub fn folder_of(path: &Path) -> Result<PathBuf> {
    Ok(write::folder_of(path)?)
}

/// Writes a file atomically.
///
/// # Errors
/// The folder does not exist or cannot be written, or the disk is full.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    Ok(write::write_whole(path, bytes)?)
}

/// Writes a value as readable JSON, atomically.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    write_atomically(path, (serde_json::to_string_pretty(value)? + "\n").as_bytes())
}
