//! Assumption assum:reg (c) of the discretization theorem: a partition V_1, …, V_N of the domain with c_j ∈ V_j,
//! diam V_j ≤ 2δ and |V_j| = |Ω|/N.

use crate::domain::{Axis, Domain};
use crate::grid::{Grid, factor_shapes};
use crate::point_tree::{Cuboid, PointTree};
use crate::points::{PointStructure, Points};
use rayon::prelude::*;
use serde::Serialize;

/// Whether the partition exists.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EqualVolume {
    /// Yes: equal boxes, each with one of the points, of diameter at most 2δ.
    Holds {
        /// How far a box reaches from its point at most.
        reach: f64,
    },
    /// No: somewhere more points crowd together than equal volumes within their reach 2δ have room for.
    Fails,
    /// Neither was proved. Random sets usually end here: boxes are not the only partitions, and crowding is
    /// not the only obstacle.
    Undecided,
}

/// Rounding tolerance for a point on the face of a box: faces belong to either box.
const ON_A_FACE: f64 = 1e-12;

/// Looks for the equal-volume partition of Assumption assum:reg (c), given the fill distance δ or an upper
/// bound on it.
///
/// Sufficient (`Holds`): for grids, equal intervals on each axis that contain its coordinates, and likewise for points
/// on a line; for other sets, one point in each of N equal boxes. The boxes must have diameter at most 2δ.
///
/// Necessary (`Fails` if violated): since V_j lies within 2δ of c_j, the cells of the n points within r of
/// some c_i lie within r + 2δ of it, so n|Ω|/N is at most the volume of that ball.
pub fn equal_volume(points: &Points, fill_distance: f64) -> EqualVolume {
    let diameter = 2.0 * fill_distance;
    match reach_of_equal_boxes(points, diameter) {
        Some(reach) => EqualVolume::Holds { reach },
        None if is_crowded(points, diameter) => EqualVolume::Fails,
        None => EqualVolume::Undecided,
    }
}

/// How far equal boxes with one point each reach from their points, if such boxes exist.
fn reach_of_equal_boxes(points: &Points, diameter: f64) -> Option<f64> {
    let domain = points.domain();
    let fits = |shape: &[usize]| box_diagonal(domain, shape) <= diameter * (1.0 + ON_A_FACE);
    match points.structure() {
        PointStructure::Grid(grid) => fits(&grid.shape()).then(|| reach_on_grid(grid)).flatten(),
        _ if domain.dim() == 1 => {
            let mut sorted = points.coordinates();
            sorted.sort_by(f64::total_cmp);
            fits(&[sorted.len()]).then(|| reach_on_axis(&domain.axes()[0], &sorted)).flatten()
        }
        _ => factor_shapes(points.len(), domain.dim())
            .iter()
            .filter(|shape| fits(shape))
            .find_map(|shape| reach_of_boxes(points, shape)),
    }
}

/// The largest distance within one of equal boxes; a box as long as a periodic axis counts only half its
/// width.
fn box_diagonal(domain: &Domain, shape: &[usize]) -> f64 {
    let width = |(axis, &n): (&Axis, &usize)| {
        let width = axis.length() / n as f64;
        if axis.periodic { width.min(0.5 * axis.length()) } else { width }
    };
    domain.axes().iter().zip(shape).map(width).map(|w| w * w).sum::<f64>().sqrt()
}

fn reach_on_grid(grid: &Grid) -> Option<f64> {
    let axes = grid.domain().axes().iter().enumerate();
    let reaches: Option<Vec<f64>> = axes.map(|(d, axis)| reach_on_axis(axis, grid.coordinates(d))).collect();
    reaches.map(|along| along.iter().map(|r| r * r).sum::<f64>().sqrt())
}

/// How far interval i of n equal ones reaches at most from the i-th of n increasing coordinates, if it
/// contains it. On a periodic axis the intervals begin where that is least.
fn reach_on_axis(axis: &Axis, sorted: &[f64]) -> Option<f64> {
    let width = axis.length() / sorted.len() as f64;
    let offsets = || sorted.iter().enumerate().map(|(i, x)| x - axis.lower - i as f64 * width);
    let (least, most) =
        (offsets().fold(f64::INFINITY, f64::min), offsets().fold(f64::NEG_INFINITY, f64::max));
    let start = if axis.periodic { 0.5 * (least + most - width) } else { 0.0 };
    let slack = ON_A_FACE * axis.length();
    let holds = least - start >= -slack && most - start <= width + slack;
    let reach = (most - start).max(start + width - least);
    holds.then(|| if axis.periodic { reach.min(0.5 * axis.length()) } else { reach })
}

/// How far equal boxes reach from their points if each holds one. On periodic axes the boxes may begin
/// anywhere; tried are the lower bound, where strata begin, and half a box before the first point, which
/// centers the boxes on lattices.
fn reach_of_boxes(points: &Points, shape: &[usize]) -> Option<f64> {
    let axes = points.domain().axes();
    let coordinates = points.coordinates();
    let fill = |centered: bool| {
        let mut taken = vec![false; points.len()];
        let mut furthest: f64 = 0.0;
        for x in coordinates.chunks_exact(axes.len()) {
            let (mut index, mut squared) = (0, 0.0);
            for (d, axis) in axes.iter().enumerate() {
                let n = shape[d] as f64;
                let from_lower = (x[d] - axis.lower) / axis.length() * n;
                let from_first = ((x[d] - coordinates[d]) / axis.length() * n + 0.5).rem_euclid(n);
                let place = if centered && axis.periodic { from_first } else { from_lower };
                let along = (place as usize).min(shape[d] - 1);
                index = index * shape[d] + along;
                let within = place - along as f64;
                let reach = within.max(1.0 - within) * axis.length() / n;
                squared += if axis.periodic { reach.min(0.5 * axis.length()) } else { reach }.powi(2);
            }
            if std::mem::replace(&mut taken[index], true) {
                return None;
            }
            furthest = furthest.max(squared);
        }
        Some(furthest.sqrt())
    };
    [false, true].into_iter().filter_map(fill).reduce(f64::min)
}

