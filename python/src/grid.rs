//! Grids to observe or predict on.

use crate::arrays::{points, real, row_major, shape_text};
use crate::error::{Result, config};
use lto::problem::Problem;
use lto_numerics::{Grid as TensorGrid, Points};
use numpy::PyUntypedArrayMethods;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A grid over the domain of a model.
///
/// Each argument is an axis: a number of points, spread evenly, or their coordinates, increasing. Evenly spread points
/// include both ends of an axis, of a periodic one only the first.
///
/// >>> lto.Grid(128, 128)
/// Grid(128, 128)
/// >>> lto.Grid([0.0, 0.1, 0.4]).shape
/// (3,)
#[pyclass(module = "lto", frozen)]
pub struct Grid {
    axes: Vec<Axis>,
}

/// One axis of a grid.
enum Axis {
    Even(usize),
    At(Vec<f64>),
}

#[pymethods]
impl Grid {
    #[new]
    #[pyo3(signature = (*axes))]
    fn new(axes: &Bound<PyTuple>) -> Result<Self> {
        let axis = |(number, value): (usize, Bound<PyAny>)| match value.extract::<usize>() {
            Ok(0) => Err(config(format!("axis {number} of the grid = 0: must have at least one point"))),
            Ok(n) => Ok(Axis::Even(n)),
            Err(_) => match real("coordinates", &value) {
                Ok(array) if matches!(array.shape(), [n] if *n > 0) => Ok(Axis::At(row_major(&array))),
                _ => Err(config(format!(
                    "axis {number} of the grid = {}: must be a whole number of points, or a list of coordinates",
                    value.repr()?
                ))),
            },
        };
        let axes = axes.iter().enumerate().map(axis).collect::<Result<Vec<_>>>()?;
        if axes.is_empty() {
            return Err(config("a grid needs an argument for each axis, as in Grid(128, 128)"));
        }
        Ok(Self { axes })
    }

    /// The number of points along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.sizes())
    }

    /// How it is pickled: the class and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let axis = |axis: &Axis| match axis {
            Axis::Even(n) => n.into_bound_py_any(py),
            Axis::At(x) => x.into_bound_py_any(py),
        };
        let axes = slf.get().axes.iter().map(axis).collect::<PyResult<Vec<_>>>()?;
        Ok((slf.get_type(), PyTuple::new(py, axes)?))
    }

    fn __repr__(&self) -> String {
        let sizes: Vec<String> = self.sizes().iter().map(usize::to_string).collect();
        format!("Grid({})", sizes.join(", "))
    }
}

impl Grid {
    /// Number of points along each axis.
    pub fn sizes(&self) -> Vec<usize> {
        let size = |axis: &Axis| match axis {
            Axis::Even(n) => *n,
            Axis::At(x) => x.len(),
        };
        self.axes.iter().map(size).collect()
    }

    /// The grid over the domain of a problem.
    ///
    /// # Errors
    /// Another number of axes, or coordinates that do not increase or lie outside the domain.
    pub fn over(&self, problem: &Problem) -> Result<TensorGrid> {
        if self.axes.len() != problem.domain.dim() {
            let (shape, domain) = (shape_text(&self.sizes()), &problem.domain);
            return Err(config(format!(
                "the grid has shape {shape}, but the domain is {domain}: give one argument for each axis"
            )));
        }
        let even = problem.query_grid(&self.sizes())?;
        if self.axes.iter().all(|axis| matches!(axis, Axis::Even(_))) {
            return Ok(even);
        }
        let coordinates = self.axes.iter().enumerate().map(|(d, axis)| match axis {
            Axis::Even(_) => even.coordinates(d).to_vec(),
            Axis::At(x) => x.clone(),
        });
        Ok(TensorGrid::from_coordinates(problem.domain.clone(), coordinates.collect())?)
    }
}

/// Where values are wanted: a [`Grid`], or points `(M, D)`; without either, the grid of the training data.
///
/// # Errors
/// A grid or points that do not fit the domain.
pub fn query(query: Option<&Bound<PyAny>>, problem: &Problem) -> Result<Points> {
    let Some(query) = query else { return Ok(Points::grid(problem.query_grid(&problem.native)?)) };
    if let Ok(grid) = query.cast::<Grid>() {
        return Ok(Points::grid(grid.get().over(problem)?));
    }
    let coordinates = points("query", query, problem.domain.dim())?;
    Ok(Points::scattered(problem.domain.clone(), coordinates)?)
}
