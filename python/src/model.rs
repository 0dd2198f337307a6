//! Models, and the states they encode.

use crate::detached::detached;
use crate::error::{Result, config, file};
use crate::field::Field;
use crate::grid::query;
use crate::interrupt::heeding;
use crate::observations::{Observations, Tolerance};
use lto::description::Description;
use lto::model::{Encoded, Evolved as AtTime, Forecast, Way};
use lto_report::model::text;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// From so many points times steps on, predictions may take a tenth of a second or more.
const LONG: f64 = 32_768.0;

/// Whether it may be long until `model` has gone over a `lead` and been asked at `n` points.
fn is_long(model: &lto::Model, n: usize, lead: f64, way: Option<Way>) -> bool {
    let steps = match (way.unwrap_or_else(|| model.way_to(lead)), model.card().native_interval) {
        (Way::Chain | Way::Rollout, Some(interval)) => (lead / interval).max(1.0),
        _ => 1.0,
    };
    // A step also computes on a latent grid.
    steps * n.max(1024) as f64 >= LONG
}

/// The native part of ``lto.Model``.
#[pyclass(module = "lto", frozen, subclass)]
pub struct Model {
    model: lto::Model,
    path: PathBuf,
    extrapolates: bool,
}

#[pymethods]
impl Model {
    /// The model of a run, of a file, or of the bytes of a file.
    #[new]
    #[pyo3(signature = (source, allow_extrapolation = false))]
    fn new(py: Python, source: &Bound<PyAny>, allow_extrapolation: bool) -> Result<Self> {
        let (model, path) = match source.cast::<PyBytes>() {
            Ok(bytes) => (lto::Model::from_bytes(bytes.as_bytes())?, PathBuf::new()),
            Err(_) => {
                let path: PathBuf = source.extract()?;
                (loaded(py, &path)?, path)
            }
        };
        let model = if allow_extrapolation { model.extrapolating() } else { model };
        Ok(Self { model, path, extrapolates: allow_extrapolation })
    }

    /// The bytes of the file that ``save`` writes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes()?))
    }

    /// Whether it also predicts at times outside those it was trained on.
    #[getter]
    fn allow_extrapolation(&self) -> bool {
        self.extrapolates
    }

    /// Where it was loaded from; empty if it came from memory.
    #[getter]
    fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the model to a ``.safetensors`` file, whole or not at all.
    fn save(&self, py: Python, path: PathBuf) -> Result<()> {
        Ok(detached(py, || self.model.save(&path))??)
    }

    /// Everything that ``lto info --json`` says, as text; ``info`` is the same as a dict.
    fn describe(&self) -> Result<String> {
        serde_json::to_string(&self.description()).map_err(|error| config(error.to_string()))
    }

    /// The tables of ``lto info``.
    fn tables(&self) -> String {
        text(&self.description(), false)
    }

    /// Encodes observations at time ``s``; a steady model takes no time.
    ///
    /// ``points`` has a row for each sensor and a column for each axis, ``values`` an entry for each sensor, or a row with a
    /// column for each channel. For a whole grid, ``points`` is a ``Grid`` and ``values`` has its shape, after the channels if
    /// there are several. ``skip_missing`` leaves out sensors without a value (NaN), ``merge_duplicates`` averages those at the
    /// same place, ``force`` accepts values far from the training data.
    ///
    /// >>> model.encode([0.05, 0.3, 0.55, 0.8], [0.9, 0.2, -0.8, -0.1], s=0.0)
    /// State of a twin: 4 observations at t = 0
    #[pyo3(signature = (points, values, s = None, *, skip_missing = false, merge_duplicates = false, force = false))]
    #[expect(clippy::too_many_arguments, reason = "these are Python's keywords")]
    fn encode(
        &self,
        py: Python,
        points: &Bound<PyAny>,
        values: &Bound<PyAny>,
        s: Option<f64>,
        skip_missing: bool,
        merge_duplicates: bool,
        force: bool,
    ) -> Result<State> {
        let tolerance = Tolerance::new(skip_missing, merge_duplicates, force);
        let model = &self.model;
        let observations = Arc::new(Observations::of_arrays(model.card(), (points, values), s, tolerance)?);
        let long = is_long(model, observations.context.points.len(), 0.0, None);
        let (encoder, observed) = (model.clone(), observations.clone());
        let work = move || encoder.encode(&observed.context, observed.time.unwrap_or(0.0));
        Ok(State { model: model.clone(), observations, encoded: heeding(py, long, work)?? })
    }

    /// Checks the rows of a table, or of a grid, for ``predict``.
    #[pyo3(signature = (places, columns, times, s, wanted, tolerance))]
    fn observe(
        &self,
        places: &Bound<PyAny>,
        columns: Vec<(String, Bound<PyAny>)>,
        times: Option<&Bound<PyAny>>,
        s: Option<f64>,
        wanted: Vec<String>,
        tolerance: Tolerance,
    ) -> Result<Observations> {
        let card = self.model.card();
        let checked = Observations::of_columns(card, places, columns, times, (s, wanted), tolerance)?;
        Ok(Observations { checked: Arc::new(checked) })
    }

    /// Predicts several times from checked observations.
    #[pyo3(signature = (observations, times, query, way))]
    fn forecast(
        &self,
        py: Python,
        observations: &Observations,
        times: Vec<f64>,
        query: Option<&Bound<PyAny>>,
        way: Option<&str>,
    ) -> Result<Field> {
        let model = &self.model;
        let problem = &model.card().problem;
        if let (Some([first, last]), true) = (problem.times, times.is_empty()) {
            return Err(config(format!(
                "times = []: give the times to predict; the model knows {first} to {last}"
            )));
        }
        let query = Arc::new(self::query(query, problem)?);
        let way = way.map(parsed).transpose()?;
        let checked = &observations.checked;
        let s = checked.time.unwrap_or(0.0);
        let n = checked.context.points.len() + query.len() * times.len().max(1);
        let long = is_long(model, n, times.iter().fold(0.0, |lead: f64, t| lead.max(t - s)), way);
        let (predictor, observed, asked) = (model.clone(), checked.clone(), query.clone());
        let work = move || match way {
            Some(way) => {
                let forecast = Forecast { context: &observed.context, s, times: &times };
                predictor.predict_by(way, &forecast, &asked)
            }
            None => predictor.predict(&observed.context, s, &times, &asked),
        };
        let prediction = heeding(py, long, work)??;
        Ok(Field::new(py, model.clone(), checked.clone(), query, prediction, true)?)
    }
}

