//! The values of a field between its grid points.

use crate::domain::Axis;
use crate::field::Field;
use crate::points::Points;

/// Values `[channel, point]` by multilinear interpolation: exact at grid points and for linear fields. Beyond
/// the outermost points of an open axis, the line through the last two is extended.
pub fn at_points(field: &Field, points: &Points) -> Vec<f64> {
    let grid = field.grid();
    let shape = grid.shape();
    let mut at = vec![0.0; grid.dim()];
    let n = points.len();
    let mut values = vec![0.0; field.n_channels() * n];
    for point in 0..n {
        points.write_point(point, &mut at);
        // Row-major indices of the corners of the cell, and their weights.
        let mut corners = vec![(0, 1.0)];
        for (d, axis) in grid.domain().axes().iter().enumerate() {
            let (low, high, share) = cell(axis, grid.coordinates(d), at[d]);
            let split = |(index, weight): (usize, f64)| {
                let first = index * shape[d];
                [(first + low, weight * (1.0 - share)), (first + high, weight * share)]
            };
            corners = corners.into_iter().flat_map(split).filter(|&(_, weight)| weight != 0.0).collect();
        }
        for channel in 0..field.n_channels() {
            let u = field.channel(channel);
            values[channel * n + point] = corners.iter().map(|&(index, weight)| weight * u[index]).sum();
        }
    }
    values
}

/// The two neighbors of `x` on an axis, and its fraction of the way from the first to the second.
fn cell(axis: &Axis, coordinates: &[f64], x: f64) -> (usize, usize, f64) {
    let last = coordinates.len() - 1;
    if last == 0 {
        return (0, 0, 0.0);
    }
    let x = if axis.contains(x) { x } else { axis.wrap(x) };
    if axis.periodic && !(coordinates[0]..=coordinates[last]).contains(&x) {
        let gap = axis.length() - (coordinates[last] - coordinates[0]);
        return (last, 0, (x - coordinates[last]).rem_euclid(axis.length()) / gap);
    }
    let high = coordinates.partition_point(|&c| c <= x).clamp(1, last);
    let (a, b) = (coordinates[high - 1], coordinates[high]);
    (high - 1, high, (x - a) / (b - a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Grid, Placement};
    use std::f64::consts::TAU;
    use std::sync::Arc;

    #[test]
    fn grid_values_and_linear_fields_are_exact_to_the_boundary() {
        let domain = Domain::new(vec![Axis::new("x", -1.0, 1.0, false), Axis::new("y", 0.0, 3.0, false)]);
        let grid = Grid::uniform(domain.unwrap(), &[(5, Placement::Center), (4, Placement::Vertex)]).unwrap();
        let linear = |x: &[f64]| 2.0 - 3.0 * x[0] + 0.5 * x[1];
        let field = Field::from_fn(Arc::new(grid.clone()), linear);
        let anywhere = [-1.0, 0.0, 1.0, 3.0, 0.123, 2.9, -0.77, 1.5];
        let points = Points::scattered(grid.domain().clone(), anywhere.to_vec()).unwrap();
        for (value, x) in at_points(&field, &points).iter().zip(anywhere.chunks_exact(2)) {
            assert!((value - linear(x)).abs() < 1e-12, "{x:?}");
        }
        assert_eq!(at_points(&field, &Points::grid(grid)), field.values());
    }

    #[test]
    fn periodic_axes_join_their_ends() {
        let grid = Grid::cubic(Domain::unit(1, true).unwrap(), 64, Placement::Center).unwrap();
        let wave = |x: &[f64]| (TAU * x[0]).sin();
        let field = Field::from_fn(Arc::new(grid.clone()), wave);
        let anywhere = [0.0, 0.003, 0.9995, 0.4];
        let points = Points::scattered(grid.domain().clone(), anywhere.to_vec()).unwrap();
        for (value, x) in at_points(&field, &points).iter().zip(anywhere) {
            // h² max|u''| / 8.
            assert!((value - wave(&[x])).abs() < (TAU / 64.0f64).powi(2) / 8.0 + 1e-12, "{x}");
        }
    }
}
