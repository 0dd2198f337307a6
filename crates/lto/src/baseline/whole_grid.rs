//! What models on whole grids read: the values of a regular grid and its coordinates, and nothing else.

use super::modes::{Modes, wavenumbers};
use crate::error::{Error, Result};
use crate::operator::tensor;
use burn::tensor::{Device, Tensor};
use lto_numerics::dataset::Context;
use lto_numerics::{Grid, PointStructure, Points};
use std::sync::Arc;

/// Spacings of a regular grid differ by less than this share of the axis.
const REGULAR: f64 = 1e-6;

/// A model on whole grids.
pub struct WholeGrid<'a> {
    /// Its name in messages.
    pub model: &'static str,
    /// The wavenumbers that a grid must have.
    pub modes: Option<&'a Modes>,
}

impl WholeGrid<'_> {
    /// Values, then coordinates: `[b, p + D, n]` and the shape of the grid. Coordinates are the points' true
    /// ones, `(x − lower)/length` along each axis.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for contexts that are no whole regular grid, differ in shape, or are not the query.
    pub fn inputs(
        &self,
        contexts: &[Context],
        queries: &[Arc<Points>],
        device: &Device,
    ) -> Result<(Tensor<3>, Vec<usize>)> {
        let (mut values, mut shape, mut channels) = (Vec::new(), Vec::new(), 0);
        for (i, (context, query)) in contexts.iter().zip(queries.iter().cycle()).enumerate() {
            let grid = self.grid(context, query)?;
            if i > 0 && shape != grid.shape() {
                return self
                    .refuse(format!("one batch has grids of {shape:?} and {:?} points", grid.shape()));
            }
            shape = grid.shape();
            channels = context.n_channels + grid.dim();
            values.reserve(channels * grid.len());
            values.extend(&context.values);
            coordinates(grid, &mut values);
        }
        let n = shape.iter().product();
        Ok((tensor(&values, [contexts.len(), channels, n], device), shape))
    }

    /// The grid of a context, which must also be the query's.
    fn grid<'c>(&self, context: &'c Context, query: &Points) -> Result<&'c Grid> {
        let PointStructure::Grid(grid) = context.points.structure() else {
            let n = context.points.len();
            return self
                .refuse(format!("it needs values on a whole grid, but these {n} points do not form one"));
        };
        for (d, axis) in grid.domain().axes().iter().enumerate() {
            let (x, step) = (grid.coordinates(d), grid.spacing(d));
            if x.windows(2).any(|pair| (pair[1] - pair[0] - step).abs() > REGULAR * axis.length()) {
                return self.refuse(format!("the spacing of the grid along {} varies", axis.name));
            }
        }
        let shape = grid.shape();
        if let Some((modes, d)) = self.modes.and_then(|modes| Some((modes, modes.coarse_axis(&shape)?))) {
            let (n, modes, has) = (shape[d], modes.along(d), wavenumbers(shape[d]));
            return self
                .refuse(format!("its {modes} modes along an axis need more than the {has} of {n} points"));
        }
        match query.structure() {
            PointStructure::Grid(to) if to == grid => Ok(grid),
            _ => self.refuse("it predicts only on the grid of its context, and the query is another".into()),
        }
    }

    fn refuse<T>(&self, reason: String) -> Result<T> {
        Err(Error::Unsupported { model: self.model, reason })
    }
}

/// Appends `[D, n]` coordinates in `[0, 1]`.
fn coordinates(grid: &Grid, to: &mut Vec<f64>) {
    for (d, axis) in grid.domain().axes().iter().enumerate() {
        let shape = grid.shape();
        let inner: usize = shape[d + 1..].iter().product();
        for _ in 0..shape[..d].iter().product() {
            for x in grid.coordinates(d) {
                to.extend(std::iter::repeat_n((x - axis.lower) / axis.length(), inner));
            }
        }
    }
}
