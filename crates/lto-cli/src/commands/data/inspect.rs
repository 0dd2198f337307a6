//! `lto data inspect`: says what a file holds and how it was understood.

use super::open;
use crate::args::{GlobalArgs, InspectArgs};
use crate::output;
use crate::usage::UsageError;
use anyhow::Result;
use lto_numerics::dataset::Inspection;
use lto_numerics::records::{FaultPolicy, RecordInspection, RecordOptions, Records};
use lto_report::picture::PictureFormat;
use lto_report::{inspection, records};
use std::io;
use std::process::ExitCode;

/// Exit status if arrays are listed, but samples cannot be read without options.
const NOT_UNDERSTOOD: u8 = 3;

/// Prints the report.
///
/// # Errors
/// A file that is missing, damaged, or of no known format, or options that contradict it.
pub fn run(args: &InspectArgs, global: &GlobalArgs) -> Result<ExitCode> {
    if args.records || Records::recognizes(&args.file) {
        return of_records(args, global);
    }
    if let Some(picture) = &args.output {
        let problem = "is for records of stations; of a field, lto data plot draws a picture";
        return Err(UsageError::new("output", picture.display(), problem).into());
    }
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

/// Prints what a record of stations holds, faulty rows counted instead of refused.
fn of_records(args: &InspectArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let format = args.output.as_deref().map(PictureFormat::from_path).transpose()?;
    let options = RecordOptions {
        variables: args.dataset.keys.clone(),
        domain: args.dataset.domain.clone(),
        periodic: args.dataset.periodic.clone(),
        faults: FaultPolicy::Skip,
        ..args.record.options()
    };
    let report = RecordInspection::new(&Records::open(&args.file, &options)?)?;
    if let (Some(format), Some(path)) = (format, &args.output) {
        output::folder_of(path)?;
        output::write_atomically(path, &records::picture(&report, format)?)?;
    }
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&report)?)
    } else {
        records::text(&report, output::use_color(global.color, &io::stdout()))
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
