//! Curvature, slope and range of fields on grids, by differences.

use crate::error::{Error, Result};
use crate::field::Field;
use crate::grid::Grid;

/// Maxima over all fields, channels and grid points.
pub(super) struct Extremes {
    pub curvature: f64,
    pub gradient: f64,
    pub oscillation: f64,
    pub sup: f64,
}

/// See [`super::Regularity::estimate`].
pub(super) fn extremes(fields: &[Field]) -> Result<Extremes> {
    let mut found = Extremes { curvature: 0.0, gradient: 0.0, oscillation: 0.0, sup: 0.0 };
    if fields.is_empty() {
        let what = "number of fields to estimate bounds from (at least)".into();
        return Err(Error::Mismatch { what, expected: 1, got: 0 });
    }
    for field in fields {
        let grid = field.grid();
        if let Some(got) = grid.shape().into_iter().find(|&n| n < 3) {
            let what = "points along each axis to estimate curvature (at least)".into();
            return Err(Error::Mismatch { what, expected: 3, got });
        }
        if let Some(index) = field.values().iter().position(|u| !u.is_finite()) {
            let (what, value) = ("field".into(), field.values()[index]);
            return Err(Error::NonFiniteValue { what, index: vec![index], value });
        }
        for channel in 0..field.n_channels() {
            found.add(grid, field.channel(channel));
        }
    }
    Ok(found)
}

impl Extremes {
    fn add(&mut self, grid: &Grid, u: &[f64]) {
        let (low, high) =
            u.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &u| (a.min(u), b.max(u)));
        self.oscillation = self.oscillation.max(high - low);
        self.sup = self.sup.max(high.abs()).max(low.abs());
        let dim = grid.dim();
        let slopes: Vec<Vec<f64>> = (0..dim).map(|d| along(grid, u, d, slope)).collect();
        let mut squares = vec![0.0; u.len()];
        for (d, slopes) in slopes.iter().enumerate() {
            add_squares(&mut squares, &along(grid, u, d, curvature), 1.0);
            (d + 1..dim).for_each(|e| add_squares(&mut squares, &along(grid, slopes, e, slope), 2.0));
        }
        self.curvature = largest(&squares).sqrt().max(self.curvature);
        squares.fill(0.0);
        slopes.iter().for_each(|slopes| add_squares(&mut squares, slopes, 1.0));
        self.gradient = largest(&squares).sqrt().max(self.gradient);
    }
}

fn add_squares(sums: &mut [f64], values: &[f64], factor: f64) {
    sums.iter_mut().zip(values).for_each(|(sum, v)| *sum += factor * v * v);
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Steps to the neighbors before and after, and the three values.
struct Stencil {
    before: f64,
    after: f64,
    values: [f64; 3],
}

/// The derivative of the parabola through three values, at the middle one.
fn slope(s: &Stencil) -> f64 {
    let (left, right) = differences(s);
    (left * s.after + right * s.before) / (s.before + s.after)
}

/// Its second derivative.
fn curvature(s: &Stencil) -> f64 {
    let (left, right) = differences(s);
    2.0 * (right - left) / (s.before + s.after)
}

fn differences(s: &Stencil) -> (f64, f64) {
    ((s.values[1] - s.values[0]) / s.before, (s.values[2] - s.values[1]) / s.after)
}

/// Applies a stencil along an axis. At the ends of an open axis the neighbor's stencil is used.
fn along(grid: &Grid, u: &[f64], d: usize, apply: fn(&Stencil) -> f64) -> Vec<f64> {
    let (axis, x) = (&grid.domain().axes()[d], grid.coordinates(d));
    let n = x.len();
    let stride: usize = grid.shape()[d + 1..].iter().product();
    (0..u.len())
        .map(|index| {
            let i = index / stride % n;
            let middle = if axis.periodic { i } else { i.clamp(1, n - 2) };
            let [before, after] = [(middle + n - 1) % n, (middle + 1) % n];
            let value = |k: usize| u[index - i * stride + k * stride];
            // Displacements wrap; on a periodic axis of three or more points they have the right sign.
            apply(&Stencil {
                before: axis.displacement(x[before], x[middle]),
                after: axis.displacement(x[middle], x[after]),
                values: [value(before), value(middle), value(after)],
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Axis, Domain};
    use crate::grid::Placement;
    use crate::theory::{BoundOrigin, Regularity};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    #[test]
    fn parabolas_are_found_exactly_on_uneven_grids() {
        let axes = vec![Axis::new("x", 0.0, 1.0, false), Axis::new("y", 0.0, 2.0, false)];
        let coordinates = vec![vec![0.0, 0.1, 0.4, 1.0], vec![0.2, 0.5, 1.9]];
        let grid = Grid::from_coordinates(Domain::new(axes).unwrap(), coordinates).unwrap();
        let field = Field::from_fn(Arc::new(grid), |p| 1.5 * p[0] * p[0] - p[0] * p[1] + 2.0 * p[1]);
        let found = extremes(&[field]).unwrap();
        // Hessian [[3, −1], [−1, 0]].
        assert!((found.curvature - 11f64.sqrt()).abs() < 1e-10, "{}", found.curvature);
    }

    #[test]
    fn waves_are_found_to_second_order() {
        for dim in 1..=3 {
            let grid = Arc::new(Grid::cubic(Domain::unit(dim, true).unwrap(), 64, Placement::Left).unwrap());
            let wave = Field::from_fn(grid, |p| 0.5 * (TAU * p.iter().sum::<f64>()).sin());
            let found = Regularity::estimate(&[wave]).unwrap();
            let (slope, root) = (0.5 * TAU, (dim as f64).sqrt());
            assert!((found.gradient_bound / (slope * root) - 1.0).abs() < 3e-3, "{found:?}");
            assert!((found.curvature_bound / (slope * TAU * dim as f64) - 1.0).abs() < 4e-3, "{found:?}");
            assert!((found.oscillation - 1.0).abs() < 1e-2 && found.origin == BoundOrigin::Estimated);
        }
    }

    #[test]
    fn data_without_curvature_is_refused() {
        let grid = |n| Arc::new(Grid::cubic(Domain::unit(1, true).unwrap(), n, Placement::Left).unwrap());
        for (fields, part) in [
            (vec![], "number of fields"),
            (vec![Field::from_fn(grid(2), |_| 1.0)], "points along each axis"),
            (vec![Field::from_fn(grid(8), |_| 1.0)], "curvature_bound"),
            (vec![Field::from_fn(grid(8), |_| f64::NAN)], "field holds NaN"),
        ] {
            let message = Regularity::estimate(&fields).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
