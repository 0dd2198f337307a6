//! `lto theory`: what the theory says, measured.

mod rates;
mod report;

use super::product::Product;
use crate::args::{GlobalArgs, RatesArgs, TheoryCommand};
use crate::output;
use anyhow::{Context, Result, bail};
use lto_report::picture::{self, PictureFormat};
use rates::Rates;
use std::path::Path;
use std::process::ExitCode;

/// Does what is asked.
///
/// # Errors
/// An output that cannot be written.
pub fn run(command: &TheoryCommand, global: &GlobalArgs) -> Result<ExitCode> {
    let TheoryCommand::Rates(args) = command;
    let product = args.output.as_deref().map(|path| Product::of(path, args.force)).transpose()?;
    if let (Some(Product::Csv), Some(path)) = (product, &args.output) {
        bail!("{}: .png, .svg, .html or a folder is written; --json prints the numbers", path.display());
    }
    let rates = Rates::measure(args, global.quiet)?;
    let json = serde_json::to_string_pretty(&rates)? + "\n";
    if let (Some(product), Some(path)) = (product, args.output.as_deref()) {
        write(&rates, args, product, path, &json)?;
    }
    if args.json {
        output::print(&json)?;
    } else if !global.quiet {
        output::print(&report::text(&rates, output::use_color(global.color, &std::io::stdout())))?;
        if let Some(path) = &args.output {
            output::print(&format!("{}: written\n", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(rates: &Rates, args: &RatesArgs, product: Product, path: &Path, json: &str) -> Result<()> {
    let page = || Ok::<_, anyhow::Error>(report::page(rates, args)?.html().into_bytes());
    let drawing = |format| -> Result<_> { Ok(picture::still(&report::picture(rates)?, format)?) };
    match product {
        Product::Picture(format) => output::write_atomically(path, &drawing(format)?),
        Product::Page | Product::Csv => output::write_atomically(path, &page()?),
        Product::Folder => {
            std::fs::create_dir_all(path).with_context(|| path.display().to_string())?;
            output::write_atomically(&path.join("rates.png"), &drawing(PictureFormat::Png)?)?;
            output::write_atomically(&path.join("rates.html"), &page()?)?;
            output::write_atomically(&path.join("rates.json"), json.as_bytes())
        }
    }
}
