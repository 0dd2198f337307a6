//! Pictures of samples: PNG and SVG for papers, GIF for watching.

mod animation;
pub mod chart;
mod cloud;
pub mod colormap;
pub mod drawing;
mod frame_range;
mod letters;
pub(crate) mod panel;
pub(crate) mod plane;
mod plot;
pub mod prediction;
pub mod raster;
mod sample;
pub mod sensor_map;
pub mod svg;
pub mod ticks;
pub mod tiles;

pub use cloud::distinct;
pub use frame_range::FrameRange;
pub use plot::Plot;

use crate::error::{Error, Result};
use colormap::{Colormap, Scale};
use drawing::Drawing;
use lto_numerics::dataset::format::csv::PointCloud;
use lto_numerics::sample::evenly_spaced;
use lto_numerics::{Sample, Trajectory};
use std::path::Path;

/// How many frames a picture shows by default.
const DEFAULT_FRAMES: usize = 6;
/// How many frames an animation shows by default.
const DEFAULT_ANIMATION_FRAMES: usize = 60;

/// The format of a picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Pixels.
    Png,
    /// Vectors, with fields embedded as PNG.
    Svg,
    /// Animation.
    Gif,
}

impl PictureFormat {
    /// The format of a file, by its suffix.
    ///
    /// # Errors
    /// Any other suffix.
    pub fn from_path(path: &Path) -> Result<Self> {
        let suffix = path.extension().and_then(|s| s.to_str()).unwrap_or_default().to_lowercase();
        match suffix.as_str() {
            "png" => Ok(PictureFormat::Png),
            "svg" => Ok(PictureFormat::Svg),
            "gif" => Ok(PictureFormat::Gif),
            _ => Err(Error::PictureSuffix { path: path.into() }),
        }
    }
}

/// The number of a channel given by name or number.
///
/// # Errors
/// No channel has it.
pub fn channel_number(wanted: &str, channels: &[String]) -> Result<usize> {
    let by_name = channels.iter().position(|name| name == wanted);
    let by_number = || wanted.parse().ok().filter(|&number: &usize| number < channels.len());
    by_name
        .or_else(by_number)
        .ok_or_else(|| Error::NoChannel { wanted: wanted.into(), channels: channels.to_vec() })
}

/// What part of a sample is shown, and under which names.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Number of the channel.
    pub channel: usize,
    /// Name of the channel's quantity.
    pub quantity: String,
    /// Name of the source's quantity in a steady pair.
    pub source_quantity: String,
    /// Title of the picture.
    pub title: String,
    /// The frames; a few, evenly spaced, if `None`.
    pub frames: Option<Vec<usize>>,
    /// Color map; chosen from the values if `None`.
    pub colormap: Option<Colormap>,
}

impl Subject {
    /// The values of the channel at one frame.
    fn channel_of<'a>(&self, trajectory: &'a Trajectory, frame: usize) -> &'a [f64] {
        let n = trajectory.grid().len();
        &trajectory.frame(frame)[self.channel * n..(self.channel + 1) * n]
    }

    /// The values of the channel at all frames, `[time, axis 0, …]`.
    fn all_frames(&self, trajectory: &Trajectory) -> Vec<f64> {
        (0..trajectory.times().len()).flat_map(|frame| self.channel_of(trajectory, frame)).copied().collect()
    }

    fn scale<'a>(&self, values: impl IntoIterator<Item = &'a f64>) -> Scale {
        Scale::of(values, self.colormap)
    }

    /// The frames to show of `available`: those asked for, else evenly spaced.
    fn chosen_frames(&self, available: usize, at_most: usize) -> Result<Vec<usize>> {
        if let Some(frames) = &self.frames {
            if let Some(frame) = frames.iter().find(|&&frame| frame >= available) {
                return Err(Error::NoFrame { frame: *frame, last: available - 1 });
            }
            return Ok(frames.clone());
        }
        Ok(evenly_spaced(available, at_most))
    }
}

/// The picture of a sample as the bytes of a file.
///
/// # Errors
/// A channel or frame the sample does not have, or an animation of something without time.
pub fn render(sample: &Sample, subject: &Subject, format: PictureFormat) -> Result<Vec<u8>> {
    let n_channels = match sample {
        Sample::Evolution(trajectory) => trajectory.n_channels(),
        Sample::Steady { target, .. } => target.n_channels(),
    };
    if subject.channel >= n_channels {
        let channels = (0..n_channels).map(|channel| channel.to_string()).collect();
        return Err(Error::NoChannel { wanted: subject.channel.to_string(), channels });
    }
    match (format, sample) {
        (PictureFormat::Gif, Sample::Evolution(trajectory)) => {
            let frames = subject.chosen_frames(trajectory.times().len(), DEFAULT_ANIMATION_FRAMES)?;
            animation::gif(trajectory, &frames, subject)
        }
        (PictureFormat::Gif, _) => {
            Error::no_picture("a steady sample has no times to animate; write a .png or .svg")
        }
        _ => still(&draw(sample, subject)?, format),
    }
}

/// The picture of a point cloud as the bytes of a file; the channel is a value column, frames are distinct times.
///
/// # Errors
/// A cloud that cannot be drawn, or an animation.
pub fn render_cloud(cloud: &PointCloud, subject: &Subject, format: PictureFormat) -> Result<Vec<u8>> {
    still(&cloud::draw(cloud, subject)?, format)
}

/// A drawing as the bytes of a file.
///
/// # Errors
/// An animation, or an image in it that is too large.
pub fn still(drawing: &Drawing, format: PictureFormat) -> Result<Vec<u8>> {
    match format {
        PictureFormat::Png => raster::png(&raster::rasterize(drawing)),
        PictureFormat::Svg => Ok(svg::document(drawing)?.into_bytes()),
        PictureFormat::Gif => Error::no_picture("there are no frames to animate; write a .png or .svg"),
    }
}

fn draw(sample: &Sample, subject: &Subject) -> Result<Drawing> {
    match sample {
        Sample::Evolution(trajectory) => {
            let frames = subject.chosen_frames(trajectory.times().len(), DEFAULT_FRAMES)?;
            Ok(sample::evolution(trajectory, &frames, subject))
        }
        Sample::Steady { source, target } => {
            if subject.frames.is_some() {
                return Error::no_picture("a steady sample has no frames to choose from; leave out --frames");
            }
            Ok(sample::steady(source, target, subject))
        }
    }
}

#[cfg(test)]
mod tests;
