//! `lto theory`: measures what the theory predicts.

use super::product::{Delivery, Product, command_line};
use crate::args::{GlobalArgs, TheoryCommand};
use crate::cluster;
use crate::progress::Progress;
use anyhow::Result;
use lto_numerics::study::RatesRequest;
use lto_report::picture::{self, PictureFormat};
use lto_report::rates;
use std::process::ExitCode;

/// Measures what is asked for.
///
/// # Errors
/// An output that cannot be written.
pub fn run(command: &TheoryCommand, global: &GlobalArgs) -> Result<ExitCode> {
    let TheoryCommand::Rates(args) = command;
    let written = |product| product != Product::Csv;
    let delivery = Delivery::new(&args.output, written, "a .png, .svg or .html file or a folder")?;
    let request = RatesRequest {
        dims: args.dim.iter().map(|&dim| dim.into()).collect(),
        designs: args.designs.clone(),
        estimators: args.estimators.clone(),
        states: args.states,
        layouts: args.layouts,
        seed: args.seed,
    };
    let found = Progress::over("errors", request.steps(), global.quiet, |done| {
        request.measure(cluster::ranks().as_ref(), done)
    })?;
    if !cluster::is_first() {
        return Ok(ExitCode::SUCCESS);
    }
    delivery.deliver(
        &found,
        global,
        |color| rates::text(&found, color),
        |product, json| {
            let page = || -> Result<_> { Ok(rates::page(&found, &command_line())?.html().into_bytes()) };
            let drawing = |format| -> Result<_> { Ok(picture::still(&rates::picture(&found)?, format)?) };
            Ok(match product {
                Product::Picture(format) => vec![("", drawing(format)?)],
                Product::Folder => vec![
                    ("rates.png", drawing(PictureFormat::Png)?),
                    ("rates.html", page()?),
                    ("rates.json", json.into()),
                ],
                _ => vec![("", page()?)],
            })
        },
    )?;
    Ok(ExitCode::SUCCESS)
}
