//! `lto design`: where to put sensors.

mod comparison;
mod report;
mod study;

use super::layout;
use super::product::Product;
use crate::args::{DesignArgs, GlobalArgs};
use crate::output;
use crate::picture;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use study::Study;

/// Places sensors and says what it is worth.
///
/// # Errors
/// A domain, a region or existing sensors that do not fit, or an output that cannot be written.
pub fn run(args: &DesignArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let product = args.output.as_deref().map(|path| Product::of(path, args.force)).transpose()?;
    if let (Some(Product::Folder), Some(path)) = (product, &args.output) {
        bail!("{}: a file that ends in .csv, .png, .svg or .html is written", path.display());
    }
    let domain = layout::domain(&args.domain, args.periodic.as_ref(), args.existing.as_deref())?;
    let existing = args.existing.as_deref().map(|path| layout::sensors(path, &domain)).transpose()?;
    let study = Study::make(args, &domain, existing.as_ref(), global.quiet)?;
    if let (Some(product), Some(path)) = (product, args.output.as_deref()) {
        write(&study, args, product, path)?;
    }
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&study.summary)?))?;
    } else if !global.quiet {
        output::print(&report::text(&study, output::use_color(global.color, &std::io::stdout())))?;
        if let Some(path) = &args.output {
            output::print(&format!("{}: written\n", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(study: &Study, args: &DesignArgs, product: Product, path: &Path) -> Result<()> {
    let bytes = match product {
        Product::Csv => study.csv().into_bytes(),
        Product::Picture(format) => picture::still(&report::map(study, args)?, format)?,
        Product::Page | Product::Folder => report::page(study, args)?.html().into_bytes(),
    };
    output::write_atomically(path, &bytes)
}
