//! Evaluations.

use crate::detached::detached;
use crate::error::{Result, config};
use crate::training::found;
use lto::evaluate::run::write;
use lto::evaluate::{Evaluation, EvaluationConfig, EvaluationRequest, Evaluator, Part, evaluation};
use lto::experiment::Setting;
use lto_numerics::dataset::write::write_whole;
use lto_numerics::metric::MetricKind;
use lto_report::evaluation::{Format, Look, formatted, report};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The errors of one or several models, measured by one protocol.
#[pyclass(module = "lto", frozen)]
pub struct Evaluations {
    all: Vec<Evaluation>,
}

/// A metric by its name.
fn metric(name: &str) -> Result<MetricKind> {
    MetricKind::ALL.into_iter().find(|metric| metric.name() == name).ok_or_else(|| {
        let names: Vec<&str> = MetricKind::ALL.iter().map(|metric| metric.name()).collect();
        config(format!("metric = {name}: must be one of {}", names.join(", ")))
    })
}

impl Evaluations {
    fn formatted(&self, name: &str, format: Format) -> Result<String> {
        Ok(formatted(&self.all, &Look::new(metric(name)?, &[]), format, false))
    }
}

#[pymethods]
impl Evaluations {
    /// Everything, as JSON: what ``lto evaluate --json`` prints.
    fn to_json(&self) -> Result<String> {
        Ok(evaluation::to_json(&self.all)?)
    }

    /// Every case and model in a row of comma-separated values.
    fn to_csv(&self) -> Result<String> {
        self.formatted(MetricKind::RelativeL2.name(), Format::Csv)
    }

    /// Tables, as ``lto evaluate`` prints them.
    #[pyo3(signature = (metric = "relative_l2"))]
    fn tables(&self, metric: &str) -> Result<String> {
        self.formatted(metric, Format::Text)
    }

    /// The tables and pictures as a page.
    fn to_html(&self) -> Result<String> {
        Ok(report(&self.all, &Look::new(MetricKind::RelativeL2, &[]))?.html())
    }

    /// Writes ``evaluation.json`` and ``report.html`` to a folder.
    fn save(&self, folder: PathBuf) -> Result<()> {
        std::fs::create_dir_all(&folder).map_err(|source| lto::Error::Io { path: folder.clone(), source })?;
        write(&folder, &self.all)?;
        Ok(write_whole(&folder.join("report.html"), self.to_html()?.as_bytes())?)
    }

    fn __len__(&self) -> usize {
        self.all.len()
    }

    fn __repr__(&self) -> Result<String> {
        self.tables(MetricKind::RelativeL2.name())
    }
}

/// Evaluates runs; `protocol` is JSON, `progress` is called with the numbers of samples done and of all.
#[pyfunction]
#[pyo3(signature = (runs, data, config, settings, split, protocol, allow_extrapolation, device, progress))]
#[expect(clippy::too_many_arguments, reason = "these are Python's keywords")]
pub fn evaluate(
    py: Python,
    runs: Vec<String>,
    data: Option<PathBuf>,
    config: Option<PathBuf>,
    settings: Vec<String>,
    split: Option<&str>,
    protocol: &str,
    allow_extrapolation: bool,
    device: &str,
    progress: Py<PyAny>,
) -> Result<Evaluations> {
    let wrong = |error: serde_json::Error| self::config(error.to_string());
    let protocol: EvaluationConfig = serde_json::from_str(protocol).map_err(wrong)?;
    let split: Option<Part> =
        split.map(|name| serde_json::from_value(name.into())).transpose().map_err(wrong)?;
    let device = found(device)?;
    let set: Vec<Setting> = settings.into_iter().map(Setting::Text).collect();
    let mut raised: Option<PyErr> = None;
    let evaluated = detached(py, || -> Result<Vec<Evaluation>> {
        let request = EvaluationRequest {
            runs: &runs,
            data: data.as_deref(),
            config: config.as_deref(),
            set: &set,
            split,
            protocol,
            device,
        };
        let evaluator = Evaluator::open(&request)?;
        let one = |run: &String| {
            let mut go_on = |done: usize, total: usize| {
                let told = Python::attach(|py| {
                    py.check_signals()?;
                    progress.call1(py, (run, done, total)).map(drop)
                });
                raised = told.err();
                raised.is_none()
            };
            Ok(evaluator.evaluate(run, allow_extrapolation, &mut go_on)?)
        };
        runs.iter().map(one).collect()
    })?;
    match raised {
        Some(error) => Err(error.into()),
        None => Ok(Evaluations { all: evaluated? }),
    }
}
