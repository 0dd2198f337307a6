//! Numbers of points along the axes of a grid at other resolutions.

use super::level::refuse;
use crate::error::Result;
use lto_numerics::resample::Method;
use lto_numerics::{Grid, Placement};
use std::sync::Arc;

/// The fewest points along an axis of a default coarser grid.
const FEWEST: usize = 4;

/// Default resolutions to evaluate at, as points along the first axis: the native one; below it, every k-th
/// point with the smallest k that keeps the ends of all axes; above it, every interval halved, if points are
/// equally spaced. 421 vertices: 211, 421, 841.
pub fn default_resolutions(grid: &Grid) -> Vec<usize> {
    let native = grid.shape();
    let coarser = (2..=native[0]).find(|&stride| keeps_ends(grid, stride));
    let coarser = coarser.filter(|&stride| native.iter().all(|n| n.div_ceil(stride) >= FEWEST));
    let vertex = is_vertex(grid, 0);
    let finer = 2 * (native[0] - vertex) + vertex;
    let possible = uniform(grid, finer).is_some_and(|to| Method::for_grids(grid, &to).is_ok());
    let below = coarser.map(|stride| native[0].div_ceil(stride));
    below.into_iter().chain([native[0]]).chain(possible.then_some(finer)).collect()
}

/// The equally spaced grid with `resolution` points along the first axis.
fn uniform(grid: &Grid, resolution: usize) -> Option<Grid> {
    at_shape(grid, &shape_at(grid, resolution).ok()?)?.ok()
}

/// The equally spaced grid of a shape; `None` if the points of this one are not equally spaced.
pub(super) fn at_shape(grid: &Grid, shape: &[usize]) -> Option<Result<Grid>> {
    let axes: Option<Vec<(usize, Placement)>> =
        shape.iter().enumerate().map(|(d, &n)| Some((n, grid.placement(d)?))).collect();
    Some(Grid::uniform(grid.domain().clone(), &axes?).map_err(Into::into))
}

/// Points minus intervals: 1 if both ends of an axis are points, else 0.
fn is_vertex(grid: &Grid, d: usize) -> usize {
    usize::from(grid.placement(d) == Some(Placement::Vertex))
}

/// Points along each axis: `resolution` along the first, the others in proportion to their intervals,
/// rounded.
///
/// # Errors
/// Too few points for an interval.
pub(super) fn shape_at(grid: &Grid, resolution: usize) -> Result<Vec<usize>> {
    let native = grid.shape();
    let intervals = |n: usize, d: usize| n.checked_sub(is_vertex(grid, d)).filter(|&m| m > 0);
    let along = |d: usize| {
        let (wanted, had) = (intervals(resolution, 0)? as u128, intervals(native[0], 0)? as u128);
        let exact = intervals(native[d], d)? as u128 * wanted;
        let nearest = ((2 * exact + had) / (2 * had)).max(1);
        Some(usize::try_from(nearest).ok()? + is_vertex(grid, d))
    };
    let shape: Option<Vec<usize>> = (0..native.len()).map(along).collect();
    shape.ok_or_else(|| {
        refuse(
            resolution,
            &format!("points along the first axis of {native:?}, the other axes in proportion"),
        )
    })
}

/// Whether every k-th point covers the axes as all points do: all gaps around a periodic axis are equal, and
/// the last vertex is included.
fn keeps_ends(grid: &Grid, stride: usize) -> bool {
    let axes = grid.domain().axes().iter().zip(grid.shape()).enumerate();
    axes.into_iter().all(|(d, (axis, n))| {
        let (whole, between) = (n.is_multiple_of(stride), (n - 1).is_multiple_of(stride));
        match grid.placement(d) {
            _ if axis.periodic => whole,
            Some(Placement::Vertex) => between,
            Some(_) => whole,
            None => whole || between,
        }
    })
}

