//! How well a set of points covers its domain: fill distance, separation, and the equal-volume partition that the
//! discretization theorem assumes.

pub(crate) mod branch;
mod equal_volume;
mod fill_distance;
mod nearest;
mod voronoi;

use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;

pub use equal_volume::{EqualVolume, equal_volume};
pub use fill_distance::{FillDistance, fill_distance};
pub use nearest::{local_spacing, nearest};
pub use voronoi::{VoronoiVolumes, voronoi_volumes};

/// q = ½ min over pairs of d_Ω(c_i, c_j): the largest radius for which equal balls around the points do not
/// overlap.
///
/// # Errors
/// Fewer than two points.
pub fn separation(points: &Points) -> Result<f64> {
    if points.len() < 2 {
        let what = "number of points for a separation (at least)".into();
        return Err(Error::Mismatch { what, expected: 2, got: points.len() });
    }
    let tree = PointTree::new(points);
    let nearest = |place: usize| tree.nearest(&tree.position(place), Some(place));
    let smallest = (0..tree.len())
        .into_par_iter()
        .filter_map(nearest)
        .map(|nearest| nearest.squared_distance)
        .reduce(|| f64::INFINITY, f64::min);
    Ok(0.5 * smallest.sqrt())
}

/// The ratio δ/q of fill distance and separation, at least 1 on connected domains with two or more points. A
/// family of sets is quasi-uniform if it is bounded.
///
/// # Errors
/// As [`separation`] and [`fill_distance`].
pub fn quasi_uniformity(points: &Points, tolerance: f64) -> Result<f64> {
    Ok(fill_distance(points, tolerance)?.upper / separation(points)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::grid::{Grid, Placement};

    #[test]
    fn a_square_grid_has_quasi_uniformity_root_two() {
        let grid = Grid::cubic(Domain::unit(2, true).unwrap(), 10, Placement::Left).unwrap();
        let points = Points::grid(grid);
        assert!((separation(&points).unwrap() - 0.05).abs() < 1e-15);
        assert!((quasi_uniformity(&points, 1e-6).unwrap() - 2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_closest_pair_may_be_across_a_periodic_end() {
        let coordinates = vec![0.01, 0.3, 0.6, 0.98];
        let of = |periodic| {
            separation(&Points::scattered(Domain::unit(1, periodic).unwrap(), coordinates.clone()).unwrap())
        };
        assert!((of(true).unwrap() - 0.015).abs() < 1e-12);
        assert!((of(false).unwrap() - 0.145).abs() < 1e-12);
        let one = Points::scattered(Domain::unit(1, true).unwrap(), vec![0.5]).unwrap();
        assert!(matches!(separation(&one), Err(Error::Mismatch { got: 1, .. })));
    }
}
