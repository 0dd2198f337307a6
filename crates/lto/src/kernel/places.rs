//! Where points are, on another device than the processor: coordinates are sent once, whatever is made of them there.

use crate::device::table;
use burn::tensor::{Device, Int, Tensor};
use lto_numerics::{Axis, Grid, PointStructure, Points};

/// The grid that points are taken to be on: that of a grid or of a part of one, unless they are so few of its points that one by
/// one is cheaper.
pub fn grid_of(points: &Points) -> Option<&Grid> {
    match points.structure() {
        PointStructure::Grid(grid) => Some(grid),
        PointStructure::Masked { grid, indices } if indices.len() * 8 >= grid.len() => Some(grid),
        _ => None,
    }
}

/// Places along an axis as distances from its lower end, in units of the coordinates.
///
/// # Shapes
/// As `shape`, which `x` must fill.
pub fn along<const D: usize>(axis: &Axis, x: &[f64], shape: [usize; D], device: &Device) -> Tensor<D> {
    table(x.iter().map(|x| (x - axis.lower) as f32).collect(), shape, device)
}

/// The places of points [`along`] each of D axes. Those on a grid are made of the grid's own.
///
/// # Shapes
/// M points → D times `[M]`.
pub fn of_points(points: &Points, device: &Device) -> Vec<Tensor<1>> {
    let (axes, dim) = (points.domain().axes(), points.dim());
    let Some(grid) = grid_of(points) else {
        let flat = points.coordinates();
        let axis = |(d, axis): (usize, &Axis)| {
            along(
                axis,
                &flat.iter().skip(d).step_by(dim).copied().collect::<Vec<_>>(),
                [points.len()],
                device,
            )
        };
        return axes.iter().enumerate().map(axis).collect();
    };
    let shape = grid.shape();
    let axis = |(d, axis): (usize, &Axis)| {
        let (n, inner) = (shape[d], shape[d + 1..].iter().product::<usize>());
        let outer = grid.len() / (n * inner);
        let line: Tensor<3> = along(axis, grid.coordinates(d), [1, n, 1], device);
        let all = line.expand([outer, n, inner]).reshape([grid.len()]);
        match points.structure() {
            PointStructure::Masked { indices, .. } => all.select(0, index(indices, device)),
            _ => all,
        }
    };
    axes.iter().enumerate().map(axis).collect()
}

/// Indices as a tensor. Sent as the numbers that they are; exact up to 2²⁴.
///
/// # Shapes
/// n indices → `[n]`.
pub fn index(indices: &[usize], device: &Device) -> Tensor<1, Int> {
    table(indices.iter().map(|&i| i as f32).collect(), [indices.len()], device).int()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::fetch;
    use lto_numerics::{Domain, Placement};

    /// Of a grid, of most of one, of few points of one and of points anywhere, on axes that begin elsewhere than at zero.
    #[test]
    fn are_the_coordinates() {
        let axes = vec![Axis::new("x", -1.0, 3.0, true), Axis::new("y", 2.0, 3.0, false)];
        let domain = Domain::new(axes).unwrap();
        let grid = Grid::uniform(domain.clone(), &[(4, Placement::Left), (5, Placement::Vertex)]).unwrap();
        let some = |step| Points::masked(grid.clone(), (0..20).step_by(step).collect()).unwrap();
        let anywhere = Points::scattered(domain, vec![0.5, 2.25, -0.5, 3.0]).unwrap();
        for points in [Points::grid(grid.clone()), some(3), some(11), anywhere] {
            let found: Vec<Vec<f32>> = of_points(&points, &Device::flex()).into_iter().map(fetch).collect();
            for (i, place) in points.coordinates().chunks_exact(2).enumerate() {
                let exact = [place[0] + 1.0, place[1] - 2.0];
                assert!((0..2).all(|d| (f64::from(found[d][i]) - exact[d]).abs() < 1e-6), "{points:?}");
            }
            assert!(found.iter().all(|along| along.len() == points.len()), "{points:?}");
        }
    }
}
