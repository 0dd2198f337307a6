//! `lto certify`: how far estimates between sensors can be off.

mod analysis;
mod encoder;
mod page;
mod text;

use super::product::Product;
use super::{layout, states};
use crate::args::{CertifyArgs, GlobalArgs};
use crate::output;
use analysis::Analysis;
use anyhow::{Context, Result, bail};
use lto_numerics::SetConv;
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
    let known = &args.regularity;
    let data = states::estimate(known, &args.dataset)?;
    let encoder = args.run.as_deref().map(encoder::read).transpose()?;
    let domain = match &encoder {
        Some(encoder) if args.dataset.domain.is_none() && data.is_none() => encoder.domain.clone(),
        _ => states::domain(&args.dataset, data.as_ref(), Some(&args.sensors))?,
    };
    let regularity = match &data {
        Some(data) => data.regularity.clone(),
        None => layout::regularity(known, &domain, "a certificate")?,
    };
    let sensors = layout::sensors(&args.sensors, &domain)?;
    let encoder = encoder.map(|encoder| encoder.setconv);
    let setconv = match args.length_scale {
        Some(ell) => {
            Some(encoder.map_or_else(|| SetConv::new(ell), |encoder| encoder.with_length_scale(ell))?)
        }
        None => encoder,
    };
    let analysis = Analysis::make(setconv, &sensors, regularity, data, global.quiet)?;
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
