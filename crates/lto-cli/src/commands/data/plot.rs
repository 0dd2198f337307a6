//! `lto data plot`: draws a sample of a file.

use crate::args::{GlobalArgs, PlotArgs};
use crate::output;
use crate::picture::{self, PictureFormat, Subject};
use anyhow::{Context, Result, bail, ensure};
use lto_numerics::dataset::{Dataset, DatasetKind};
use std::process::ExitCode;

/// Draws the sample.
///
/// # Errors
/// A file that is not understood, a sample, channel or frame it does not have, or a picture that cannot be written.
pub fn run(args: &PlotArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let format = PictureFormat::from_path(&args.output)?;
    output::folder_of(&args.output)?;
    let mut dataset = Dataset::open(&args.file, &args.dataset.options(true))?;
    let (n_samples, kind) = (dataset.len(), dataset.info().kind.clone());
    if let Some(problem) = &dataset.info().problem {
        bail!("{}: {problem}", args.file.display());
    }
    ensure!(
        args.sample < n_samples,
        "{}: there is no sample {}: it has {n_samples}, from 0",
        args.file.display(),
        args.sample
    );
    let sample = dataset.read(args.sample..args.sample + 1)?.pop().context("no sample was read")?;
    let (channels, sources) = match kind {
        Some(DatasetKind::Evolution { channels }) => (channels, Vec::new()),
        Some(DatasetKind::Steady { source, target }) => (target, source),
        None => (Vec::new(), Vec::new()),
    };
    let channel = channel_number(&args.channel, &channels)?;
    let name = args.file.file_stem().unwrap_or(args.file.as_os_str()).to_string_lossy();
    let subject = Subject {
        channel,
        quantity: channels.get(channel).cloned().unwrap_or_default(),
        source_quantity: sources.get(channel).or(sources.last()).cloned().unwrap_or_default(),
        title: format!("{name}, sample {}", args.sample),
        frames: args.frames.clone(),
        colormap: args.colormap,
    };
    let picture = picture::render(&sample, &subject, format)?;
    output::write_atomically(&args.output, &picture)?;
    if !global.quiet {
        output::print(&format!("{}: {}\n", args.output.display(), output::bytes(picture.len() as u64)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The number of a channel given by name or number.
fn channel_number(wanted: &str, channels: &[String]) -> Result<usize> {
    let by_name = channels.iter().position(|name| name == wanted);
    let by_number = || wanted.parse().ok().filter(|&number: &usize| number < channels.len());
    by_name
        .or_else(by_number)
        .with_context(|| format!("there is no channel {wanted}; the channels are {}", channels.join(", ")))
}
