//! `lto completions SHELL`.

use crate::args::{Arguments, CompletionsArgs, GlobalArgs};
use crate::output;
use anyhow::Result;
use clap::CommandFactory;
use std::process::ExitCode;

/// Prints the completion script.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &CompletionsArgs, _global: &GlobalArgs) -> Result<ExitCode> {
    // Into memory first: the generator panics where its writer fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "lto", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
