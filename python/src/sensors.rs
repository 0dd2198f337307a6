//! Sensor layouts, certified and designed.

use crate::arrays::{array, points};
use crate::error::{Failure, Result, config};
use crate::interrupt::abandoned;
use crate::model::Model;
use crate::picture::Picture;
use lto_numerics::dataset::write::write_whole;
use lto_numerics::dataset::{Columns, DomainOption, OpenOptions, PeriodicOption, Readings};
use lto_numerics::study::{EstimatedRegularity, SensorCertificate, SensorStudy, StudyGoal, open_part};
use lto_numerics::theory::plan::{Region, SensorRequest};
use lto_numerics::theory::{Estimator, Regularity};
use lto_numerics::{Domain, Points, SetConv};
use lto_report::picture::{PictureFormat, drawing::Drawing, still};
use lto_report::{certificate, placement};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The domain of sensors: `0:1,0:1` or a pair of bounds for each axis, and which axes are periodic.
#[derive(FromPyObject)]
pub enum Bounds {
    /// As on the command line.
    Text(String),
    /// A pair for each axis.
    Pairs(Vec<(f64, f64)>),
}

impl Bounds {
    fn domain(self, periodic: &str) -> Result<Domain> {
        let bounds = match self {
            Bounds::Text(text) => text.parse()?,
            Bounds::Pairs(pairs) => DomainOption(pairs),
        };
        let periodic: PeriodicOption = periodic.parse()?;
        Ok(bounds.domain(Some(&periodic), &[])?)
    }
}

/// What is known about the states: bounds, or a file of states and a margin.
#[derive(Clone, FromPyObject)]
pub struct Known {
    #[pyo3(item)]
    curvature: Option<f64>,
    #[pyo3(item)]
    sup: Option<f64>,
    #[pyo3(item)]
    gradient: Option<f64>,
    #[pyo3(item)]
    data: Option<PathBuf>,
    #[pyo3(item)]
    margin: f64,
}

impl Known {
    fn regularity(&self, domain: &Domain) -> Result<(Regularity, Option<EstimatedRegularity>)> {
        if let Some(file) = &self.data {
            let mut dataset = open_part(file, &OpenOptions { allow_nan: true, ..OpenOptions::default() })?;
            let found = EstimatedRegularity::of(&mut dataset, self.margin)?;
            return Ok((found.regularity.clone(), Some(found)));
        }
        let Some(curvature) = self.curvature else {
            return Err(config(
                "curvature is missing: give the largest second derivative of the states, or data to estimate it from",
            ));
        };
        Ok((Regularity::new(domain, curvature, self.sup, self.gradient)?, None))
    }
}

/// Sensors of a domain, given as the argument `name`.
fn sensors(name: &str, value: &Bound<PyAny>, domain: &Domain) -> Result<Points> {
    let coordinates = points(name, value, domain.dim())?;
    Ok(Readings::scattered(name, domain, coordinates, Columns::default())?.sensors()?)
}

fn picture(drawing: &Drawing) -> Result<Picture> {
    Ok(Picture { png: still(drawing, PictureFormat::Png)? })
}

fn save_page(path: &Path, page: impl FnOnce() -> Result<String>) -> Result<()> {
    if path.extension().is_none_or(|suffix| !suffix.eq_ignore_ascii_case("html")) {
        return Err(config(format!("{}: a page is written as .html", path.display())));
    }
    Ok(write_whole(path, page()?.as_bytes())?)
}

/// How far estimates between sensors can be off.
///
/// A notebook shows its map.
#[pyclass(module = "lto", frozen)]
pub struct Certificate {
    found: SensorCertificate,
}

#[pymethods]
impl Certificate {
    /// The map of the bound, with the sensors and the worst place.
    fn plot(&self) -> Result<Picture> {
        picture(&certificate::map(&self.found)?)
    }

    /// How far the best estimate is off at most: anywhere if ``certified``, else at the places that were looked at.
    #[getter]
    fn bound(&self) -> Option<f64> {
        certificate::best(&self.found.weights).map(|best| best.everywhere.unwrap_or(best.bound))
    }

    /// Whether the bound is proved between the places too, and rests on no estimate from data.
    #[getter]
    fn certified(&self) -> bool {
        let best = certificate::best(&self.found.weights);
        self.found.certain && best.is_some_and(|best| best.everywhere.is_some())
    }

