//! The fill distance, by branch and bound.

use super::branch::{Effort, supremum};
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::point_tree::{Cuboid, PointTree};
use crate::points::{PointStructure, Points};
use serde::Serialize;

/// Takes a few seconds at most.
const EFFORT: Effort = Effort { at_once: 1 << 16, in_all: 1 << 24 };

/// δ = sup_x min_j d_Ω(x, c_j), between two bounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FillDistance {
    /// Distance of [`FillDistance::at`] from its nearest point: δ is at least this.
    pub lower: f64,
    /// δ is at most this.
    pub upper: f64,
    /// A point of the domain as far from the set as `lower` says.
    pub at: Vec<f64>,
}

/// The fill distance of a set of points, with `upper ≤ (1 + tolerance) lower`.
///
/// Grids have a closed form. Otherwise boxes are halved: in a box with center b whose nearest point is c, the
/// distance to the set is at most that from c to the furthest corner, and at b it is d(b, c). Boxes that
/// cannot exceed the largest distance seen by more than the tolerance are dropped. If that takes more than
/// sixteen million boxes (a set along a line or plane, and a small tolerance), the bounds reached so far are
/// returned: they hold, but are less tight.
///
/// # Errors
/// The tolerance is not in [1e-12, 1].
pub fn fill_distance(points: &Points, tolerance: f64) -> Result<FillDistance> {
    if !(1e-12..=1.0).contains(&tolerance) {
        return Err(Error::Parameter {
            name: "tolerance",
            value: tolerance.to_string(),
            requirement: "must be between 1e-12 and 1, relative to the fill distance",
        });
    }
    Ok(match points.structure() {
        PointStructure::Grid(grid) => of_grid(grid),
        _ => of_tree(points, &PointTree::new(points), tolerance),
    })
}

/// Half the widest gap of each axis: over a box, the supremum of a sum over axes is the sum of the suprema.
fn of_grid(grid: &Grid) -> FillDistance {
    let mut at = Vec::with_capacity(grid.dim());
    let mut squared = 0.0;
    for (d, axis) in grid.domain().axes().iter().enumerate() {
        let x = grid.coordinates(d);
        let (first, last) = (x[0], x[x.len() - 1]);
        let inner = x.windows(2).map(|pair| (0.5 * (pair[1] - pair[0]), 0.5 * (pair[0] + pair[1])));
        let ends = if axis.periodic {
            let gap = 0.5 * (first - last + axis.length());
            vec![(gap, axis.wrap(last + gap))]
        } else {
            vec![(first - axis.lower, axis.lower), (axis.upper - last, axis.upper)]
        };
        let widest = inner.chain(ends).fold((0.0, first), |a, b| if b.0 > a.0 { b } else { a });
        squared += widest.0 * widest.0;
        at.push(widest.1);
    }
    FillDistance { lower: squared.sqrt(), upper: squared.sqrt(), at }
}