/// The grid of every k-th point, if one has this shape.
pub(super) fn strided(grid: &Grid, shape: &[usize]) -> Option<Result<Arc<Grid>>> {
    let native = grid.shape();
    let fits = |stride: usize| {
        keeps_ends(grid, stride) && native.iter().zip(shape).all(|(n, &wanted)| n.div_ceil(stride) == wanted)
    };
    let stride = (1..=native[0]).find(|&stride| fits(stride))?;
    Some(grid.strided(stride).map(Arc::new).map_err(Into::into))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::Domain;

    fn grid(periodic: bool, axes: &[(usize, Placement)]) -> Grid {
        Grid::uniform(Domain::unit(axes.len(), periodic).unwrap(), axes).unwrap()
    }

    #[test]
    fn strides_lead_to_the_published_darcy_grids_and_to_halves_of_periodic_ones() {
        let vertices = grid(false, &[(421, Placement::Vertex); 2]);
        for n in [85, 106, 141, 211, 421] {
            let grid = strided(&vertices, &shape_at(&vertices, n).unwrap()).unwrap().unwrap();
            assert_eq!((grid.shape(), grid.placement(0)), (vec![n, n], Some(Placement::Vertex)));
        }
        let periodic = grid(true, &[(48, Placement::Center)]);
        assert_eq!(strided(&periodic, &[16]).unwrap().unwrap().coordinates(0)[1], 3.5 / 48.0);
        // Every 10th of 48 points would be 5 with unequal gaps around the end.
        assert!(strided(&periodic, &[5]).is_none());
        assert!(strided(&periodic, &[96]).is_none());
        // Every 2nd of 10 vertices would be 5 without the last.
        assert!(strided(&grid(false, &[(10, Placement::Vertex)]), &[5]).is_none());
        assert!(strided(&grid(false, &[(10, Placement::Center)]), &[5]).is_some());
    }

    #[test]
    fn other_axes_keep_their_proportion_to_the_nearest() {
        let wide = grid(true, &[(64, Placement::Left), (32, Placement::Left)]);
        assert_eq!(shape_at(&wide, 128).unwrap(), [128, 64]);
        assert_eq!(shape_at(&wide, 16).unwrap(), [16, 8]);
        assert_eq!(shape_at(&wide, 15).unwrap(), [15, 8], "7.5 is rounded up");
        assert_eq!(shape_at(&wide, 1).unwrap(), [1, 1]);
        assert!(shape_at(&wide, 0).unwrap_err().to_string().contains("resolutions = 0"));
        let vertices = grid(false, &[(33, Placement::Vertex), (49, Placement::Vertex)]);
        assert_eq!(shape_at(&vertices, 17).unwrap(), [17, 25]);
        assert_eq!(shape_at(&vertices, 16).unwrap(), [16, 24], "22.5 intervals become 23");
        assert!(shape_at(&vertices, 1).is_err(), "one vertex has no interval");
    }

    #[test]
    fn defaults_halve_and_double_intervals() {
        type Case<'a> = (bool, &'a [(usize, Placement)], &'a [usize]);
        let vertex = |n| (n, Placement::Vertex);
        let cases: [Case; 6] = [
            (false, &[vertex(421), vertex(421)], &[211, 421, 841]),
            (false, &[vertex(33), vertex(49)], &[17, 33, 65]),
            (true, &[(1024, Placement::Left)], &[512, 1024, 2048]),
            (false, &[(16, Placement::Left); 2], &[8, 16, 32]),
            // No stride but the one to a single point: 30 and 29 intervals have no common divisor.
            (false, &[vertex(31), vertex(30)], &[31, 61]),
            (true, &[(15, Placement::Left)], &[5, 15, 30]),
        ];
        for (periodic, axes, expected) in cases {
            assert_eq!(default_resolutions(&grid(periodic, axes)), expected, "{axes:?}");
        }
        let unequal =
            Grid::from_coordinates(Domain::unit(1, false).unwrap(), vec![vec![0.0, 0.1, 0.5, 0.7, 1.0]]);
        assert_eq!(default_resolutions(&unequal.unwrap()), [5]);
    }
}
