//! `lto compare`: evaluations side by side.

use super::evaluate::{check_output, present};
use crate::args::{CompareArgs, GlobalArgs};
use anyhow::{Result, ensure};
use lto::evaluate::evaluation;
use std::process::ExitCode;

/// Compares.
///
/// # Errors
/// An evaluation that is missing or cannot be read, or a folder that cannot be written.
pub fn run(args: &CompareArgs, global: &GlobalArgs) -> Result<ExitCode> {
    check_output(&args.shown)?;
    let mut evaluations = Vec::new();
    for path in &args.evaluations {
        ensure!(
            !path.is_dir() || path.join(evaluation::FILE_NAME).is_file(),
            "{0}: holds no {1}; make it with: lto evaluate {0}",
            path.display(),
            evaluation::FILE_NAME
        );
        evaluations.extend(evaluation::read(path)?);
    }
    present(&evaluations, &args.shown, global)?;
    Ok(ExitCode::SUCCESS)
}
