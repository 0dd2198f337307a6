//! `lto certify`: how far estimates between sensors can be off.

mod encoder;

use super::known;
use super::product::{Delivery, Product, command_line};
use crate::args::{CertifyArgs, GlobalArgs};
use crate::output;
use crate::progress::Progress;
use crate::usage::UsageError;
use anyhow::{Result, bail, ensure};
use encoder::Encoder;
use lto_numerics::SetConv;
use lto_numerics::dataset::{PointFile, Readings};
use lto_numerics::study::SensorCertificate;
use lto_numerics::theory::Regularity;
use lto_report::certificate;
use std::process::ExitCode;

/// Certifies a layout.
///
/// # Errors
/// Sensors or data that cannot be read or do not fit the domain, too little known about the states, or an output that
/// cannot be written.
pub fn run(args: &CertifyArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let written = |product| matches!(product, Product::Page | Product::Folder);
    let delivery = Delivery::new(&args.output, written, "a page (.html) or a folder")?;
    let data = known::data(&args.regularity, &args.dataset)?;
    let encoder = args.run.as_deref().map(encoder::read).transpose()?;
    let mut file = PointFile::open(&args.sensors)?;
    let domain = match &encoder {
        Some(encoder) if args.dataset.domain.is_none() && data.is_none() => encoder.domain().clone(),
        _ => known::domain(&args.dataset, data.as_ref(), &file.axis_names())?,
    };
    // An encoder averages, which nothing bounds where states may have any range.
    let of = if encoder.is_some() { Regularity::new } else { Regularity::of_any_range };
    let regularity = known::regularity(&args.regularity, data.as_ref(), &domain, "a certificate", of)?;
    let readings = file.on(&domain)?;
    let sensors = readings.sensors()?;
    let noise = args.noise.as_deref().map(|noise| deviations(noise, &readings)).transpose()?;
    if let Some(remark) = encoder.as_ref().and_then(Encoder::remark) {
        output::say(format_args!("note: {remark}"));
    }
    let encoder = encoder.map(|encoder| encoder.setconv(&sensors)).transpose()?;
    let setconv = match args.length_scale {
        Some(ell) => {
            Some(encoder.map_or_else(|| SetConv::new(ell), |encoder| encoder.with_length_scale(ell))?)
        }
        None => encoder,
    };
    let found = Progress::over("steps", SensorCertificate::STEPS, global.quiet, |done| {
        SensorCertificate::new(sensors, regularity, data, setconv, done)
    })?;
    let found = match noise {
        Some(deviations) => found.with_noise(&deviations)?,
        None => found,
    };
    delivery.deliver(
        &found,
        global,
        |color| certificate::text(&found, color),
        |product, json| {
            let page = certificate::page(&found, &command_line())?.html().into_bytes();
            Ok(match product {
                Product::Folder => vec![("page.html", page), ("certificate.json", json.into())],
                _ => vec![("", page)],
            })
        },
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The noise of each sensor: one number for all, or the mean of a column over the rows of each place.
fn deviations(noise: &str, readings: &Readings) -> Result<Vec<f64>> {
    let places = readings.places(0..readings.len());
    if let Ok(number) = noise.parse::<f64>() {
        ensure!(number >= 0.0 && number.is_finite(), UsageError::new("noise", noise, "must not be negative"));
        return Ok(vec![number; places.len()]);
    }
    let Some(column) = readings.names.iter().position(|name| name.eq_ignore_ascii_case(noise)) else {
        let requirement =
            format!("is neither a number nor a column of the file, which has {}", readings.names.join(", "));
        return Err(UsageError::new("noise", noise, requirement).into());
    };
    let mean = |rows: &Vec<usize>| {
        rows.iter().map(|&row| readings.values[column][row]).sum::<f64>() / rows.len() as f64
    };
    let found: Vec<f64> = places.iter().map(mean).collect();
    if let Some(bad) = found.iter().position(|s| !(*s >= 0.0 && s.is_finite())) {
        bail!(
            readings
                .refuse(Some(places[bad][0]), format!("{noise} = {} is no standard deviation", found[bad]))
        );
    }
    Ok(found)
}
