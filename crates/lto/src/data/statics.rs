//! Static fields from a file.

use super::config::StaticConfig;
use crate::error::{Error, Result};
use crate::problem::StaticFields;
use lto_numerics::dataset::{Dataset, OpenOptions};
use lto_numerics::{Domain, Sample};
use std::sync::Arc;

/// The first state of each array of a file, normalized over its points. The file's axes must be the domain's, and cover it.
///
/// # Errors
/// A file that cannot be read, has other axes, or does not reach the bounds of the domain.
pub fn read(config: &StaticConfig, domain: &Domain) -> Result<StaticFields> {
    let options = OpenOptions { keys: config.keys.clone(), ..OpenOptions::default() };
    let mut dataset = Dataset::open(&config.path, &options)?;
    let sample = dataset.read(0..1)?.into_iter().next();
    let refuse = |problem: String| Err(Error::bad_file(&config.path, problem));
    let (grid, values) = match &sample {
        Some(Sample::Evolution(trajectory)) => (trajectory.grid(), trajectory.frame(0)),
        Some(Sample::Steady { source, .. }) => (source.grid(), source.values()),
        None => return refuse("holds no static field".into()),
    };
    if grid.dim() != domain.dim() {
        return refuse(format!("has {} axes, the data {}", grid.dim(), domain.dim()));
    }
    for (d, axis) in domain.axes().iter().enumerate() {
        let along = grid.coordinates(d);
        let (first, last) = (along[0].min(along[along.len() - 1]), along[0].max(along[along.len() - 1]));
        let slack = axis.length() / (along.len() as f64 - 0.5).max(1.0);
        if first > axis.lower + slack || last < axis.upper - slack {
            return refuse(format!(
                "covers {} from {first} to {last}, but the data reach from {} to {}",
                axis.name, axis.lower, axis.upper
            ));
        }
    }
    let inside = |d: usize| {
        let axis = &domain.axes()[d];
        (0..grid.shape()[d]).filter(|&i| axis.contains(grid.coordinates(d)[i])).collect::<Vec<usize>>()
    };
    let kept: Vec<Vec<usize>> = (0..grid.dim()).map(inside).collect();
    let coordinates: Vec<Vec<f64>> = kept
        .iter()
        .enumerate()
        .map(|(d, kept)| kept.iter().map(|&i| grid.coordinates(d)[i]).collect())
        .collect();
    // Row-major indices of the points inside.
    let indices = kept.iter().zip(grid.shape()).fold(vec![0], |rows: Vec<usize>, (kept, size)| {
        rows.iter().flat_map(|row| kept.iter().map(move |i| row * size + i)).collect()
    });
    let n = indices.len();
    let values: Vec<f64> =
        values.chunks_exact(grid.len()).flat_map(|field| indices.iter().map(|&i| field[i])).collect();
    let fields = values.chunks_exact(n).flat_map(|field| {
        let mean = field.iter().sum::<f64>() / n as f64;
        let deviation = (field.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        let scale = if deviation > 1e-12 * mean.abs() { deviation } else { 1.0 };
        field.iter().map(move |v| ((v - mean) / scale) as f32).collect::<Vec<f32>>()
    });
    let values: Vec<f32> = fields.collect();
    if values.iter().any(|value| !value.is_finite()) {
        return refuse("a static field has missing values; fill them first".into());
    }
    let names = match config.keys.len() == values.len() / n {
        true => config.keys.clone(),
        false => (0..values.len() / n).map(|i| format!("static {i}")).collect(),
    };
    Ok(StaticFields { names, coordinates, values: Arc::new(values) })
}
