//! The arrays of a file of samples, and which part of a sample goes into which.

use super::Header;
use crate::dataset::format::Attribute;
use crate::domain::AXIS_NAMES;
use crate::error::{Error, Result};
use crate::field::check_times;
use crate::grid::{Grid, expect};
use crate::sample::Sample;
use std::sync::Arc;

/// A list of coordinates.
pub(super) struct Coordinate {
    /// Name of the array, group included.
    pub(super) name: String,
    pub(super) values: Vec<f64>,
}

/// An array with one entry for each sample.
pub(super) struct Output {
    /// Name of the array, group included.
    pub(super) name: String,
    /// Shape, the samples first.
    pub(super) shape: Vec<usize>,
    /// The coordinates of each axis, if any, as indices into [`FileArrays::coordinates`].
    pub(super) scales: Vec<Option<usize>>,
}

/// All arrays of a file.
pub(super) struct FileArrays {
    pub(super) n_samples: usize,
    pub(super) coordinates: Vec<Coordinate>,
    pub(super) outputs: Vec<Output>,
    pub(super) attributes: Vec<(String, Attribute)>,
    grids: Vec<Arc<Grid>>,
    times: Vec<f64>,
}

impl FileArrays {
    pub(super) fn new(header: &Header) -> Result<Self> {
        let native = header.grids.first().ok_or(Error::NoPoints)?;
        if header.n_samples == 0 {
            return Err(Error::Parameter {
                name: "number of samples",
                value: "0".into(),
                requirement: "must be at least 1",
            });
        }
        let mut arrays = Self {
            n_samples: header.n_samples,
            coordinates: Vec::new(),
            outputs: Vec::new(),
            attributes: domain_attributes(native),
            grids: header.grids.clone(),
            times: header.times.clone(),
        };
        arrays.attributes.extend(header.attributes.iter().cloned());
        let steady = header.times.is_empty();
        if !steady {
            check_times(&header.times)?;
            arrays.coordinates.push(Coordinate { name: "t-coordinate".into(), values: header.times.clone() });
        }
        for (index, grid) in header.grids.iter().enumerate() {
            let group = if index == 0 { String::new() } else { format!("resolution_{}/", grid.shape()[0]) };
            let mut scales = Vec::new();
            for (d, name) in AXIS_NAMES.iter().enumerate().take(grid.dim()) {
                scales.push(Some(arrays.coordinates.len()));
                let (name, values) = (format!("{group}{name}-coordinate"), grid.coordinates(d).to_vec());
                arrays.coordinates.push(Coordinate { name, values });
            }
            let mut output = |name: &str, leading: &[usize], leading_scales: &[Option<usize>]| {
                arrays.outputs.push(Output {
                    name: format!("{group}{name}"),
                    shape: [leading, &grid.shape()].concat(),
                    scales: [leading_scales, &scales].concat(),
                });
            };
            if steady {
                output("nu", &[header.n_samples], &[None]);
                output("tensor", &[header.n_samples, 1], &[None, None]);
            } else {
                output("tensor", &[header.n_samples, header.times.len()], &[None, Some(0)]);
            }
        }
        Ok(arrays)
    }

    /// The part of sample number `index`, given on every grid, that goes into each of the outputs.
    pub(super) fn values(&self, index: usize, on_grids: &[Sample]) -> Result<Vec<Vec<f32>>> {
        expect("number of grids of a sample", self.grids.len(), on_grids.len())?;
        let mut parts = Vec::with_capacity(self.outputs.len());
        for (grid, sample) in self.grids.iter().zip(on_grids) {
            let (times, given, sought) = match sample {
                Sample::Evolution(trajectory) => (trajectory.times(), None, trajectory.values()),
                Sample::Steady { source, target } => {
                    check_grid(grid, source.grid())?;
                    ([].as_slice(), Some(source.values()), target.values())
                }
            };
            check_grid(grid, sample.grid())?;
            if times != self.times {
                return Err(Error::Parameter {
                    name: "times of a sample",
                    value: format!("{times:?}"),
                    requirement: "must be those announced for the file",
                });
            }
            parts.extend(given);
            parts.push(sought);
        }
        self.outputs.iter().zip(parts).map(|(output, values)| single(output, index, values)).collect()
    }
}

/// Bounds and periodicity of the domain, which coordinates alone do not determine.
fn domain_attributes(grid: &Grid) -> Vec<(String, Attribute)> {
    let axes = grid.domain().axes();
    let numbers = |of: fn(&crate::domain::Axis) -> f64| Attribute::Numbers(axes.iter().map(of).collect());
    vec![
        ("domain_lower".into(), numbers(|axis| axis.lower)),
        ("domain_upper".into(), numbers(|axis| axis.upper)),
        ("periodic".into(), numbers(|axis| f64::from(axis.periodic))),
    ]
}

fn check_grid(announced: &Arc<Grid>, grid: &Arc<Grid>) -> Result<()> {
    if Arc::ptr_eq(announced, grid) || announced == grid {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "grid of a sample",
        value: format!("{:?} points", grid.shape()),
        requirement: "must be the one announced for the file",
    })
}

/// The values of a sample in single precision.
fn single(output: &Output, sample: usize, values: &[f64]) -> Result<Vec<f32>> {
    // Only one channel: with more, the length would be a multiple of this.
    expect(
        &format!("number of values of {}", output.name),
        output.shape[1..].iter().product(),
        values.len(),
    )?;
    let convert = |(index, &value): (usize, &f64)| {
        let rounded = value as f32;
        if rounded.is_finite() {
            return Ok(rounded);
        }
        Err(Error::NonFiniteValue {
            what: format!("{} in single precision", output.name),
            index: vec![sample, index],
            value,
        })
    };
    values.iter().enumerate().map(convert).collect()
}
