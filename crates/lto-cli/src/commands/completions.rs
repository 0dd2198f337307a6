//! `lto completions SHELL`.

use crate::args::Arguments;
use crate::output;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints the completion script.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(shell: Shell) -> Result<ExitCode> {
    // Into memory first: the generator panics if its writer fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "lto", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
