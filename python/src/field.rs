//! Predicted fields.

use crate::detached::detached;
use crate::error::{Result, data};
use crate::picture::Picture;
use lto::Model;
use lto::band::Band;
use lto::model::{Prediction, Spread};
use lto::observations::Observations;
use lto_numerics::dataset::write::folder_of;
use lto_numerics::{PointStructure, Points};
use lto_report::picture::channel_number;
use lto_report::prediction::{Predicted, channel_names, format_of, png};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// An array of NumPy's.
type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// A predicted field, or several at different times.
///
/// ``values`` has the axes (channel, axis 0, …) on a grid and (channel, point) elsewhere, with the times first if several
/// were asked for. A notebook shows its picture.
#[pyclass(module = "lto", frozen)]
pub struct Field {
    model: Model,
    observations: Arc<Observations>,
    query: Arc<Points>,
    times: Vec<f64>,
    ways: Vec<&'static str>,
    values: Py<PyArrayDyn<f64>>,
}

impl Field {
    /// A prediction; `several` gives its values an axis of times.
    ///
    /// # Errors
    /// None for a sound prediction.
    pub fn new(
        py: Python,
        model: Model,
        observations: Arc<Observations>,
        query: Arc<Points>,
        prediction: Prediction,
        several: bool,
    ) -> PyResult<Self> {
        let timed = model.card().problem.times.is_some();
        let Prediction { times, values, ways, .. } = prediction;
        let mut shape = if several && timed { vec![times.len()] } else { Vec::new() };
        shape.push(model.card().problem.target_channels);
        match query.structure() {
            PointStructure::Grid(grid) => shape.extend(grid.shape()),
            _ => shape.push(query.len()),
        }
        let values = crate::arrays::array(py, values, &shape)?.unbind();
        let ways = ways.into_iter().map(|way| way.name()).collect();
        let times = if timed { times } else { Vec::new() };
        Ok(Self { model, observations, query, times, ways, values })
    }

    /// How far the values, as they are now, may be off.
    fn spread(&self, py: Python) -> Result<Spread> {
        let s = self.observations.time.unwrap_or(0.0);
        let prediction = Prediction {
            times: if self.times.is_empty() { vec![s] } else { self.times.clone() },
            values: crate::arrays::row_major(&self.values.bind(py).readonly()),
            ways: Vec::new(),
            outside_range: Vec::new(),
        };
        Ok(detached(py, || self.model.spread(&self.observations.context, s, &prediction, &self.query))??)
    }

    /// An array of the shape of the values, after other axes.
    fn shaped<'py>(&self, py: Python<'py>, values: Vec<f64>, first: &[usize]) -> PyResult<Array<'py>> {
        let shape = [first, self.values.bind(py).shape()].concat();
        crate::arrays::array(py, values, &shape)
    }

    /// The files and pictures of this prediction, made from the values as they are now.
    fn predicted<T: Send>(
        &self,
        py: Python,
        channel: Option<&str>,
        make: impl FnOnce(&Predicted) -> T + Send,
    ) -> Result<T> {
        let card = self.model.card();
        let shown_channel = channel.map_or(Ok(0), |name| channel_number(name, &channel_names(card)))?;
        let values = crate::arrays::row_major(&self.values.bind(py).readonly());
        let predicted = Predicted {
            card,
            observations: &self.observations,
            query: &self.query,
            times: &self.times,
            values: &values,
            band: None,
            samples: &[],
            shown_channel,
            colormap: None,
        };
        detached(py, || make(&predicted))
    }
}

#[pymethods]
impl Field {
    /// The values, in physical units.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.values.bind(py).clone()
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = PyDict::new(py);
        how.set_item("dtype", dtype)?;
        how.set_item("copy", copy)?;
        py.import("numpy")?.call_method("array", (self.values.bind(py),), Some(&how))
    }

    /// Lower and upper ends of a band that holds this share of the values, each of the shape of ``values``; for a calibrated
    /// model (``lto calibrate``).
    #[pyo3(signature = (level = 0.9))]
    fn band<'py>(&self, py: Python<'py>, level: f64) -> Result<(Array<'py>, Array<'py>)> {
        let spread = self.spread(py)?;
        let Band { lower, upper, .. } = detached(py, || spread.band(level))??;
        Ok((self.shaped(py, lower, &[])?, self.shaped(py, upper, &[])?))
    }

    /// ``n`` fields that the state may be, drawn at random: an axis of samples before those of ``values``; for a calibrated
    /// model.
    #[pyo3(signature = (n, seed = 0))]
    fn samples<'py>(&self, py: Python<'py>, n: usize, seed: u64) -> Result<Array<'py>> {
        let spread = self.spread(py)?;
        let samples = detached(py, || spread.samples(n, seed))??;
        Ok(self.shaped(py, samples.concat(), &[n])?)
    }

    /// The predicted times; empty for a steady model.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.times)
    }

    /// How each time was reached: ``direct``, ``chain`` or ``rollout``.
    #[getter]
    fn ways(&self) -> Vec<&'static str> {
        self.ways.clone()
    }

    /// The names of the channels.
    #[getter]
    fn channels(&self) -> Vec<String> {
        channel_names(self.model.card())
    }

    /// The names of the axes.
    #[getter]
    fn axes(&self) -> Vec<String> {
        self.query.domain().axes().iter().map(|axis| axis.name.clone()).collect()
    }

    /// The coordinates along each axis if the field is on a grid, else ``None``.
    #[getter]
    fn coordinates<'py>(&self, py: Python<'py>) -> Option<Vec<Bound<'py, PyArray1<f64>>>> {
        let PointStructure::Grid(grid) = self.query.structure() else { return None };
        Some((0..grid.dim()).map(|d| PyArray1::from_slice(py, grid.coordinates(d))).collect())
    }

    /// The points, one row each.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Array<'py>> {
        crate::arrays::array(py, self.query.coordinates(), &[self.query.len(), self.query.dim()])
    }

    /// The observations and the field as a picture.
    ///
    /// ``channel`` is a name, or a number from 0.
    #[pyo3(signature = (channel = None))]
    fn plot(&self, py: Python, channel: Option<&Bound<PyAny>>) -> Result<Picture> {
        let channel = channel.map(|channel| channel.str()).transpose()?.map(|name| name.to_string());
        Ok(Picture { png: self.predicted(py, channel.as_deref(), png)?? })
    }

    /// Writes the field to a file, by its suffix: ``.npz``, ``.csv``, ``.png``, ``.gif`` or ``.vti``.
    fn save(&self, py: Python, path: PathBuf) -> Result<()> {
        let format = format_of(&path)?;
        folder_of(&path)?;
        if let Some(reason) = format.refusal(&self.query, self.times.len()) {
            return Err(data(format!("{}: {reason}", path.display())));
        }
        Ok(self.predicted(py, None, |predicted| format.write(&path, predicted))??)
    }

    /// As an ``xarray.Dataset``: a variable for each channel, with named coordinates.
    fn to_xarray<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("lto._xarray")?.call_method1("from_field", (slf,))
    }

    fn _repr_html_(&self, py: Python) -> Result<String> {
        Ok(self.plot(py, None)?.to_html())
    }

    fn __repr__(&self, py: Python) -> PyResult<String> {
        let shape = self.values.bind(py).getattr("shape")?.repr()?;
        let times: Vec<String> = self.times.iter().map(f64::to_string).collect();
        let at = if times.is_empty() { String::new() } else { format!(", t = {}", times.join(", ")) };
        Ok(format!("Field of {}, shape {shape}{at}", self.channels().join(", ")))
    }
}
