//! Data files as arrays, and arrays as data files.

use crate::arrays::{array, real, row_major};
use crate::detached::detached;
use crate::error::{Result, config, data};
use crate::picture::Picture;
use lto::data::config::DataConfig;
use lto_numerics::dataset::write::{NpzArchive, folder_of};
use lto_numerics::dataset::{Dataset, DatasetKind};
use lto_numerics::{Error, Grid, Sample, memory};
use lto_report::picture::{PictureFormat, Plot};
use numpy::{PyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::{Path, PathBuf};

/// Opens a data file by options as in the `[data]` of a configuration, given as JSON.
fn open(path: &Path, options: &str) -> Result<Dataset> {
    let options: DataConfig = serde_json::from_str(options).map_err(|error| config(error.to_string()))?;
    let dataset = Dataset::open(path, &options.options()?)?;
    match &dataset.info().problem {
        Some(problem) => Err(Error::UnknownLayout { path: path.into(), problem: problem.clone() }.into()),
        None => Ok(dataset),
    }
}

/// The samples `start..stop` of a data file: fields by name, `(n, t, axis 0, …)` or `(n, axis 0, …)` if steady, with times,
/// axes and notes.
#[pyfunction]
pub fn read_dataset<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: &str,
    start: usize,
    stop: Option<usize>,
) -> Result<Bound<'py, PyDict>> {
    let mut dataset = open(&path, options)?;
    let info = dataset.info().clone();
    let (Some(grid), Some(kind)) = (dataset.grid().cloned(), info.kind.clone()) else {
        return Err(data(format!("{}: holds points, not fields on a grid", path.display())));
    };
    let stop = stop.unwrap_or(info.n_samples);
    if start >= stop || stop > info.n_samples {
        let n = info.n_samples;
        return Err(data(format!(
            "{}: there are no samples {start} to {stop}; it has {n}, from 0",
            path.display()
        )));
    }
    let names = match kind {
        DatasetKind::Evolution { channels } => channels,
        DatasetKind::Steady { source, target } => [source, target].concat(),
    };
    let n_times = info.times.len().max(1);
    let numbers = (stop - start) as u128 * (names.len() * n_times * grid.len()) as u128;
    memory::require(&format!("{} samples in memory", stop - start), 16 * numbers)?;
    let samples = detached(py, || dataset.read(start..stop))??;
    let mut shape = vec![stop - start];
    shape.extend(Some(info.times.len()).filter(|&n| n > 0));
    shape.extend(grid.shape());
    let fields = PyDict::new(py);
    for (c, name) in names.iter().enumerate() {
        fields.set_item(name, array(py, channel(&samples, c), &shape)?)?;
    }
    let found = PyDict::new(py);
    found.set_item("fields", fields)?;
    found.set_item("times", (!info.times.is_empty()).then(|| PyArray1::from_vec(py, info.times.clone())))?;
    found.set_item("axes", axes(py, &grid)?)?;
    found.set_item("notes", info.notes)?;
    Ok(found)
}

/// A channel of all samples; that of a steady pair counts the source's first.
fn channel(samples: &[Sample], c: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for sample in samples {
        match sample {
            Sample::Evolution(trajectory) => {
                let n = trajectory.grid().len();
                for frame in trajectory.values().chunks_exact(n * trajectory.n_channels()) {
                    all.extend_from_slice(&frame[c * n..(c + 1) * n]);
                }
            }
            Sample::Steady { source, target } => {
                all.extend_from_slice(match c.checked_sub(source.n_channels()) {
                    None => source.channel(c),
                    Some(c) => target.channel(c),
                })
            }
        }
    }
    all
}

/// `(name, lower, upper, periodic, coordinates)` of each axis.
fn axes<'py>(py: Python<'py>, grid: &Grid) -> PyResult<Bound<'py, PyList>> {
    let axes = grid.domain().axes().iter().enumerate().map(|(d, axis)| {
        let x = PyArray1::from_slice(py, grid.coordinates(d));
        (axis.name.clone(), axis.lower, axis.upper, axis.periodic, x)
    });
    PyList::new(py, axes.collect::<Vec<_>>())
}

/// Writes arrays to an `.npz` file, whole or not at all.
#[pyfunction]
pub fn write_arrays(path: PathBuf, arrays: Vec<(String, Bound<PyAny>)>) -> Result<()> {
    folder_of(&path)?;
    let mut archive = NpzArchive::create(&path)?;
    for (name, value) in arrays {
        let numbers = real(&name, &value)?;
        archive.numbers(&name, numbers.shape(), &row_major(&numbers))?;
    }
    Ok(archive.finish()?)
}

/// The picture of a sample of a data file.
#[pyfunction]
pub fn plot_sample(
    py: Python,
    path: PathBuf,
    options: &str,
    sample: usize,
    channel: String,
) -> Result<Picture> {
    let mut dataset = open(&path, options)?;
    let plot = Plot { sample, channel, frames: None, colormap: None };
    Ok(Picture { png: detached(py, || plot.draw(&mut dataset, PictureFormat::Png))?? })
}
