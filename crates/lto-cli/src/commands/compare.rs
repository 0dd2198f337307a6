//! `lto compare`: evaluations side by side.

use super::evaluate::present;
use crate::args::{CompareArgs, GlobalArgs};
use anyhow::Result;
use lto::evaluate::evaluation;
use std::process::ExitCode;

/// Compares.
///
/// # Errors
/// An evaluation that cannot be read, or a folder that cannot be written.
pub fn run(args: &CompareArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let mut evaluations = Vec::new();
    for path in &args.evaluations {
        evaluations.extend(evaluation::read(path)?);
    }
    present(&evaluations, &args.shown, global)?;
    Ok(ExitCode::SUCCESS)
}
