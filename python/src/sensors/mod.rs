//! Sensor layouts, certified and designed: what both need to know.

mod certificate;
mod layout;

pub use certificate::{Certificate, certify};
pub use layout::{Layout, design};

use crate::arrays::points;
use crate::error::{Failure, Result, config};
use crate::picture::Picture;
use lto_numerics::dataset::{Columns, DomainOption, OpenOptions, PeriodicOption, Readings};
use lto_numerics::study::{EstimatedRegularity, open_part, sensor_domain};
use lto_numerics::theory::{Regularity, RegularityOf};
use lto_numerics::{Domain, Points};
use lto_report::picture::{PictureFormat, drawing::Drawing, still};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Bounds of a domain.
#[derive(FromPyObject)]
pub enum Bounds {
    /// As on the command line: `0:1,0:1`.
    Text(String),
    /// A pair for each axis.
    Pairs(Vec<(f64, f64)>),
}

/// Where sensors stand: bounds, and which axes are periodic (`all`, `none` or their names).
#[derive(FromPyObject)]
pub struct Place {
    #[pyo3(item)]
    bounds: Option<Bounds>,
    #[pyo3(item)]
    periodic: String,
}

impl Place {
    /// The domain: the one given, else the data's; `None` if neither is known.
    ///
    /// # Errors
    /// Bounds that do not increase or do not fit the data, or a periodic axis that does not exist.
    pub fn domain(self, data: Option<&EstimatedRegularity>) -> Result<Option<Domain>> {
        let bounds = match self.bounds {
            Some(Bounds::Text(text)) => Some(text.parse()?),
            Some(Bounds::Pairs(pairs)) => Some(DomainOption(pairs)),
            None => None,
        };
        let periodic: PeriodicOption = self.periodic.parse()?;
        Ok(sensor_domain(bounds.as_ref(), Some(&periodic), data, &[])?)
    }
}

/// A domain that is not known.
pub fn no_domain() -> Failure {
    config("domain is missing: give bounds along each axis, such as \"0:1,0:1\"")
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
    margin: Option<f64>,
}

impl Known {
    /// The bounds estimated from the file, if there is one.
    ///
    /// # Errors
    /// Bounds beside a file, a margin without one or below 1, or a file that cannot be read.
    pub fn estimated(&self) -> Result<Option<EstimatedRegularity>> {
        let margin = self.margin.unwrap_or(1.0);
        if !(margin >= 1.0 && margin.is_finite()) {
            return Err(config(format!("margin = {margin}: must be a number, at least 1")));
        }
        let Some(file) = &self.data else {
            return match self.margin {
                Some(_) => Err(config("margin has no effect without data")),
                None => Ok(None),
            };
        };
        let given = [("curvature", self.curvature), ("sup", self.sup), ("gradient", self.gradient)];
        if let Some((name, _)) = given.into_iter().find(|(_, value)| value.is_some()) {
            return Err(config(format!(
                "{name} and data exclude each other: data are what bounds are estimated from"
            )));
        }
        let mut dataset = open_part(file, &OpenOptions { allow_nan: true, ..OpenOptions::default() })?;
        Ok(Some(EstimatedRegularity::of(&mut dataset, margin)?))
    }

    /// The bounds: from data, else what follows from those given by `of`.
    ///
    /// # Errors
    /// No curvature, or too little known for the domain.
    pub fn regularity(
        &self,
        data: Option<&EstimatedRegularity>,
        domain: &Domain,
        of: RegularityOf,
    ) -> Result<Regularity> {
        match (data, self.curvature) {
            (Some(data), _) => Ok(data.regularity.clone()),
            (None, Some(curvature)) => Ok(of(domain, curvature, self.sup, self.gradient)?),
            (None, None) => Err(config(
                "curvature is missing: give the largest second derivative of the states, or data to estimate it from",
            )),
        }
    }
}

/// Sensors of a domain, given as the argument `name`.
///
/// # Errors
/// Points of another shape, or outside the domain.
pub fn sensors(name: &str, value: &Bound<PyAny>, domain: &Domain) -> Result<Points> {
    let coordinates = points(name, value, domain.dim())?;
    Ok(Readings::scattered(name, domain, coordinates, Columns::default())?.sensors()?)
}

/// A drawing as a picture.
///
/// # Errors
/// A picture that is too large.
pub fn picture(drawing: &Drawing) -> Result<Picture> {
    Ok(Picture { png: still(drawing, PictureFormat::Png)? })
}
