//! Which point of a set is nearest, and how far apart the points around a place are.

use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::{PointStructure, Points};
use rayon::prelude::*;

/// For every query point the index of the nearest of `points` by d_Ω, in O(log N) each. Ties are decided by
/// the points' coordinates, not by their order.
///
/// # Errors
/// A query in another domain.
pub fn nearest(points: &Points, query: &Points) -> Result<Vec<usize>> {
    check(points, query)?;
    let tree = PointTree::new(points);
    let find = |index: usize| {
        let mut position = [0.0; 3];
        query.write_point(index, &mut position[..query.dim()]);
        tree.nearest(&position, None).map(|nearest| tree.order()[nearest.place])
    };
    // A set of points is never empty.
    (0..query.len()).into_par_iter().map(|index| find(index).ok_or(Error::NoPoints)).collect()
}

/// How far apart `points` are around every query point: the distance of its 2D-th nearest one (of the farthest, if there are
/// fewer), which at a point of a regular grid is the grid's spacing. On a whole grid it is the mean spacing everywhere.
///
/// # Errors
/// A query in another domain.
pub fn local_spacing(points: &Points, query: &Points) -> Result<Vec<f64>> {
    check(points, query)?;
    if let PointStructure::Grid(_) = points.structure() {
        return Ok(vec![points.mean_spacing(); query.len()]);
    }
    let tree = PointTree::new(points);
    let distance = |index: usize| {
        let mut position = [0.0; 3];
        query.write_point(index, &mut position[..query.dim()]);
        tree.k_nearest(&position, 2 * query.dim()).last().map_or(0.0, |last| last.squared_distance.sqrt())
    };
    Ok((0..query.len()).into_par_iter().map(distance).collect())
}

fn check(points: &Points, query: &Points) -> Result<()> {
    if points.domain().same_place(query.domain()) {
        return Ok(());
    }
    let text = |points: &Points| points.domain().to_string();
    Err(Error::DomainMismatch { context: text(points), query: text(query) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Grid, Placement};

    #[test]
    fn the_nearest_is_found_across_periodic_ends() {
        let of = |periodic| {
            let domain = Domain::unit(1, periodic).unwrap();
            let points = Points::scattered(domain.clone(), vec![0.9, 0.3]).unwrap();
            nearest(&points, &Points::scattered(domain, vec![0.05, 0.2, 0.65]).unwrap()).unwrap()
        };
        assert_eq!(of(true), [0, 1, 0]);
        assert_eq!(of(false), [1, 1, 0]);
    }

    #[test]
    fn every_point_is_nearest_to_itself_and_other_domains_are_refused() {
        let grid = |periodic| {
            Points::grid(Grid::cubic(Domain::unit(2, periodic).unwrap(), 9, Placement::Center).unwrap())
        };
        let found = nearest(&grid(true).to_scattered(), &grid(true)).unwrap();
        assert!(found.iter().enumerate().all(|(i, &j)| i == j));
        assert!(matches!(nearest(&grid(true), &grid(false)), Err(Error::DomainMismatch { .. })));
    }

    /// By hand: the second nearest on a line; on a grid its spacing, with and without its structure.
    #[test]
    fn the_local_spacing_is_that_of_the_points_around() {
        let domain = Domain::unit(1, false).unwrap();
        let points = Points::scattered(domain.clone(), vec![0.0, 0.5, 0.9]).unwrap();
        let spacing = local_spacing(&points, &Points::scattered(domain, vec![0.0, 0.6, 1.0]).unwrap());
        for (found, expected) in spacing.unwrap().iter().zip([0.5, 0.3, 0.5]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let grid = Points::grid(Grid::cubic(Domain::unit(2, true).unwrap(), 8, Placement::Left).unwrap());
        for points in [grid.to_scattered(), grid.clone()] {
            let spacing = local_spacing(&points, &grid).unwrap();
            assert!(spacing.iter().all(|spacing| (spacing - 0.125).abs() < 1e-12));
        }
    }
}
