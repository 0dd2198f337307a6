//! `lto data plot`: draws a sample of a file.

use super::open;
use crate::args::{FrameRange, GlobalArgs, PlotArgs};
use crate::output;
use anyhow::{Context, Result, bail, ensure};
use lto_numerics::dataset::format::Attribute;
use lto_numerics::dataset::format::csv::PointCloud;
use lto_numerics::dataset::{Dataset, DatasetInfo, DatasetKind, LayoutKind};
use lto_numerics::pde::PdeConfig;
use lto_report::picture::{self, PictureFormat, Subject, channel_number};
use lto_report::words;
use std::path::Path;
use std::process::ExitCode;

/// Draws the sample.
///
/// # Errors
/// A file that is not understood, a sample, channel or frame it does not have, or a picture that cannot be written.
pub fn run(args: &PlotArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let format = PictureFormat::from_path(&args.output)?;
    output::folder_of(&args.output)?;
    let (dataset, info) = open::open(&args.file, &args.dataset)?;
    let picture = match info.layout {
        LayoutKind::PointCloud => cloud_picture(args, format)?,
        _ => sample_picture(args, format, dataset, &info, global.quiet)?,
    };
    output::write_atomically(&args.output, &picture)?;
    if !global.quiet {
        output::print(&format!("{}: {}\n", args.output.display(), words::bytes(picture.len() as u64)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The picture of the sample.
fn sample_picture(
    args: &PlotArgs,
    format: PictureFormat,
    mut dataset: Dataset,
    info: &DatasetInfo,
    quiet: bool,
) -> Result<Vec<u8>> {
    let n_samples = info.n_samples;
    if let Some(problem) = &info.problem {
        bail!("{}: {problem}", args.file.display());
    }
    ensure!(
        args.sample < n_samples,
        "{}: there is no sample {}: it has {n_samples}, from 0",
        args.file.display(),
        args.sample
    );
    let sample = dataset.read(args.sample..args.sample + 1)?.pop().context("no sample was read")?;
    let (channels, sources) = match &info.kind {
        Some(DatasetKind::Evolution { channels }) => (channels.clone(), Vec::new()),
        Some(DatasetKind::Steady { source, target }) => (target.clone(), source.clone()),
        None => (Vec::new(), Vec::new()),
    };
    let channel = channel_number(&args.channel, &channels)?;
    let name = name(&args.file);
    let (source_name, quantity_name) = generated_quantities(info).unzip();
    let n_frames = info.times.len();
    let frames =
        args.frames.as_ref().map(|ranges| ranges.iter().flat_map(|range| range.expand(n_frames)).collect());
    let subject = Subject {
        channel,
        quantity: quantity_name.or(channels.get(channel).cloned()).unwrap_or_default(),
        source_quantity: source_name.or(sources.get(channel).or(sources.last()).cloned()).unwrap_or_default(),
        title: format!("{name}, sample {}", args.sample),
        frames,
        colormap: args.colormap,
    };
    let shown = picture::DEFAULT_ANIMATION_FRAMES;
    if format == PictureFormat::Gif && subject.frames.is_none() && n_frames > shown && !quiet {
        let all = n_frames - 1;
        output::say(format_args!(
            "shows {shown} of {n_frames} frames, evenly spaced; --frames 0-{all} shows all"
        ));
    }
    Ok(picture::render(&sample, &subject, format)?)
}

/// The picture of a point cloud, which is one set of points and has no samples.
fn cloud_picture(args: &PlotArgs, format: PictureFormat) -> Result<Vec<u8>> {
    ensure!(args.sample == 0, "{}: a point cloud has no sample {}", args.file.display(), args.sample);
    let cloud = PointCloud::read(&args.file)?;
    let channel = channel_number(&args.channel, &cloud.value_names)?;
    let n_times = cloud.times.as_ref().map_or(0, |(_, times)| picture::distinct(times).len());
    let expand = |ranges: &Vec<FrameRange>| ranges.iter().flat_map(|range| range.expand(n_times)).collect();
    let subject = Subject {
        channel,
        quantity: cloud.value_names.get(channel).cloned().unwrap_or_default(),
        source_quantity: String::new(),
        title: name(&args.file),
        frames: args.frames.as_ref().map(expand),
        colormap: args.colormap,
    };
    Ok(picture::render_cloud(&cloud, &subject, format)?)
}

/// What a picture of a file is called.
fn name(file: &Path) -> String {
    file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

/// What the source and the state or target of a file of our own generator are, which PDEBench's layout calls `nu` and
/// `tensor`.
fn generated_quantities(info: &DatasetInfo) -> Option<(String, String)> {
    let config = info.attributes.iter().find_map(|(owner, name, value)| match value {
        Attribute::Texts(texts) if owner.is_empty() && name == "generator_config" => texts.first(),
        _ => None,
    })?;
    let (source, quantity) = match serde_json::from_str(config).ok()? {
        PdeConfig::Heat(_) | PdeConfig::Advection(_) | PdeConfig::Burgers(_) => ("", "u"),
        PdeConfig::NavierStokes(_) => ("", "vorticity"),
        PdeConfig::Darcy(_) => ("permeability", "pressure"),
    };
    Some((source.into(), quantity.into()))
}