fn of_tree(points: &Points, tree: &PointTree, tolerance: f64) -> FillDistance {
    let domain = points.domain();
    // Bounds on the squared distance to the set: its value at the center, and the most it can be in the box.
    let bounds = |cuboid: &Cuboid| {
        let nearest = tree.nearest(&cuboid.center, None);
        nearest.map_or((0.0, 0.0), |nearest| {
            let point = Cuboid::point(tree.position(nearest.place));
            (nearest.squared_distance, tree.metric.squared_max(cuboid, &point))
        })
    };
    // Squares double the relative tolerance of the distance.
    let tolerance = (1.0 + tolerance).powi(2) - 1.0;
    let found = supremum(domain, points.len(), tolerance, EFFORT, bounds);
    let at = found.at[..domain.dim()].to_vec();
    FillDistance { lower: found.lower.sqrt(), upper: found.upper.sqrt(), at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Axis, Domain};
    use crate::grid::Placement;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn brackets(found: &FillDistance, expected: f64, tolerance: f64) {
        assert!(
            found.lower <= expected * (1.0 + 1e-12) && expected <= found.upper * (1.0 + 1e-12),
            "{found:?} {expected}"
        );
        assert!(found.upper <= found.lower * (1.0 + tolerance) * (1.0 + 1e-12), "{found:?}");
    }

    #[test]
    fn a_grid_has_half_its_cell_diagonal_with_or_without_its_structure() {
        for dim in 1..=3 {
            let periodic = Grid::cubic(Domain::unit(dim, true).unwrap(), 7, Placement::Left).unwrap();
            let centers = Grid::cubic(Domain::unit(dim, false).unwrap(), 7, Placement::Center).unwrap();
            let expected = 0.5 * (dim as f64).sqrt() / 7.0;
            for points in [Points::grid(periodic), Points::grid(centers)] {
                brackets(&fill_distance(&points, 1e-3).unwrap(), expected, 1e-12);
                brackets(&fill_distance(&points.to_scattered(), 1e-3).unwrap(), expected, 1e-3);
            }
            // Without its last line of points, an open axis is covered a whole cell less well.
            let left = Grid::cubic(Domain::unit(dim, false).unwrap(), 7, Placement::Left).unwrap();
            let points = Points::grid(left);
            brackets(&fill_distance(&points, 1e-3).unwrap(), 2.0 * expected, 1e-12);
            brackets(&fill_distance(&points.to_scattered(), 1e-4).unwrap(), 2.0 * expected, 1e-4);
        }
    }

    #[test]
    fn on_a_line_it_is_half_the_widest_gap_or_the_distance_to_an_end() {
        for (coordinates, plain, periodic) in [
            (vec![0.1, 0.3, 0.8], 0.25, 0.25),
            (vec![0.4, 0.5, 0.6], 0.4, 0.4),
            (vec![0.05, 0.3, 0.5, 0.7], 0.3, 0.175),
        ] {
            for (is_periodic, expected) in [(false, plain), (true, periodic)] {
                let domain = Domain::unit(1, is_periodic).unwrap();
                let points = Points::scattered(domain, coordinates.clone()).unwrap();
                brackets(&fill_distance(&points, 1e-9).unwrap(), expected, 1e-9);
            }
        }
    }

    #[test]
    fn random_sets_agree_with_looking_everywhere() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (n, periodic) in
            [(1, [true, false]), (12, [true, false]), (40, [false, false]), (40, [true, true])]
        {
            let axes = vec![Axis::new("x", -1.0, 1.0, periodic[0]), Axis::new("y", 0.0, 0.7, periodic[1])];
            let domain = Domain::new(axes).unwrap();
            let coordinates: Vec<f64> =
                (0..n).flat_map(|_| [rng.random_range(-1.0..1.0), rng.random_range(0.0..0.7)]).collect();
            let points = Points::scattered(domain.clone(), coordinates.clone()).unwrap();
            let found = fill_distance(&points, 1e-4).unwrap();
            let distance = |x: &[f64]| {
                coordinates.chunks_exact(2).map(|c| domain.distance(x, c)).fold(f64::INFINITY, f64::min)
            };
            assert!((distance(&found.at) - found.lower).abs() < 1e-12);
            let mut most: f64 = 0.0;
            for i in 0..=400 {
                for j in 0..=140 {
                    most = most.max(distance(&[-1.0 + f64::from(i) / 200.0, f64::from(j) / 200.0]));
                }
            }
            // The nodes are 0.005 apart, so none misses the supremum by more than half a diagonal.
            assert!(most <= found.upper + 1e-12 && found.lower <= most + 0.0036, "{most} {found:?}");
            assert!(found.upper <= found.lower * 1.0001 * (1.0 + 1e-12));
        }
    }

    #[test]
    fn bad_tolerances_are_refused() {
        let points = Points::scattered(Domain::unit(1, true).unwrap(), vec![0.5]).unwrap();
        for tolerance in [0.0, -1.0, 2.0, f64::NAN] {
            assert!(matches!(fill_distance(&points, tolerance), Err(Error::Parameter { .. })));
        }
    }
}
