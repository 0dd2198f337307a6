//! What a prediction is written as; one file per format.

mod csv;
mod npz;
mod picture;
mod vti;

use super::sensors::Sensors;
use crate::args::PredictArgs;
use crate::output::folder_of;
use anyhow::{Context, Result, bail, ensure};
use lto::model::ModelCard;
use lto_numerics::{Grid, PointStructure, Points};
use std::path::{Path, PathBuf};

/// A prediction with all that belongs to it.
pub struct Predicted<'a> {
    /// The model's.
    pub card: &'a ModelCard,
    /// What it was predicted from.
    pub sensors: &'a Sensors,
    /// Where.
    pub query: &'a Points,
    /// The times; empty for a steady model.
    pub times: &'a [f64],
    /// Values `[time, channel, point]`.
    pub values: &'a [f64],
}

impl<'a> Predicted<'a> {
    /// Number of predicted fields: the times, or one.
    pub fn n_frames(&self) -> usize {
        self.times.len().max(1)
    }

    /// The values of a channel in one of the predicted fields.
    pub fn channel(&self, frame: usize, channel: usize) -> &'a [f64] {
        let n = self.query.len();
        let first = (frame * self.card.problem.target_channels + channel) * n;
        self.values.get(first..first + n).unwrap_or_default()
    }

    /// The name of a channel.
    pub fn channel_name(&self, channel: usize) -> String {
        self.card.channel_names.get(channel).cloned().unwrap_or_else(|| format!("channel_{channel}"))
    }

    /// The names of all channels.
    pub fn channel_names(&self) -> Vec<String> {
        (0..self.card.problem.target_channels).map(|channel| self.channel_name(channel)).collect()
    }

    /// The grid of the query, where it is one.
    pub fn grid(&self) -> Option<&'a Grid> {
        match self.query.structure() {
            PointStructure::Grid(grid) => Some(grid),
            _ => None,
        }
    }
}

/// The format of an output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// NumPy arrays.
    Npz,
    /// A table.
    Csv,
    /// A picture.
    Png,
    /// An animation.
    Gif,
    /// VTK image data.
    Vti,
}

impl Output {
    /// The format the name of the output asks for; refuses what can be refused before anything is computed.
    ///
    /// # Errors
    /// Another suffix, a folder that is not there, or a file that is there and was not to be replaced.
    pub fn prepare(args: &PredictArgs) -> Result<Self> {
        let path = &args.output;
        let suffix = path.extension().and_then(|s| s.to_str()).unwrap_or_default().to_lowercase();
        let output = match suffix.as_str() {
            "npz" => Output::Npz,
            "csv" => Output::Csv,
            "png" => Output::Png,
            "gif" => Output::Gif,
            "vti" => Output::Vti,
            _ => bail!("{}: a prediction is written as .npz, .csv, .png, .gif or .vti", path.display()),
        };
        folder_of(path)?;
        if !args.force {
            for file in output.files(path, args.to.len()) {
                ensure!(!file.exists(), "{}: exists already; --force replaces it", file.display());
            }
        }
        Ok(output)
    }

    /// The files that will be written.
    fn files(self, path: &Path, n_times: usize) -> Vec<PathBuf> {
        match self {
            Output::Vti => vti::files(path, n_times),
            _ => vec![path.into()],
        }
    }

    /// Refuses what the format cannot hold.
    ///
    /// # Errors
    /// Image data of scattered points, an animation without times, or a channel that is not there.
    pub fn check(self, query: &Points, n_times: usize, args: &PredictArgs) -> Result<()> {
        let path = args.output.display();
        match self {
            Output::Vti => ensure!(
                matches!(query.structure(), PointStructure::Grid(_)),
                "{path}: VTK image data is a grid; ask for one with --query grid:…, or write .csv"
            ),
            Output::Gif => ensure!(n_times > 1, "{path}: an animation needs several times; write a .png"),
            _ => {}
        }
        Ok(())
    }

    /// Writes the prediction; the files written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(self, predicted: &Predicted, args: &PredictArgs) -> Result<Vec<PathBuf>> {
        let path = &args.output;
        match self {
            Output::Npz => npz::write(path, predicted)?,
            Output::Csv => csv::write(path, predicted)?,
            Output::Png | Output::Gif => picture::write(path, predicted, args, self == Output::Gif)?,
            Output::Vti => vti::write(path, predicted).context("writing VTK image data")?,
        }
        Ok(self.files(path, predicted.times.len()))
    }
}
