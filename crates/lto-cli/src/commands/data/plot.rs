//! `lto data plot`: draws a sample of a file.

use super::open;
use crate::args::{GlobalArgs, PlotArgs};
use crate::output;
use anyhow::{Result, bail};
use lto_numerics::dataset::LayoutKind;
use lto_report::picture::{PictureFormat, Plot};
use lto_report::words;
use std::process::ExitCode;

/// Draws the sample.
///
/// # Errors
/// A file that is not understood, a sample, channel or frame it does not have, or a picture that cannot be written.
pub fn run(args: &PlotArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let format = PictureFormat::from_path(&args.output)?;
    output::folder_of(&args.output)?;
    let (mut dataset, info) = open::open(&args.file, &args.dataset)?;
    if let (Some(problem), false) = (&info.problem, info.layout == LayoutKind::PointCloud) {
        bail!("{}: {problem}", args.file.display());
    }
    let plot = Plot {
        sample: args.sample,
        channel: args.channel.clone(),
        frames: args.frames.clone(),
        colormap: args.colormap,
    };
    if let (Some((shown, all)), false) = (plot.frames_left_out(&info, format), global.quiet) {
        output::say(format_args!(
            "shows {shown} of {all} frames, evenly spaced; --frames 0-{} shows all",
            all - 1
        ));
    }
    let picture = plot.draw(&mut dataset, format)?;
    output::write_atomically(&args.output, &picture)?;
    if !global.quiet {
        output::print(&format!("{}: {}\n", args.output.display(), words::bytes(picture.len() as u64)))?;
    }
    Ok(ExitCode::SUCCESS)
}
