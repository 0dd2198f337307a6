//! Fields that do not change in time, known everywhere: elevation, land and sea.

use crate::error::Result;
use crate::interpolate::closely;
use lto_numerics::dataset::Context;
use lto_numerics::{Domain, Grid, Points};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Static fields on a grid of their own. A model's file holds the values beside its weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticFields {
    /// Names of the fields.
    pub names: Vec<String>,
    /// Coordinates of their points along each axis.
    pub coordinates: Vec<Vec<f64>>,
    /// The values, `[field, point]`, each field with mean 0 and deviation 1 over its points.
    #[serde(skip)]
    pub values: Arc<Vec<f32>>,
}

/// The name of the values beside a model's weights.
pub(crate) const TENSOR: &str = "static_fields";

impl StaticFields {
    /// The values at any points, between their own by [`closely`].
    ///
    /// # Shapes
    /// M points → `[field, M]`.
    ///
    /// # Errors
    /// Coordinates that are no grid of the domain, or values that do not fit it.
    pub fn at(&self, domain: &Domain, query: &Points) -> Result<Vec<f64>> {
        let points = Points::grid(Grid::from_coordinates(domain.clone(), self.coordinates.clone())?);
        let (expected, got) = (self.names.len() * points.len(), self.values.len());
        if expected != got {
            let what = "number of values of the static fields".into();
            return Err(lto_numerics::Error::Mismatch { what, expected, got }.into());
        }
        let values = self.values.iter().map(|&value| f64::from(value)).collect();
        closely(&Context::new(points, self.names.len(), values), query)
    }
}