impl Model {
    /// The model itself.
    pub fn inner(&self) -> &lto::Model {
        &self.model
    }

    fn description(&self) -> Description {
        Description::of_model(&self.path, &self.model)
    }
}

/// The model of a run or of a file.
fn loaded(py: Python, path: &Path) -> Result<lto::Model> {
    if !path.exists() {
        let (path, name) = (path.display(), lto::model::FILE_NAME);
        return Err(file(format!("{path}: no such model; give the folder of a run, or its {name}")));
    }
    Ok(detached(py, || lto::Model::load(path))??)
}

/// The way of a name.
fn parsed(name: &str) -> Result<Way> {
    Way::ALL.into_iter().find(|way| way.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Way::ALL.iter().map(|way| way.name()).collect();
        config(format!("way = {name}: must be one of {}", names.join(", ")))
    })
}

/// Observations, encoded: the latent state at their time.
///
/// It serves any number of times and queries, from any number of threads.
#[pyclass(module = "lto", frozen)]
pub struct State {
    model: lto::Model,
    observations: Arc<lto::observations::Observations>,
    encoded: Encoded,
}

#[pymethods]
impl State {
    /// The state at time ``t``, reached by the way that was best in training or by ``way``.
    ///
    /// ``way`` is ``direct``, ``chain`` or ``rollout``. A steady model needs no time.
    #[pyo3(signature = (t = None, way = None))]
    fn at(&self, py: Python, t: Option<f64>, way: Option<&str>) -> Result<Evolved> {
        let way = way.map(parsed).transpose()?;
        let t = match (t, self.model.card().problem.times) {
            (Some(t), _) => t,
            (None, None) => 0.0,
            (None, Some([first, last])) => {
                return Err(config(format!("t is missing: the model knows the times {first} to {last}")));
            }
        };
        let encoded = self.encoded.clone();
        let long = is_long(&self.model, 0, t - encoded.time(), way);
        let work = move || match way {
            Some(way) => encoded.at_by(t, way),
            None => encoded.at(t),
        };
        let evolved = heeding(py, long, work)??;
        Ok(Evolved { model: self.model.clone(), observations: self.observations.clone(), evolved })
    }

    /// The time of the observations; ``None`` for a steady model.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.observations.time
    }

    fn __repr__(&self) -> String {
        let (n, name) = (self.observations.context.points.len(), self.model.card().model.name());
        let at = self.observations.time.map_or(String::new(), |time| format!(" at t = {time}"));
        format!("State of a {name}: {n} observations{at}")
    }
}

/// The state at a later time, to be decoded anywhere.
#[pyclass(module = "lto", frozen)]
pub struct Evolved {
    model: lto::Model,
    observations: Arc<lto::observations::Observations>,
    evolved: AtTime,
}

#[pymethods]
impl Evolved {
    /// The field on a ``Grid`` or at points of shape (M, D); without either, on the grid of the training data.
    #[pyo3(signature = (query = None))]
    fn decode(&self, py: Python, query: Option<&Bound<PyAny>>) -> Result<Field> {
        let query = Arc::new(self::query(query, &self.model.card().problem)?);
        let lead = self.evolved.time() - self.observations.time.unwrap_or(0.0);
        let long = is_long(&self.model, query.len(), lead, None);
        let (evolved, asked) = (self.evolved.clone(), query.clone());
        let prediction = heeding(py, long, move || evolved.decode(&asked))??;
        Ok(Field::new(py, self.model.clone(), self.observations.clone(), query, prediction, false)?)
    }

    /// The time.
    #[getter]
    fn time(&self) -> f64 {
        self.evolved.time()
    }

    fn __repr__(&self) -> String {
        format!("State of a {} at t = {}", self.model.card().model.name(), self.evolved.time())
    }
}
