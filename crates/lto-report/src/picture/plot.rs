//! The picture of a data file: one of its samples, or the points of a table.

use super::{DEFAULT_ANIMATION_FRAMES, FrameRange, PictureFormat, Subject, channel_number, distinct};
use super::{render, render_cloud};
use crate::error::{Error, Result};
use crate::picture::colormap::Colormap;
use lto_numerics::dataset::format::Attribute;
use lto_numerics::dataset::format::csv::{PointCloud, Table};
use lto_numerics::dataset::{Dataset, DatasetInfo, DatasetKind};
use lto_numerics::pde::PdeConfig;
use std::path::Path;

/// The part of a data file to show.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The sample.
    pub sample: usize,
    /// The channel, by name or by number from 0.
    pub channel: String,
    /// The frames; a few, evenly spaced, if `None`.
    pub frames: Option<Vec<FrameRange>>,
    /// Color map; chosen from the values if `None`.
    pub colormap: Option<Colormap>,
}

impl Plot {
    /// The picture of a data file as the bytes of a file.
    ///
    /// # Errors
    /// A file that is not understood, or a sample, channel or frame it does not have.
    pub fn draw(&self, dataset: &mut Dataset, format: PictureFormat) -> Result<Vec<u8>> {
        if let Some(table) = dataset.table() {
            return self.cloud(table, &dataset.info().path, format);
        }
        let info = dataset.info().clone();
        if self.sample >= info.n_samples && info.kind.is_some() {
            let problem = format!("there is no sample {}: it has {}, from 0", self.sample, info.n_samples);
            return Err(Error::bad_file(&info.path, problem));
        }
        let samples = dataset.read(self.sample..self.sample + 1)?;
        let Some(sample) = samples.first() else { return Error::no_picture("no sample was read") };
        let (channels, sources) = match &info.kind {
            Some(DatasetKind::Evolution { channels }) => (channels.clone(), Vec::new()),
            Some(DatasetKind::Steady { source, target }) => (target.clone(), source.clone()),
            None => (Vec::new(), Vec::new()),
        };
        let channel = channel_number(&self.channel, &channels)?;
        let (source_name, quantity_name) = generated_quantities(&info).unzip();
        let source = source_name.or(sources.get(channel).or(sources.last()).cloned());
        let subject = Subject {
            channel,
            quantity: quantity_name.or(channels.get(channel).cloned()).unwrap_or_default(),
            source_quantity: source.unwrap_or_default(),
            title: format!("{}, sample {}", name(&info.path), self.sample),
            frames: self.frames_of(info.times.len()),
            colormap: self.colormap,
        };
        render(sample, &subject, format)
    }

    /// How many of all frames an animation shows, if it leaves some out by default.
    pub fn frames_left_out(&self, info: &DatasetInfo, format: PictureFormat) -> Option<(usize, usize)> {
        let all = info.times.len();
        let some = format == PictureFormat::Gif && self.frames.is_none() && all > DEFAULT_ANIMATION_FRAMES;
        some.then_some((DEFAULT_ANIMATION_FRAMES, all))
    }

    /// The picture of a point cloud, which is one set of points and has no samples.
    fn cloud(&self, table: &Table, path: &Path, format: PictureFormat) -> Result<Vec<u8>> {
        if self.sample > 0 {
            return Err(Error::bad_file(path, format!("a point cloud has no sample {}", self.sample)));
        }
        let cloud = PointCloud::from(table);
        let channel = channel_number(&self.channel, &cloud.value_names)?;
        let n_times = cloud.times.as_ref().map_or(0, |(_, times)| distinct(times).len());
        let subject = Subject {
            channel,
            quantity: cloud.value_names.get(channel).cloned().unwrap_or_default(),
            source_quantity: String::new(),
            title: name(path),
            frames: self.frames_of(n_times),
            colormap: self.colormap,
        };
        render_cloud(&cloud, &subject, format)
    }

    fn frames_of(&self, available: usize) -> Option<Vec<usize>> {
        let ranges = self.frames.as_ref()?;
        Some(ranges.iter().flat_map(|range| range.expand(available)).collect())
    }
}

/// The title of a file's picture.
fn name(file: &Path) -> String {
    file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

/// The names of the source and the state or target in a file of our generator, which PDEBench's layout calls
/// `nu` and `tensor`.
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
