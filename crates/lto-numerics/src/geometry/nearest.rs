//! Which point of a set is nearest.

use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;

/// For every query point the index of the nearest of `points` by d_Ω, in O(log N) each. Ties are decided by
/// the points' coordinates, not by their order.
///
/// # Errors
/// A query in another domain.
pub fn nearest(points: &Points, query: &Points) -> Result<Vec<usize>> {
    if !points.domain().same_place(query.domain()) {
        let text = |points: &Points| points.domain().to_string();
        return Err(Error::DomainMismatch { context: text(points), query: text(query) });
    }
    let tree = PointTree::new(points);
    let find = |index: usize| {
        let mut position = [0.0; 3];
        query.write_point(index, &mut position[..query.dim()]);
        tree.nearest(&position, None).map(|nearest| tree.order()[nearest.place])
    };
    // A set of points is never empty.
    (0..query.len()).into_par_iter().map(|index| find(index).ok_or(Error::NoPoints)).collect()
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
}