fn is_crowded(points: &Points, reach: f64) -> bool {
    let tree = PointTree::new(points);
    let mean = points.domain().volume() / points.len() as f64;
    let unit_ball = [2.0, std::f64::consts::PI, 4.0 / 3.0 * std::f64::consts::PI][points.dim() - 1];
    // Beyond a few times the reach, the ball has room for its points.
    let radii = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0].map(|factor| factor * reach);
    (0..tree.len()).into_par_iter().any(|place| {
        let center = Cuboid::point(tree.position(place));
        radii.iter().any(|radius| {
            let room = unit_ball * (radius + reach).powi(points.dim() as i32);
            count_within(&tree, &center, radius * radius) as f64 * mean > room * (1.0 + ON_A_FACE)
        })
    })
}

fn count_within(tree: &PointTree, center: &Cuboid, squared_radius: f64) -> usize {
    let mut count = 0;
    tree.descend(|node| {
        if tree.metric.squared_min(center, &node.cuboid) > squared_radius {
            return false;
        }
        if tree.metric.squared_max(center, &node.cuboid) <= squared_radius {
            count += node.range.len();
            return false;
        }
        if node.is_leaf() {
            let within =
                |place: &usize| tree.metric.squared(&center.center, &tree.position(*place)) <= squared_radius;
            count += node.range.clone().filter(within).count();
        }
        true
    });
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::fill_distance;
    use crate::grid::Placement;

    fn verdict(points: &Points) -> EqualVolume {
        equal_volume(points, fill_distance(points, 1e-3).unwrap().upper)
    }

    fn holds(points: &Points) -> bool {
        matches!(verdict(points), EqualVolume::Holds { .. })
    }

    /// The boxes reach as far as the corner furthest from its point: half a diagonal, or a whole one if the
    /// points sit in corners.
    #[test]
    fn uniform_grids_hold_wherever_their_points_sit() {
        for dim in 1..=3 {
            for (periodic, placement) in
                [(true, Placement::Left), (true, Placement::Center), (false, Placement::Left)]
                    .into_iter()
                    .chain([(false, Placement::Center), (false, Placement::Vertex)])
            {
                let grid = Grid::cubic(Domain::unit(dim, periodic).unwrap(), 6, placement).unwrap();
                let in_corners = !periodic && placement != Placement::Center;
                let expected = (dim as f64).sqrt() / 6.0 * if in_corners { 1.0 } else { 0.5 };
                for points in [Points::grid(grid.clone()), Points::grid(grid).to_scattered()] {
                    let EqualVolume::Holds { reach } = verdict(&points) else {
                        // Vertices lie on faces; which box they belong to is known only on grids and lines.
                        assert!(placement == Placement::Vertex && dim > 1, "{dim} {periodic} {placement:?}");
                        continue;
                    };
                    assert!((reach - expected).abs() < 1e-12, "{dim} {periodic} {placement:?}: {reach}");
                }
            }
        }
    }

    #[test]
    fn one_point_in_each_box_holds_if_the_boxes_are_small_enough() {
        // Each point at a different place in its quarter; the widest hole exceeds half a diagonal.
        let domain = Domain::unit(2, true).unwrap();
        let points = Points::scattered(domain, vec![0.1, 0.1, 0.2, 0.8, 0.6, 0.3, 0.9, 0.6]).unwrap();
        let EqualVolume::Holds { reach } = verdict(&points) else { panic!("{:?}", verdict(&points)) };
        // No further than from (0.1, 0.1) to the corner (0.5, 0.5) of its quarter; other quarters may do
        // better.
        let delta = fill_distance(&points, 1e-3).unwrap().lower;
        assert!(reach >= delta && reach < 0.4 * 2f64.sqrt() + 1e-12, "{reach} {delta}");
    }

    #[test]
    fn on_a_line_intervals_may_begin_anywhere_if_it_is_periodic() {
        let line = |periodic, x: [f64; 4]| {
            Points::scattered(Domain::unit(1, periodic).unwrap(), x.to_vec()).unwrap()
        };
        assert!(holds(&line(false, [0.2, 0.45, 0.69, 0.99])));
        assert_eq!(verdict(&line(false, [0.3, 0.52, 0.77, 0.99])), EqualVolume::Undecided);
        assert!(holds(&line(true, [0.3, 0.52, 0.77, 0.99])));
        assert_eq!(verdict(&line(true, [0.01, 0.02, 0.5, 0.99])), EqualVolume::Undecided);
    }

    #[test]
    fn crowds_fail() {
        for dim in 1..=3 {
            // A grid for a small fill distance, and as many points again in a tiny cluster.
            let grid = Grid::cubic(Domain::unit(dim, true).unwrap(), [200, 16, 8][dim - 1], Placement::Left)
                .unwrap();
            let mut coordinates = Points::grid(grid.clone()).coordinates();
            for i in 1..=grid.len() {
                coordinates.extend((0..dim).map(|d| 0.5 + 1e-7 * (i * (d + 1)) as f64));
            }
            let points = Points::scattered(grid.domain().clone(), coordinates).unwrap();
            assert_eq!(verdict(&points), EqualVolume::Fails, "{dim}");
        }
    }
}
