//! `lto design`: where to put sensors.

mod comparison;
mod judge;
mod report;
mod study;

use super::product::Product;
use super::{layout, states};
use crate::args::{DesignArgs, GlobalArgs, ObjectiveArg};
use crate::output;
use crate::usage::UsageError;
use anyhow::{Result, bail};
use lto_numerics::Domain;
use lto_numerics::theory::Regularity;
use lto_report::picture;
use std::path::Path;
use std::process::ExitCode;
use study::Study;

/// Places sensors and says what it is worth.
///
/// # Errors
/// A domain, a region or existing sensors that do not fit, flags that mean nothing here, or an output that cannot be
/// written.
pub fn run(args: &DesignArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let product = args.output.as_deref().map(|path| Product::of(path, args.force)).transpose()?;
    if let (Some(Product::Folder), Some(path)) = (product, &args.output) {
        bail!("{}: a file that ends in .csv, .png, .svg or .html is written", path.display());
    }
    let (domain, regularity) = known(args)?;
    for region in &args.avoid {
        region.check(domain.dim()).map_err(|_| {
            UsageError::new("avoid", region, format!("must have {} coordinates, as {domain}", domain.dim()))
        })?;
    }
    let existing = args.existing.as_deref().map(|path| layout::sensors(path, &domain)).transpose()?;
    let study = Study::make(args, &domain, existing.as_ref(), regularity, global.quiet)?;
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

/// The domain and, for the certificate, what is known about the states.
fn known(args: &DesignArgs) -> Result<(Domain, Option<Regularity>)> {
    let (known, existing) = (&args.regularity, args.existing.as_deref());
    if args.objective == ObjectiveArg::Fill {
        let given = [
            ("curvature", known.curvature.is_some()),
            ("sup", known.sup.is_some()),
            ("gradient", known.gradient.is_some()),
            ("data", known.data.is_some()),
            ("margin", known.margin.is_some()),
            ("length-scale", args.length_scale.is_some()),
            ("estimator", args.estimator.is_some()),
        ];
        if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(UsageError::idle(flag, "--objective certificate").into());
        }
        return Ok((states::domain(&args.dataset, None, existing)?, None));
    }
    let data = states::estimate(known, &args.dataset)?;
    let domain = states::domain(&args.dataset, data.as_ref(), existing)?;
    let regularity = match data {
        Some(data) => data.regularity,
        None => layout::regularity(known, &domain, "--objective certificate")?,
    };
    Ok((domain, Some(regularity)))
}

fn write(study: &Study, args: &DesignArgs, product: Product, path: &Path) -> Result<()> {
    let bytes = match product {
        Product::Csv => study.csv().into_bytes(),
        Product::Picture(format) => picture::still(&report::map(study, args)?, format)?,
        Product::Page | Product::Folder => report::page(study, args)?.html().into_bytes(),
    };
    output::write_atomically(path, &bytes)
}
