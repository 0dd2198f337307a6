//! Best linear estimates as weights, for networks that are computed elsewhere.

use crate::arrays::{array, points, real, row_major};
use crate::detached::detached;
use crate::error::{Result, config};
use lto::problem::Problem;
use lto_numerics::kriging::Kriging;
use lto_numerics::{Domain, Field, Grid, Points};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// Indices and weights, an array each.
type Weighted<'py> = (Bound<'py, PyArrayDyn<i64>>, Bound<'py, PyArrayDyn<f64>>);

/// The best linear estimates of the channels of a problem, given as JSON as in a model card.
///
/// They are linear in the observed values: what is left to do is a weighted sum.
#[pyclass(module = "lto", frozen)]
pub struct BestLinear {
    channels: Vec<Kriging>,
    domain: Domain,
}

#[pymethods]
impl BestLinear {
    #[new]
    fn new(problem: &str) -> Result<Self> {
        let problem: Problem =
            serde_json::from_str(problem).map_err(|error| config(format!("problem: {error}")))?;
        let each = problem.measured.covariances.iter();
        let channels = each.map(|covariance| Ok(Kriging::new(covariance, &problem.domain)?));
        Ok(Self { channels: channels.collect::<Result<_>>()?, domain: problem.domain })
    }

    /// The k observations of a channel that each query point is estimated from, by their index, and their weights,
    /// ``(m, k)`` each.
    ///
    /// ``points`` are (n, D), ``values`` (n,), ``query`` (m, D); the values only say how noisy they are.
    fn weights<'py>(
        &self,
        py: Python<'py>,
        channel: usize,
        points: &Bound<PyAny>,
        values: &Bound<PyAny>,
        query: &Bound<PyAny>,
    ) -> Result<Weighted<'py>> {
        let kriging = self.kriging(channel)?;
        let [context, query] = [self.places("points", points)?, self.places("query", query)?];
        let values = row_major(&real("values", values)?);
        let found = detached(py, || kriging.weights(&context, &values, None, &query))??;
        let shape = [found.len(), found.first().map_or(0, Vec::len)];
        let (indices, weights) = found.into_iter().flatten().map(|(j, weight)| (j as i64, weight)).unzip();
        Ok((PyArray1::from_vec(py, indices).reshape(shape.to_vec())?, array(py, weights, &shape)?))
    }

    /// What each wave of a channel on a whole grid is multiplied by, in the order of ``numpy.fft``; ``None`` if the values show no
    /// noise, or the covariance or the grid has no waves.
    ///
    /// ``axes`` are the coordinates along each axis.
    fn gains<'py>(
        &self,
        py: Python<'py>,
        channel: usize,
        axes: Vec<Vec<f64>>,
        values: &Bound<PyAny>,
    ) -> Result<Option<Bound<'py, PyArrayDyn<f64>>>> {
        let kriging = self.kriging(channel)?;
        let grid = Arc::new(Grid::from_coordinates(self.domain.clone(), axes)?);
        let field = Field::new(grid.clone(), 1, row_major(&real("values", values)?))?;
        let gains = detached(py, || kriging.gains(&field, None))?;
        Ok(gains.map(|gains| array(py, gains, &grid.shape())).transpose()?)
    }
}

impl BestLinear {
    fn kriging(&self, channel: usize) -> Result<&Kriging> {
        let n = self.channels.len();
        let missing = || config(format!("channel = {channel}: the problem has covariances of {n} channels"));
        self.channels.get(channel).ok_or_else(missing)
    }

    fn places(&self, name: &str, value: &Bound<PyAny>) -> Result<Points> {
        Ok(Points::scattered(self.domain.clone(), points(name, value, self.domain.dim())?)?)
    }
}
