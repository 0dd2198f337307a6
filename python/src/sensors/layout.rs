//! Sensors that are placed.

use super::{Known, Place, no_domain, picture, sensors};
use crate::arrays::array;
use crate::error::{Result, config};
use crate::files::write;
use crate::interrupt::abandoned;
use crate::picture::Picture;
use lto_numerics::Domain;
use lto_numerics::study::{EstimatedRegularity, SensorStudy, StudyGoal};
use lto_numerics::theory::plan::{Region, SensorRequest};
use lto_numerics::theory::{Estimator, Regularity};
use lto_report::placement;
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Sensors that were placed, and how their layout compares.
///
/// A notebook shows its map.
#[pyclass(module = "lto", frozen)]
pub struct Layout {
    study: SensorStudy,
}

#[pymethods]
impl Layout {
    /// The map of what was minimized, with the sensors and the gaps.
    fn plot(&self) -> Result<Picture> {
        picture(&placement::map(&self.study)?)
    }

    /// All sensors, one row each: those that were there, then the new ones.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let sensors = &self.study.sensors;
        array(py, sensors.coordinates(), &[sensors.len(), sensors.dim()])
    }

    /// The number of sensors that were there before.
    #[getter]
    fn n_existing(&self) -> usize {
        self.study.n_existing
    }

    /// The largest distance from any place to its nearest sensor.
    #[getter]
    fn fill_distance(&self) -> f64 {
        self.study.fill_distance.upper
    }

    /// Everything, as JSON: what ``lto design --json`` prints.
    fn to_json(&self) -> Result<String> {
        serde_json::to_string(&self.study).map_err(|error| config(error.to_string()))
    }

    /// Writes a page (``.html``) or the table of sensors (``.csv``).
    fn save(&self, path: PathBuf) -> Result<()> {
        if path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("csv")) {
            return write(&path, "a table", "csv", || Ok(placement::csv(&self.study).into_bytes()));
        }
        let page = || Ok(placement::page(&self.study, "lto.design")?.html().into_bytes());
        write(&path, "a page", "html", page)
    }

    fn _repr_html_(&self) -> Result<String> {
        Ok(self.plot()?.to_html())
    }

    fn __repr__(&self) -> String {
        placement::text(&self.study, false)
    }
}

/// A certificate to make small, instead of the fill distance.
#[derive(FromPyObject)]
pub struct Goal {
    #[pyo3(item)]
    estimator: Option<String>,
    #[pyo3(item)]
    length_scale: Option<f64>,
    #[pyo3(item)]
    known: Known,
}

impl Goal {
    fn certificate(&self, data: Option<&EstimatedRegularity>, domain: &Domain) -> Result<StudyGoal> {
        let estimator = match &self.estimator {
            None => Estimator::LocalLinear,
            Some(name) => {
                Estimator::ALL.into_iter().find(|estimator| estimator.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Estimator::ALL.iter().map(|estimator| estimator.name()).collect();
                    config(format!("estimator = {name}: must be one of {}", names.join(", ")))
                })?
            }
        };
        let regularity = self.known.regularity(data, domain, Regularity::new)?;
        Ok(StudyGoal::Certificate { estimator, regularity, length_scale: self.length_scale })
    }
}

/// Places sensors; without a goal, by the fill distance.
#[pyfunction]
#[pyo3(signature = (place, n, existing, avoid, goal, seed))]
pub fn design(
    py: Python,
    place: Place,
    n: usize,
    existing: Option<&Bound<PyAny>>,
    avoid: Vec<String>,
    goal: Option<Goal>,
    seed: u64,
) -> Result<Layout> {
    let data = goal.as_ref().map(|goal| goal.known.estimated()).transpose()?.flatten();
    let domain = place.domain(data.as_ref())?.ok_or_else(no_domain)?;
    let existing = existing.map(|value| sensors("existing", value, &domain)).transpose()?;
    let avoid = avoid.iter().map(|text| Ok(text.parse()?)).collect::<Result<Vec<Region>>>()?;
    avoid.iter().try_for_each(|region| region.check(domain.dim()))?;
    let objective = match &goal {
        Some(goal) => goal.certificate(data.as_ref(), &domain)?,
        None => StudyGoal::FillDistance,
    };
    let work = move || {
        let request = SensorRequest {
            domain: &domain,
            n_new: n,
            existing: existing.as_ref(),
            avoid: &avoid,
            objective,
        };
        SensorStudy::new(&request, seed, &mut |_| {})
    };
    Ok(Layout { study: abandoned(py, work)?? })
}
