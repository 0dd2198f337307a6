//! The relative L2 error of values and of their slopes, in physical units: of each example, then the mean.

use super::relative_l2::{ratio, relative_l2};
use super::{Compared, Units};
use crate::device::table;
use crate::error::{Error, Result};
use burn::tensor::{Device, Tensor};
use lto_numerics::{Grid, PointStructure, Points};
use std::sync::Arc;

/// λ: slopes weigh less than values, which are what errors are reported of.
const SLOPE_WEIGHT: f64 = 0.2;

/// `‖û − u‖/‖u‖ + λ ‖∇(û − u)‖/‖∇u‖`, where ∇ takes the differences of neighbors along every axis, over their distance;
/// around the circle on a periodic axis.
pub(super) fn relative_h1(compared: Compared, units: &Units, queries: &[Arc<Points>]) -> Result<Tensor<1>> {
    let Compared { prediction, truth, known: None, .. } = compared else { return Err(needs_grid()) };
    let grid = whole_grid(queries)?;
    let whole =
        Compared { prediction: prediction.clone(), truth: truth.clone(), deviation: None, known: None };
    let values = relative_l2(whole, units, queries)?;
    let scale = units.scale(&truth.device());
    let difference = slopes((prediction - truth.clone()) * scale.clone(), grid);
    Ok(values + ratio(difference, slopes(truth * scale, grid)) * SLOPE_WEIGHT)
}

/// The grid that all examples are compared on.
fn whole_grid(queries: &[Arc<Points>]) -> Result<&Grid> {
    if let [first, others @ ..] = queries
        && let PointStructure::Grid(grid) = first.structure()
        && others.iter().all(|other| other == first)
        && grid.shape().iter().all(|n| *n > 1)
    {
        return Ok(grid);
    }
    Err(needs_grid())
}

fn needs_grid() -> Error {
    Error::Config {
        key: "train.objective".into(),
        value: "relative_h1".into(),
        requirement: "compares neighbors, so it needs one whole grid for all examples, with two points an axis or more: leave \
                      out train.query_points, or use relative_l2"
            .into(),
    }
}

/// Slopes along all axes: `[b, q, M]` → `[b, q, M′]`.
fn slopes(x: Tensor<3>, grid: &Grid) -> Tensor<3> {
    let [b, q, _] = x.dims();
    let shape = grid.shape();
    let along = |d: usize| {
        let (before, after) =
            (shape[..d].iter().product::<usize>(), shape[d + 1..].iter().product::<usize>());
        let x = x.clone().reshape([b * q * before, shape[d], after]);
        let inverse = inverse_distances(grid, d, &x.device());
        let n = inverse.dims()[1];
        // The neighbor of the last point of a circle is the first.
        let next = if n == shape[d] {
            Tensor::cat(vec![x.clone(), x.clone().narrow(1, 0, 1)], 1)
        } else {
            x.clone()
        };
        ((next.narrow(1, 1, n) - x.narrow(1, 0, n)) * inverse).reshape([b, q, before * n * after])
    };
    Tensor::cat((0..shape.len()).map(along).collect(), 2)
}

/// One over the distance of every point to the next along axis `d`, `[1, n, 1]`.
fn inverse_distances(grid: &Grid, d: usize, device: &Device) -> Tensor<3> {
    let (axis, x) = (&grid.domain().axes()[d], grid.coordinates(d));
    let mut distances: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if axis.periodic {
        distances.push(axis.length() - (x[x.len() - 1] - x[0]));
    }
    let inverse: Vec<f32> = distances.iter().map(|distance| distance.recip() as f32).collect();
    let n = inverse.len();
    table(inverse, [1, n, 1], device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Axis, Domain};

    /// Two rows of three points: rows ½ apart, points 1 and 3 apart; around the circle the rows are 1½ apart.
    #[test]
    fn slopes_by_hand() {
        for (periodic, expected) in [
            (false, vec![6.0, -2.0, -4.0, 2.0, 1.0, -2.0, 2.0 / 3.0]),
            (true, vec![6.0, -2.0, -4.0, -2.0, 2.0 / 3.0, 4.0 / 3.0, 2.0, 1.0, -2.0, 2.0 / 3.0]),
        ] {
            let axes = vec![Axis::new("x", 0.0, 2.0, periodic), Axis::new("y", 0.0, 4.0, false)];
            let grid =
                Grid::from_coordinates(Domain::new(axes).unwrap(), vec![vec![0.0, 0.5], vec![0.0, 1.0, 4.0]])
                    .unwrap();
            let x = Tensor::<3>::from_floats([[[1.0, 3.0, 6.0, 4.0, 2.0, 4.0]]], &Device::flex());
            let found: Vec<f32> = slopes(x, &grid).into_data().iter::<f32>().collect();
            assert_eq!(found.len(), expected.len());
            let mut off = found.iter().zip(&expected).map(|(a, b): (&f32, &f32)| (a - b).abs());
            assert!(off.all(|off| off < 1e-6), "{found:?} {expected:?}");
        }
    }

    #[test]
    fn points_that_are_no_whole_grid_are_refused() {
        let domain = Domain::unit(1, true).unwrap();
        let grid = Grid::cubic(domain.clone(), 4, lto_numerics::Placement::Left).unwrap();
        let whole = Arc::new(Points::grid(grid.clone()));
        let part = Arc::new(Points::masked(grid, vec![0, 1, 2]).unwrap());
        let single = Arc::new(Points::grid(Grid::from_coordinates(domain, vec![vec![0.5]]).unwrap()));
        assert!(whole_grid(&[whole.clone(), whole.clone()]).is_ok());
        for queries in [vec![part.clone()], vec![whole, part], vec![single]] {
            let message = whole_grid(&queries).unwrap_err().to_string();
            assert!(message.contains("relative_h1") && message.contains("train.query_points"), "{message}");
        }
    }
}
