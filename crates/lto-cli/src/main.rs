//! The `lto` program.

// These panic if their stream is closed or full; `output::say` and `output::print` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod cluster;
mod commands;
mod device;
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

/// Exit status of a command that failed.
const FAILURE: u8 = 1;

fn main() -> ExitCode {
    let mut arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes through here too; a closed pipe is no reason to complain.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let color = arguments.global.color;
    // Until the end of `main`.
    let _session = match cluster::join(&arguments.command) {
        Ok(session) => session,
        Err(error) => {
            output::print_error(&error, color);
            return ExitCode::from(usage::STATUS);
        }
    };
    arguments.global.quiet |= !cluster::is_first();
    match commands::run(&arguments) {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let status = if error.is::<usage::UsageError>() { usage::STATUS } else { FAILURE };
            cluster::fail(
                |rank| {
                    let error = match rank {
                        Some(rank) => error.context(format!("process {rank} failed, and all stop")),
                        None => error,
                    };
                    output::print_error(&error, color);
                },
                status,
            );
            ExitCode::from(status)
        }
    }
}
