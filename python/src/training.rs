//! Training.

use crate::detached::detached;
use crate::error::{Failure, Result, config};
use crate::picture::Picture;
use lto::Device;
use lto::experiment::{Experiment, Setting};
use lto::train::folder;
use lto::train::history::History;
use lto::train::report::RunReport;
use lto::train::{Control, Observer, Started, StepReport, Trainer, ValidationReport};
use lto_report::picture::{PictureFormat, still};
use lto_report::training::{charts, write_charts};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Passes the events of a run on to Python as `(name, dict)`, and stops it on Ctrl-C or if Python raises.
struct Listener {
    call: Py<PyAny>,
    raised: Option<PyErr>,
}

impl Listener {
    fn tell(&mut self, name: &str, fill: impl FnOnce(&Bound<PyDict>) -> PyResult<()>) -> Control {
        if self.raised.is_some() {
            return Control::Stop;
        }
        let told = Python::attach(|py| {
            py.check_signals()?;
            let event = PyDict::new(py);
            fill(&event)?;
            self.call.call1(py, (name, event)).map(drop)
        });
        self.raised = told.err();
        if self.raised.is_some() { Control::Stop } else { Control::Continue }
    }
}

impl Observer for Listener {
    fn log(&mut self, message: &str) {
        self.tell("log", |event| event.set_item("message", message));
    }

    fn preparing(&mut self, done: usize, total: usize) -> Control {
        self.tell("preparing", |event| {
            event.set_item("done", done)?;
            event.set_item("total", total)
        })
    }

    fn started(&mut self, started: &Started) {
        self.tell("started", |event| {
            event.set_item("step", started.step)?;
            event.set_item("steps", started.steps)?;
            event.set_item("parameters", started.n_parameters)
        });
    }

    fn step(&mut self, report: &StepReport) -> Control {
        self.tell("step", |event| {
            event.set_item("step", report.step)?;
            event.set_item("steps", report.steps)?;
            event.set_item("loss", report.loss)?;
            report.terms.iter().try_for_each(|(name, value)| event.set_item(name, value))?;
            event.set_item("learning_rate", report.learning_rate)?;
            event.set_item("gradient_norm", report.gradient_norm)?;
            event.set_item("examples_per_second", report.examples_per_second)?;
            event.set_item("progress", report.progress)?;
            event.set_item("seconds_left", report.seconds_left)
        })
    }

    fn validation(&mut self, report: &ValidationReport) {
        self.tell("validation", |event| {
            event.set_item("step", report.step)?;
            report.errors.iter().try_for_each(|(name, error)| event.set_item(name, error))
        });
    }
}

/// Trains a run in the folder `out` and returns its report as JSON. `experiment` is a path to a configuration, or a
/// configuration as JSON; without one the run is resumed. A device that is not there is an error before anything is done.
#[pyfunction]
#[pyo3(signature = (experiment, out, settings, data, seed, force, device, listener))]
#[expect(clippy::too_many_arguments, reason = "these are Python's keywords")]
pub fn train(
    py: Python,
    experiment: Option<Configuration>,
    out: PathBuf,
    settings: Vec<String>,
    data: Option<PathBuf>,
    seed: Option<u64>,
    force: bool,
    device: &str,
    listener: Py<PyAny>,
) -> Result<String> {
    let device = found(device)?;
    let data = data.into_iter().map(Setting::Data);
    let overrides: Vec<Setting> =
        settings.into_iter().map(Setting::Text).chain(data).chain(seed.map(Setting::Seed)).collect();
    let mut listener = Listener { call: listener, raised: None };
    let trained = detached(py, || -> Result<RunReport> {
        let trainer = match experiment {
            None => Trainer::resume(&out, &overrides, &mut listener)?,
            Some(configuration) => {
                Trainer::start(configuration.read(&overrides)?, &out, force, &mut listener)?
            }
        };
        let mut trainer = trainer.on(device)?;
        let end = trainer.run(&mut listener)?;
        let history = History::read(&out)?;
        write_charts(&out, &history)?;
        Ok(RunReport::new(&out, &trainer, end, &history))
    })?;
    // What Python raised is the reason why the run was stopped.
    if let Some(error) = listener.raised {
        return Err(Failure::Python(error));
    }
    serde_json::to_string(&trained?).map_err(|error| config(error.to_string()))
}

/// The device of a name, which must be there.
pub fn found(name: &str) -> Result<Device> {
    let device: Device =
        serde_json::from_value(name.into()).map_err(|error| config(format!("device: {error}")))?;
    device.describe()?;
    Ok(device)
}

/// A configuration of a run.
#[derive(FromPyObject)]
pub struct Configuration {
    #[pyo3(item)]
    path: Option<PathBuf>,
    #[pyo3(item)]
    json: Option<String>,
}

impl Configuration {
    fn read(&self, overrides: &[Setting]) -> Result<Experiment> {
        if let Some(path) = &self.path {
            return Ok(Experiment::read(path, overrides)?);
        }
        let json = self.json.as_deref().unwrap_or("{}");
        let table: toml::Table = serde_json::from_str(json).map_err(|error| config(error.to_string()))?;
        let text = toml::to_string(&table).map_err(|error| config(error.to_string()))?;
        Ok(Experiment::parse(&text, overrides)?)
    }
}

/// Refuses a folder that already holds a run.
#[pyfunction]
pub fn refuse_existing(run: PathBuf) -> Result<()> {
    Ok(folder::refuse_existing(&run)?)
}

/// The loss and the errors of a run over its steps.
#[pyfunction]
pub fn loss_chart(run: PathBuf) -> Result<Option<Picture>> {
    let drawing = charts(&History::read(&run)?);
    let picture = drawing.map(|drawing| still(&drawing, PictureFormat::Png)).transpose()?;
    Ok(picture.map(|png| Picture { png }))
}
