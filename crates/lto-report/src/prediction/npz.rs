//! A prediction as NumPy arrays.

use super::{Predicted, PredictionFormat};
use crate::error::Result;
use lto_numerics::dataset::write::NpzArchive;
use std::path::Path;

/// `lower` and `upper`, the ends of a band of a `level`, have the shape of `values`, `samples` one more axis before it.
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
        if let Some(band) = predicted.band {
            archive.numbers("level", &[1], &[band.level])?;
            archive.numbers("lower", &shape, &band.lower)?;
            archive.numbers("upper", &shape, &band.upper)?;
        }
        if !predicted.samples.is_empty() {
            shape.insert(0, predicted.samples.len());
            archive.numbers("samples", &shape, &predicted.samples.concat())?;
        }
        Ok(archive.finish()?)
    }
}
