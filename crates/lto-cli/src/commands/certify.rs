//! `lto certify`: how far estimates between sensors can be off.

mod analysis;
mod page;
mod states;
mod text;

use super::layout;
use super::product::Product;
use crate::args::{CertifyArgs, GlobalArgs};
use crate::output;
use crate::usage::UsageError;
use analysis::Analysis;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::ExitCode;

/// Certifies a layout.
///
/// # Errors
/// Sensors or data that cannot be read or do not fit the domain, too little known about the states, or an output that
/// cannot be written.
pub fn run(args: &CertifyArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let product = args.output.as_deref().map(|path| Product::of(path, args.force)).transpose()?;
    if let (Some(Product::Csv | Product::Picture(_)), Some(path)) = (product, &args.output) {
        bail!("{}: a page that ends in .html, or a folder, is written", path.display());
    }
    let estimated = args.data.as_deref().map(|file| states::estimate(file, &args.dataset)).transpose()?;
    let domain = match (&args.dataset.domain, &estimated) {
        (Some(bounds), _) => layout::domain(bounds, args.dataset.periodic.as_ref(), Some(&args.sensors))?,
        (None, Some(estimated)) => estimated.domain.clone(),
        (None, None) => {
            return Err(UsageError::new("domain", "", "needed without --data: bounds as 0:1,0:1").into());
        }
    };
    let regularity = match &estimated {
        Some(estimated) => estimated.regularity.clone(),
        None => layout::regularity(&args.regularity, &domain, "a certificate (or --data)")?,
    };
    let sensors = layout::sensors(&args.sensors, &domain)?;
    let analysis = Analysis::make(args, &sensors, regularity, estimated.as_ref(), global.quiet)?;
    let json = serde_json::to_string_pretty(&analysis.summary)? + "\n";
    if let (Some(product), Some(path)) = (product, args.output.as_deref()) {
        write(&analysis, args, product, path, &json)?;
    }
    if args.json {
        output::print(&json)?;
    } else if !global.quiet {
        output::print(&text::text(&analysis, output::use_color(global.color, &std::io::stdout())))?;
        if let Some(path) = &args.output {
            output::print(&format!("{}: written\n", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(analysis: &Analysis, args: &CertifyArgs, product: Product, path: &Path, json: &str) -> Result<()> {
    let html = page::page(analysis, args)?.html();
    if product != Product::Folder {
        return output::write_atomically(path, html.as_bytes());
    }
    std::fs::create_dir_all(path).with_context(|| path.display().to_string())?;
    output::write_atomically(&path.join("page.html"), html.as_bytes())?;
    output::write_atomically(&path.join("certificate.json"), json.as_bytes())
}
