//! `lto data inspect`: says what a file holds and how it was understood.

use super::open;
use crate::args::{GlobalArgs, InspectArgs};
use crate::output;
use anyhow::Result;
use lto_numerics::dataset::Inspection;
use lto_report::inspection;
use std::io;
use std::process::ExitCode;

/// Exit status if arrays are listed, but samples cannot be read without options.
const NOT_UNDERSTOOD: u8 = 3;

/// Prints the report.
///
/// # Errors
/// A file that is missing, damaged, or of no known format, or options that contradict it.
pub fn run(args: &InspectArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let (mut dataset, info) = open::open(&args.file, &args.dataset)?;
    let report = Inspection::new(&mut dataset, info, args.samples)?;
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&report)?)
    } else {
        inspection::text(&report, output::use_color(global.color, &io::stdout()))
    };
    output::print(&text)?;
    let understood = report.dataset.problem.is_none() || report.cloud.is_some();
    Ok(if understood { ExitCode::SUCCESS } else { ExitCode::from(NOT_UNDERSTOOD) })
}
