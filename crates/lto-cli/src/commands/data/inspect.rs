//! `lto data inspect`: says what a file holds and how it was understood.

mod cloud;
mod spectrum;
mod text;

use super::open;
use crate::args::{GlobalArgs, InspectArgs};
use crate::output;
use anyhow::Result;
use cloud::CloudSummary;
use lto_numerics::dataset::format::csv::PointCloud;
use lto_numerics::dataset::{Dataset, DatasetInfo, DatasetKind, DatasetSummary, LayoutKind};
use lto_numerics::metric::spectrum::{Spectrum, power_spectrum};
use lto_numerics::{Field, Sample};
use serde::Serialize;
use spectrum::SpectrumSummary;
use std::io;
use std::process::ExitCode;

/// Exit status where the arrays are listed, but samples cannot be read without options.
const NOT_UNDERSTOOD: u8 = 3;
/// How many samples the spectrum is the mean of.
const SPECTRUM_SAMPLES: usize = 4;

/// Everything that is said about a file. The keys of its JSON are stable.
#[derive(Serialize)]
pub struct Report<'a> {
    /// What was recognized.
    dataset: &'a DatasetInfo,
    /// Statistics of the samples looked at; none where the arrays are not understood.
    summary: Option<DatasetSummary>,
    /// Spectrum of each channel at its last frame; none where the grid is not known or not uniform.
    spectra: Vec<SpectrumSummary>,
    /// The columns of a point cloud.
    cloud: Option<CloudSummary>,
}

/// Prints the report.
///
/// # Errors
/// A file that is missing, damaged, or of no known format, or options that contradict it.
pub fn run(args: &InspectArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let (mut dataset, info) = open::open(&args.file, &args.dataset)?;
    let wanted = args.samples.min(info.n_samples);
    let summary = match info.kind {
        Some(_) if wanted > 0 => Some(DatasetSummary::of(&mut dataset, Some(wanted))?),
        _ => None,
    };
    let spectra = match info.grid {
        Some(_) => spectra(&mut dataset, wanted.min(SPECTRUM_SAMPLES))?,
        None => Vec::new(),
    };
    let cloud = match info.layout {
        LayoutKind::PointCloud => dataset.table().map(|table| CloudSummary::new(&PointCloud::from(table))),
        _ => None,
    };
    let report = Report { dataset: &info, summary, spectra, cloud };
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&report)?)
    } else {
        text::report(&report, output::use_color(global.color, &io::stdout()))
    };
    output::print(&text)?;
    let understood = info.problem.is_none() || report.cloud.is_some();
    Ok(if understood { ExitCode::SUCCESS } else { ExitCode::from(NOT_UNDERSTOOD) })
}

/// The mean spectrum of each channel over the first samples, sources before targets.
fn spectra(dataset: &mut Dataset, n_samples: usize) -> Result<Vec<SpectrumSummary>> {
    let names = match &dataset.info().kind {
        Some(DatasetKind::Evolution { channels }) => channels.clone(),
        Some(DatasetKind::Steady { source, target }) => [source.clone(), target.clone()].concat(),
        None => return Ok(Vec::new()),
    };
    let Some(grid) = dataset.grid().cloned() else { return Ok(Vec::new()) };
    if (0..grid.dim()).any(|d| grid.placement(d).is_none()) {
        return Ok(Vec::new());
    }
    let mut sums: Vec<Option<(Spectrum, usize)>> = vec![None; names.len()];
    let last = dataset.info().times.len().saturating_sub(1);
    for index in 0..n_samples {
        let fields = match &dataset.info().kind {
            Some(DatasetKind::Evolution { .. }) => vec![dataset.read_frames(index, last..last + 1)?.field(0)],
            _ => dataset
                .read(index..index + 1)?
                .into_iter()
                .flat_map(|sample| match sample {
                    Sample::Steady { source, target } => vec![source, target],
                    Sample::Evolution(_) => Vec::new(),
                })
                .collect(),
        };
        let channels = fields.iter().flat_map(|f| (0..f.n_channels()).map(move |c| f.channel(c)));
        for (sum, values) in sums.iter_mut().zip(channels) {
            // A field with holes has no spectrum; the table of values says where they are.
            if values.iter().any(|value| !value.is_finite()) {
                continue;
            }
            let spectrum = power_spectrum(&Field::new(grid.clone(), 1, values.to_vec())?)?;
            match sum {
                None => *sum = Some((spectrum, 1)),
                Some((sum, count)) => {
                    sum.power.iter_mut().zip(spectrum.power).for_each(|(a, b)| *a += b);
                    *count += 1;
                }
            }
        }
    }
    let nyquist = (0..grid.dim()).map(|d| 0.5 / grid.spacing(d)).fold(f64::INFINITY, f64::min);
    let summaries = names.into_iter().zip(sums).filter_map(|(name, sum)| {
        let (mut mean, count) = sum?;
        mean.power.iter_mut().for_each(|power| *power /= count as f64);
        SpectrumSummary::new(name, nyquist, &mean)
    });
    Ok(summaries.collect())
}
