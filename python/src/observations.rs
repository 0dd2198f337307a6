//! Observations in memory as a model takes them, by the checks that files of sensors go through.

use crate::arrays::{points, real, row_major, shape_text};
use crate::error::{Result, data};
use crate::grid::Grid;
use lto::model::ModelCard;
use lto::observations::{ObservationOptions, Observations as Checked};
use lto_numerics::dataset::{Columns, Readings};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use std::sync::Arc;

/// What is tolerated in observations: `skip_missing`, `merge_duplicates` and `force`, as the program has them.
#[derive(Clone, Copy, FromPyObject)]
pub struct Tolerance {
    #[pyo3(item)]
    skip_missing: bool,
    #[pyo3(item)]
    merge_duplicates: bool,
    #[pyo3(item)]
    force: bool,
}

impl Tolerance {
    /// With everything given one by one.
    pub fn new(skip_missing: bool, merge_duplicates: bool, force: bool) -> Self {
        Self { skip_missing, merge_duplicates, force }
    }

    fn options(self, time: Option<f64>, columns: Vec<String>) -> ObservationOptions {
        let Self { skip_missing, merge_duplicates, force } = self;
        ObservationOptions { time, columns, skip_missing, merge_duplicates, allow_far: force }
    }
}

/// Checked observations.
#[pyclass(module = "lto", frozen)]
pub struct Observations {
    /// The observations, for encoding and for pictures.
    pub checked: Arc<Checked>,
}

impl Observations {
    /// Values of the model's channels, in its order: `(n,)` or `(n, C)` at points `(n, D)`; `shape` or `(C, *shape)` on a grid.
    ///
    /// # Errors
    /// Shapes that do not fit the points or the model, and what [`Checked::new`] refuses.
    pub fn of_arrays(
        card: &ModelCard,
        (places, values): (&Bound<PyAny>, &Bound<PyAny>),
        s: Option<f64>,
        tolerance: Tolerance,
    ) -> Result<Checked> {
        const NAME: &str = "points and values";
        let domain = &card.problem.domain;
        let array = real("values", values)?;
        let shape = array.shape().to_vec();
        let n_channels = card.problem.source_channels;
        let misfit = |wanted: &str| {
            let (shape, names) = (shape_text(&shape), card.channel_names.join(", "));
            let channels = match n_channels {
                1 => "1 channel".into(),
                n => format!("{n} channels"),
            };
            data(format!(
                "values has shape {shape}, but must be {wanted}: the model takes {channels} ({names})"
            ))
        };
        let numbers = row_major(&array);
        let readings = if let Ok(grid) = places.cast::<Grid>() {
            let sizes = grid.get().sizes();
            let with_channels = [&[n_channels][..], &sizes].concat();
            if !(shape == with_channels || n_channels == 1 && shape == sizes) {
                return Err(misfit(&shape_text(&with_channels)));
            }
            let n = sizes.iter().product::<usize>().max(1);
            let channels = numbers.chunks_exact(n).map(<[f64]>::to_vec).collect();
            Readings::on_grid(NAME, grid.get().over(&card.problem)?, in_order(channels))?
        } else {
            let coordinates = points("points", places, domain.dim())?;
            let n = coordinates.len() / domain.dim();
            if !(shape == [n, n_channels] || n_channels == 1 && shape == [n]) {
                return Err(misfit(&shape_text(&[n, n_channels])));
            }
            let channel = |c: usize| numbers.iter().skip(c).step_by(n_channels).copied().collect();
            let columns = in_order((0..n_channels).map(channel).collect());
            Readings::scattered(NAME, domain, coordinates, columns)?
        };
        Ok(Checked::new(&readings, card, &tolerance.options(s, Vec::new()))?)
    }

    /// Named columns, and the times of the rows if they have any.
    ///
    /// # Errors
    /// As [`Observations::of_arrays`]; columns that the model does not know.
    pub fn of_columns(
        card: &ModelCard,
        places: &Bound<PyAny>,
        columns: Vec<(String, Bound<PyAny>)>,
        times: Option<&Bound<PyAny>>,
        (s, wanted): (Option<f64>, Vec<String>),
        tolerance: Tolerance,
    ) -> Result<Checked> {
        const NAME: &str = "data";
        let domain = &card.problem.domain;
        let numbers = |(name, column): &(String, Bound<PyAny>)| Ok(row_major(&real(name, column)?));
        let columns = Columns {
            times: times.map(|times| real("times", times)).transpose()?.as_ref().map(row_major),
            values: columns.iter().map(numbers).collect::<Result<Vec<_>>>()?,
            names: columns.into_iter().map(|(name, _)| name).collect(),
        };
        let readings = match places.cast::<Grid>() {
            Ok(grid) => Readings::on_grid(NAME, grid.get().over(&card.problem)?, columns)?,
            Err(_) => Readings::scattered(NAME, domain, points("points", places, domain.dim())?, columns)?,
        };
        Ok(Checked::new(&readings, card, &tolerance.options(s, wanted))?)
    }
}

/// Channels in the model's order, named as the columns of an array `values`.
fn in_order(values: Vec<Vec<f64>>) -> Columns {
    let names = match values.len() {
        1 => vec!["values".into()],
        n => (0..n).map(|c| format!("values[:, {c}]")).collect(),
    };
    Columns { times: None, names, values }
}

#[pymethods]
impl Observations {
    /// Their time; `None` for a steady model.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.checked.time
    }

    /// What is wrong with values that were accepted anyway.
    #[getter]
    fn doubt(&self) -> Option<String> {
        self.checked.doubt.clone()
    }
}
