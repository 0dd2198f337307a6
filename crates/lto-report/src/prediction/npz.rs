//! A prediction as NumPy arrays.

use super::{Predicted, PredictionFormat};
use crate::error::Result;
use lto_numerics::dataset::write::NpzArchive;
use std::path::Path;

/// `values` is `[time, channel, axis 0, …]` on a grid, else `[time, channel, point]`; no time axis if steady.
pub(super) struct Npz;

impl PredictionFormat for Npz {
    fn suffix(&self) -> &'static str {
        "npz"
    }

    fn write(&self, path: &Path, predicted: &Predicted) -> Result<()> {
        let mut archive = NpzArchive::create(path)?;
        let mut shape = vec![];
        if !predicted.times.is_empty() {
            archive.numbers("times", &[predicted.times.len()], predicted.times)?;
            shape.push(predicted.times.len());
        }
        let names = predicted.channel_names();
        archive.texts("channels", &[names.len()], &names)?;
        shape.push(names.len());
        match predicted.grid() {
            Some(grid) => {
                for (d, axis) in grid.domain().axes().iter().enumerate() {
                    let x = grid.coordinates(d);
                    archive.numbers(&axis.name, &[x.len()], x)?;
                }
                shape.extend(grid.shape());
            }
            None => {
                let (n, dim) = (predicted.query.len(), predicted.query.dim());
                archive.numbers("points", &[n, dim], &predicted.query.coordinates())?;
                shape.push(n);
            }
        }
        archive.numbers("values", &shape, predicted.values)?;
        Ok(archive.finish()?)
    }
}
