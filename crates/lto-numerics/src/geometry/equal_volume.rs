//! Assumption assum:reg (c) of the discretization theorem: a partition V_1, …, V_N of the domain with c_j ∈ V_j,
//! diam V_j ≤ 2δ and |V_j| = |Ω|/N.

use super::fill_distance::fill_distance;
use crate::domain::{Axis, Domain};
use crate::error::Result;
use crate::grid::{Grid, factor_shapes};
use crate::point_tree::{Cuboid, PointTree};
use crate::points::{Layout, Points};
use rayon::prelude::*;
use serde::Serialize;

/// Whether the partition exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EqualVolume {
    /// Yes: equal boxes, each with one of the points, of diameter at most 2δ.
    Holds,
    /// No: somewhere more points crowd than equal volumes within their reach 2δ have room for.
    Fails,
    /// Neither was found. Random sets usually end here: boxes are not the only partitions, and crowding is not the
    /// only obstacle.
    Undecided,
}

/// Roundoff allowed when a point lies on the face of a box: faces belong to either box.
const ON_A_FACE: f64 = 1e-12;

/// Looks for the equal-volume partition of Assumption assum:reg (c).
///
/// Sufficient (`Holds`): for grids, equal intervals on each axis that contain its coordinates, and likewise for points
/// on a line; for other sets, one point in each of N equal boxes. The boxes must have diameter at most 2δ, which is
/// known to the tolerance.
///
/// Necessary (`Fails` where violated): since V_j lies within 2δ of c_j, the cells of the n points within r of some c_i
/// lie within r + 2δ of it, so n|Ω|/N is at most the volume of that ball.
///
/// # Errors
/// As [`fill_distance`], whose tolerance it takes.
pub fn equal_volume(points: &Points, tolerance: f64) -> Result<EqualVolume> {
    let delta = fill_distance(points, tolerance)?;
    if in_equal_boxes(points, 2.0 * delta.upper) {
        return Ok(EqualVolume::Holds);
    }
    let crowded = is_crowded(points, 2.0 * delta.upper);
    Ok(if crowded { EqualVolume::Fails } else { EqualVolume::Undecided })
}

fn in_equal_boxes(points: &Points, diameter: f64) -> bool {
    let domain = points.domain();
    let fits = |shape: &[usize]| box_diagonal(domain, shape) <= diameter * (1.0 + ON_A_FACE);
    match points.layout() {
        Layout::Grid(grid) => fits(&grid.shape()) && grid_in_equal_intervals(grid),
        _ if domain.dim() == 1 => {
            let mut sorted = points.coordinates();
            sorted.sort_by(f64::total_cmp);
            fits(&[sorted.len()]) && in_equal_intervals(&domain.axes()[0], &sorted)
        }
        _ => factor_shapes(points.len(), domain.dim())
            .iter()
            .any(|shape| fits(shape) && one_in_each(points, shape)),
    }
}

/// The largest distance within one of equal boxes; a box as long as a periodic axis is only half as wide.
fn box_diagonal(domain: &Domain, shape: &[usize]) -> f64 {
    let width = |(axis, &n): (&Axis, &usize)| {
        let width = axis.length() / n as f64;
        if axis.periodic { width.min(0.5 * axis.length()) } else { width }
    };
    domain.axes().iter().zip(shape).map(width).map(|w| w * w).sum::<f64>().sqrt()
}

fn grid_in_equal_intervals(grid: &Grid) -> bool {
    grid.domain().axes().iter().enumerate().all(|(d, axis)| in_equal_intervals(axis, grid.coordinates(d)))
}

/// Whether interval i of n equal ones holds the i-th of n increasing coordinates; on a periodic axis the intervals
/// may begin anywhere.
fn in_equal_intervals(axis: &Axis, sorted: &[f64]) -> bool {
    let width = axis.length() / sorted.len() as f64;
    let slack = ON_A_FACE * axis.length();
    let offsets = || sorted.iter().enumerate().map(|(i, x)| x - axis.lower - i as f64 * width);
    let (least, most) =
        (offsets().fold(f64::INFINITY, f64::min), offsets().fold(f64::NEG_INFINITY, f64::max));
    if axis.periodic { most - least <= width + slack } else { least >= -slack && most <= width + slack }
}

/// Whether each of equal boxes holds one point. On periodic axes the boxes may begin anywhere: tried are the lower
/// bound, where strata begin, and half a box before the first point, which centers the boxes on lattices.
fn one_in_each(points: &Points, shape: &[usize]) -> bool {
    let axes = points.domain().axes();
    let coordinates = points.coordinates();
    let fill = |centered: bool| {
        let mut taken = vec![false; points.len()];
        coordinates.chunks_exact(axes.len()).all(|x| {
            let along = |d: usize| {
                let (axis, n) = (&axes[d], shape[d] as f64);
                let from_lower = (x[d] - axis.lower) / axis.length() * n;
                let from_first = ((x[d] - coordinates[d]) / axis.length() * n + 0.5).rem_euclid(n);
                let place = if centered && axis.periodic { from_first } else { from_lower };
                (place as usize).min(shape[d] - 1)
            };
            let index = (0..x.len()).fold(0, |index, d| index * shape[d] + along(d));
            !std::mem::replace(&mut taken[index], true)
        })
    };
    fill(false) || fill(true)
}

fn is_crowded(points: &Points, reach: f64) -> bool {
    let tree = PointTree::new(points);
    let mean = points.domain().volume() / points.len() as f64;
    let unit_ball = [2.0, std::f64::consts::PI, 4.0 / 3.0 * std::f64::consts::PI][points.dim() - 1];
    // Beyond a few times the reach the ball has room for what it holds.
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
    use crate::grid::Placement;

    fn verdict(points: &Points) -> EqualVolume {
        equal_volume(points, 1e-3).unwrap()
    }

    #[test]
    fn uniform_grids_hold_wherever_their_points_sit() {
        for dim in 1..=3 {
            for (periodic, placement) in
                [(true, Placement::Left), (true, Placement::Center), (false, Placement::Left)]
                    .into_iter()
                    .chain([(false, Placement::Center), (false, Placement::Vertex)])
            {
                let grid = Grid::cubic(Domain::unit(dim, periodic).unwrap(), 6, placement).unwrap();
                assert_eq!(
                    verdict(&Points::grid(grid)),
                    EqualVolume::Holds,
                    "{dim} {periodic} {placement:?}"
                );
            }
        }
    }

    #[test]
    fn one_point_in_each_box_holds_if_the_boxes_are_small_enough() {
        // Each point at a different place of its quarter; the widest hole exceeds half a diagonal.
        let domain = Domain::unit(2, true).unwrap();
        let points = Points::scattered(domain, vec![0.1, 0.1, 0.2, 0.8, 0.6, 0.3, 0.9, 0.6]).unwrap();
        assert_eq!(verdict(&points), EqualVolume::Holds);
    }

    #[test]
    fn on_a_line_intervals_may_begin_anywhere_if_it_is_periodic() {
        let of = |periodic, x: [f64; 4]| {
            verdict(&Points::scattered(Domain::unit(1, periodic).unwrap(), x.to_vec()).unwrap())
        };
        assert_eq!(of(false, [0.2, 0.45, 0.69, 0.99]), EqualVolume::Holds);
        assert_eq!(of(false, [0.3, 0.52, 0.77, 0.99]), EqualVolume::Undecided);
        assert_eq!(of(true, [0.3, 0.52, 0.77, 0.99]), EqualVolume::Holds);
        assert_eq!(of(true, [0.01, 0.02, 0.5, 0.99]), EqualVolume::Undecided);
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
