//! Carrying fields from one grid to another: exactly if the points are shared, spectrally if the axes are
//! periodic and uniform, otherwise by cubic splines or from the nearest point. Every method works along one
//! axis at a time.

mod at_points;
mod cubic;
mod nearest;
mod spectral;
mod spline_field;
mod stride;
#[cfg(test)]
mod tests;

pub use at_points::at_points;
pub use spline_field::{Knots, SplineField};

use crate::error::{Error, Result};
use crate::field::{Field, Trajectory};
use crate::grid::{Grid, expect};
use crate::lines::map_lines;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How values reach the new points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The target's points are among the source's; their values are copied.
    Stride,
    /// Trigonometric interpolation on uniform periodic axes: exact for fields both grids resolve; jumps cause
    /// ringing. On a coarser target, wavenumbers it cannot hold are dropped rather than aliased.
    Spectral,
    /// C² cubic splines through the source's points on any axes (periodic, or not-a-knot): fourth order. On a
    /// coarser target, values are those of the spline, so what it cannot resolve aliases.
    Cubic,
    /// The value of the nearest point along every axis, the lower if tied: for piecewise constant fields, on
    /// which smooth interpolation rings.
    Nearest,
}

impl Method {
    /// All methods; the first three in the order [`Method::for_grids`] prefers them.
    pub const ALL: [Method; 4] = [Method::Stride, Method::Spectral, Method::Cubic, Method::Nearest];

    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Stride => "stride",
            Method::Spectral => "spectral",
            Method::Cubic => "cubic",
            Method::Nearest => "nearest",
        }
    }

    /// The first of stride, spectral and cubic that can carry fields from `source` to `target`.
    ///
    /// # Errors
    /// The grids lie in different domains, or no method applies; the reason given is that of the last method
    /// tried.
    pub fn for_grids(source: &Grid, target: &Grid) -> Result<Method> {
        for method in [Method::Stride, Method::Spectral] {
            if method.plan(source, target).is_ok() {
                return Ok(method);
            }
        }
        Method::Cubic.plan(source, target).map(|_| Method::Cubic)
    }

    fn plan(self, source: &Grid, target: &Grid) -> Result<Vec<Box<dyn AxisMap>>> {
        expect("dimension of the grid to resample to", source.dim(), target.dim())?;
        let axes = source.domain().axes().iter().zip(target.domain().axes()).enumerate();
        axes.map(|(d, (axis, other))| {
            let refuse = |reason| Error::Resample { method: self.name(), axis: axis.name.clone(), reason };
            if !axis.same_place(other) {
                return Err(refuse(format!("the grids lie in different domains, {axis} and {other}")));
            }
            let (from, to) = (source.coordinates(d), target.coordinates(d));
            let map: Result<Box<dyn AxisMap>, String> = match self {
                Method::Stride => stride::Pick::new(axis, from, to).map(|m| Box::new(m) as _),
                Method::Spectral => spectral::Trigonometric::new(axis, from, to).map(|m| Box::new(m) as _),
                Method::Cubic => cubic::Spline::new(axis, from, to).map(|m| Box::new(m) as _),
                Method::Nearest => Ok(Box::new(nearest::Nearest::new(axis, from, to)) as _),
            };
            map.map_err(refuse)
        })
        .collect()
    }
}

/// A planned map of lines along one axis.
trait AxisMap {
    /// Values at the target's coordinates from those at the source's.
    fn apply(&mut self, line: &[f64], result: &mut [f64]);
}

/// The field on another grid of the same domain.
///
/// # Errors
/// The method does not apply; [`Error::Resample`] names the axis and the reason.
pub fn resample(field: &Field, grid: &Arc<Grid>, method: Method) -> Result<Field> {
    let values = map_values(field.values(), field.grid(), grid, field.n_channels(), method)?;
    Field::new(grid.clone(), field.n_channels(), values)
}

/// The trajectory on another grid of the same domain, at the same times.
///
/// # Errors
/// As [`resample`].
pub fn resample_trajectory(trajectory: &Trajectory, grid: &Arc<Grid>, method: Method) -> Result<Trajectory> {
    let (times, n_channels) = (trajectory.times(), trajectory.n_channels());
    let n_fields = times.len() * n_channels;
    let values = map_values(trajectory.values(), trajectory.grid(), grid, n_fields, method)?;
    Trajectory::new(grid.clone(), times.to_vec(), n_channels, values)
}

fn map_values(
    values: &[f64],
    source: &Grid,
    target: &Grid,
    n_fields: usize,
    method: Method,
) -> Result<Vec<f64>> {
    let mut shape = vec![n_fields];
    shape.extend(source.shape());
    let mut values = values.to_vec();
    for (d, (mut map, n)) in method.plan(source, target)?.into_iter().zip(target.shape()).enumerate() {
        values = map_lines(&values, &shape, d + 1, n, |line, result| map.apply(line, result));
        shape[d + 1] = n;
    }
    Ok(values)
}
