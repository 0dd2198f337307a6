//! What a data file says about the states.

use crate::args::DatasetArgs;
use crate::commands::data::open;
use anyhow::{Context, Result, bail, ensure};
use lto_numerics::theory::Regularity;
use lto_numerics::{Domain, Field, Sample};
use serde::Serialize;
use std::path::Path;

/// Samples that are looked at, evenly spaced over the file.
const SAMPLES: usize = 16;
/// Frames of each.
const FRAMES: usize = 8;

/// Bounds estimated from data.
#[derive(Clone, Serialize)]
pub struct Estimated {
    /// The domain of the data.
    pub domain: Domain,
    /// The bounds, marked as estimates.
    pub regularity: Regularity,
    /// How many fields they come from.
    pub n_fields: usize,
    /// Points along each axis.
    pub shape: Vec<usize>,
}

/// Estimates curvature, slope and range by differences of neighbors, over some samples and frames. Of a steady pair, those
/// of the source, which is what sensors observe.
///
/// # Errors
/// A file that is not understood, without fields on a grid, or of constant fields.
pub fn estimate(file: &Path, args: &DatasetArgs) -> Result<Estimated> {
    let (mut dataset, info) = open::open(file, args)?;
    if let Some(problem) = &info.problem {
        bail!("{}: {problem}", file.display());
    }
    let Some(grid) = dataset.grid().cloned() else {
        bail!("{}: holds points, not fields on a grid; give --curvature instead", file.display());
    };
    let n = dataset.len();
    ensure!(n > 0, "{}: holds no samples", file.display());
    let mut fields = Vec::new();
    for sample in crate::picture::spread(n, SAMPLES) {
        for sample in dataset.read(sample..sample + 1)? {
            fields.extend(states(sample)?);
        }
    }
    let regularity = Regularity::estimate(&fields)
        .with_context(|| format!("{}: nothing can be estimated from it", file.display()))?;
    let n_fields = fields.len();
    Ok(Estimated { domain: grid.domain().clone(), regularity, n_fields, shape: grid.shape() })
}

fn states(sample: Sample) -> Result<Vec<Field>> {
    Ok(match sample {
        Sample::Evolution(trajectory) => crate::picture::spread(trajectory.times().len(), FRAMES)
            .into_iter()
            .map(|frame| {
                let values = trajectory.frame(frame).to_vec();
                Field::new(trajectory.grid().clone(), trajectory.n_channels(), values)
            })
            .collect::<Result<_, _>>()?,
        Sample::Steady { source, .. } => vec![source],
    })
}
