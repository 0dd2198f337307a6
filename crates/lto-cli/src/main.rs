//! The `lto` program.

// These panic if their stream is closed or full; `output::say` and `output::print` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod interrupt;
mod output;
mod progress;
mod usage;

use args::Arguments;
use clap::Parser;
use std::process::ExitCode;

/// Networks make and drop many arrays of megabytes; the system's allocator would fetch fresh pages for each.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes through here too; a closed pipe is no reason to complain.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let color = arguments.global.color;
    match commands::run(&arguments) {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::print_error(&error, color);
            if error.is::<usage::UsageError>() { ExitCode::from(usage::STATUS) } else { ExitCode::FAILURE }
        }
    }
}
