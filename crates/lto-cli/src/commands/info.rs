//! `lto info`: describes a model, or makes its folder a model repository.

use crate::args::{GlobalArgs, InfoArgs};
use crate::output;
use anyhow::Result;
use lto::description::Description;
use lto_report::{card, model::text};
use std::process::ExitCode;

/// Prints the description, or writes the card.
///
/// # Errors
/// A model or configuration that cannot be read, or a card that cannot be written.
pub fn run(args: &InfoArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let model = Description::read(&args.model)?;
    let printed = if args.card {
        let written = card::write(&model, &args.license, args.force)?;
        written
            .iter()
            .filter(|_| !global.quiet)
            .map(|file| format!("{}: written\n", file.display()))
            .collect()
    } else if args.json {
        serde_json::to_string_pretty(&model)? + "\n"
    } else {
        text(&model, output::use_color(global.color, &std::io::stdout()))
    };
    output::print(&printed)?;
    Ok(ExitCode::SUCCESS)
}