    /// The largest distance from any place to its nearest sensor.
    #[getter]
    fn fill_distance(&self) -> f64 {
        self.found.certificate.fill_distance.upper
    }

    /// Everything, as JSON: what ``lto certify --json`` prints.
    fn to_json(&self) -> Result<String> {
        serde_json::to_string(&self.found).map_err(|error| config(error.to_string()))
    }

    /// Writes the page with maps, bounds and assumptions.
    fn save(&self, path: PathBuf) -> Result<()> {
        save_page(&path, || Ok(certificate::page(&self.found, "lto.certify")?.html()))
    }

    fn _repr_html_(&self) -> Result<String> {
        Ok(self.plot()?.to_html())
    }

    fn __repr__(&self) -> String {
        certificate::text(&self.found, false)
    }
}

/// Certifies sensors.
#[pyfunction]
#[pyo3(signature = (points, domain, periodic, known, length_scale, model))]
pub fn certify(
    py: Python,
    points: &Bound<PyAny>,
    domain: Option<Bounds>,
    periodic: &str,
    known: Known,
    length_scale: Option<f64>,
    model: Option<&Bound<Model>>,
) -> Result<Certificate> {
    let encoder = model.map(|model| model.get().inner().clone());
    let domain = match (domain, &encoder) {
        (Some(bounds), _) => bounds.domain(periodic)?,
        (None, Some(model)) => model.card().problem.domain.clone(),
        (None, None) => {
            return Err(config("domain is missing: give bounds along each axis, such as \"0:1,0:1\""));
        }
    };
    let sensors = sensors("points", points, &domain)?;
    let setconv = match (length_scale, encoder) {
        (None, None) => None,
        (Some(ell), None) => Some(SetConv::new(ell)?),
        (ell, Some(model)) => {
            let Some(own) = model.operator().set_convolution(&sensors) else {
                return Err(config("model: does not encode by a set convolution; give length_scale instead"));
            };
            Some(ell.map_or(Ok(own.clone()), |ell| own.with_length_scale(ell))?)
        }
    };
    let (regularity, data) = known.regularity(&domain)?;
    let work = move || SensorCertificate::new(sensors, regularity, data, setconv, &mut |_| {});
    Ok(Certificate { found: abandoned(py, work)?? })
}

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
            return Ok(write_whole(&path, placement::csv(&self.study).as_bytes())?);
        }
        save_page(&path, || Ok(placement::page(&self.study, "lto.design")?.html()))
    }

    fn _repr_html_(&self) -> Result<String> {
        Ok(self.plot()?.to_html())
    }

    fn __repr__(&self) -> String {
        placement::text(&self.study, false)
    }
}

/// What a layout is to make small.
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
    fn certificate(self, domain: &Domain) -> Result<StudyGoal> {
        let estimator = match self.estimator {
            None => Estimator::LocalLinear,
            Some(name) => {
                Estimator::ALL.into_iter().find(|estimator| estimator.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Estimator::ALL.iter().map(|estimator| estimator.name()).collect();
                    config(format!("estimator = {name}: must be one of {}", names.join(", ")))
                })?
            }
        };
        let (regularity, _) = self.known.regularity(domain)?;
        Ok(StudyGoal::Certificate { estimator, regularity, length_scale: self.length_scale })
    }
}

/// Places sensors; without a goal, by the fill distance.
#[pyfunction]
#[pyo3(signature = (domain, n, periodic, existing, avoid, goal, seed))]
#[expect(clippy::too_many_arguments, reason = "these are Python's keywords")]
pub fn design(
    py: Python,
    domain: Bounds,
    n: usize,
    periodic: &str,
    existing: Option<&Bound<PyAny>>,
    avoid: Vec<String>,
    goal: Option<Goal>,
    seed: u64,
) -> Result<Layout> {
    let domain = domain.domain(periodic)?;
    let existing = existing.map(|value| sensors("existing", value, &domain)).transpose()?;
    let avoid = avoid.iter().map(|text| Ok(text.parse()?)).collect::<Result<Vec<Region>>>()?;
    avoid.iter().try_for_each(|region| region.check(domain.dim()))?;
    let objective = goal.map_or(Ok(StudyGoal::FillDistance), |goal| goal.certificate(&domain))?;
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
    Ok(Layout { study: abandoned(py, work)?.map_err(Failure::from)? })
}
