//! `lto info`: describes a model.

use crate::args::{GlobalArgs, InfoArgs};
use crate::output;
use anyhow::Result;
use lto::description::Description;
use lto_report::model::text;
use std::process::ExitCode;

/// Prints the description.
///
/// # Errors
/// A model or configuration that cannot be read.
pub fn run(args: &InfoArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let model = Description::read(&args.model)?;
    let printed = if args.json {
        serde_json::to_string_pretty(&model)? + "\n"
    } else {
        text(&model, output::use_color(global.color, &std::io::stdout()))
    };
    output::print(&printed)?;
    Ok(ExitCode::SUCCESS)
}
