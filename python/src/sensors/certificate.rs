//! Certificates of sensor layouts.

use super::{Known, Place, no_domain, picture, sensors};
use crate::error::{Result, config};
use crate::files::write;
use crate::interrupt::abandoned;
use crate::model::Model;
use crate::picture::Picture;
use lto_numerics::SetConv;
use lto_numerics::study::SensorCertificate;
use lto_numerics::theory::Regularity;
use lto_report::certificate;
use pyo3::prelude::*;
use std::path::PathBuf;

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
        let page = || Ok(certificate::page(&self.found, "lto.certify")?.html().into_bytes());
        write(&path, "a page", "html", page)
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
#[pyo3(signature = (points, place, known, length_scale, model))]
pub fn certify(
    py: Python,
    points: &Bound<PyAny>,
    place: Place,
    known: Known,
    length_scale: Option<f64>,
    model: Option<&Bound<Model>>,
) -> Result<Certificate> {
    let encoder = model.map(|model| model.get().inner().clone());
    let data = known.estimated()?;
    let own = || encoder.as_ref().map(|model| model.card().problem.domain.clone());
    let domain = place.domain(data.as_ref())?.or_else(own).ok_or_else(no_domain)?;
    let sensors = sensors("points", points, &domain)?;
    let setconv = match (length_scale, encoder) {
        (None, None) => None,
        (Some(ell), None) => Some(SetConv::new(ell)?),
        (ell, Some(model)) => {
            let Some(own) = model.operator().set_convolution(&sensors) else {
                return Err(config("model: does not encode by a set convolution; give length_scale instead"));
            };
            Some(match ell {
                Some(ell) => own.with_length_scale(ell)?,
                None => own,
            })
        }
    };
    // An encoder averages, which nothing bounds where states may have any range.
    let of = if model.is_some() { Regularity::new } else { Regularity::of_any_range };
    let regularity = known.regularity(data.as_ref(), &domain, of)?;
    let work = move || SensorCertificate::new(sensors, regularity, data, setconv, &mut |_| {});
    Ok(Certificate { found: abandoned(py, work)?? })
}
