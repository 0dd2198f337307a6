//! More points than a field has: its grid with every spacing cut into equal parts.

use crate::error::{Error, Result};
use lto_numerics::resample::{Method, resample};
use lto_numerics::{Axis, Field, Grid};
use std::sync::Arc;

/// The most parts a spacing is cut into.
const MOST_PARTS: usize = 32;

/// The field on the coarsest refinement of its grid with at least `n` points: spectrally where axes are uniform and
/// periodic, else by cubic splines.
///
/// # Errors
/// A grid that cannot be refined that far.
pub fn refine(field: &Field, n: usize) -> Result<Field> {
    let grid = field.grid();
    let axes = grid.domain().axes();
    for parts in 2..=MOST_PARTS {
        let coordinates: Vec<Vec<f64>> =
            axes.iter().enumerate().map(|(d, axis)| refined(axis, grid.coordinates(d), parts)).collect();
        if coordinates.iter().map(Vec::len).product::<usize>() >= n {
            let finer = Arc::new(Grid::from_coordinates(grid.domain().clone(), coordinates)?);
            let method = Method::for_grids(grid, &finer)?;
            return Ok(resample(field, &finer, method)?);
        }
    }
    Err(Error::Config {
        key: "train.context.fraction".into(),
        value: format!("{n} points"),
        requirement: format!("a grid of {:?} points cannot be refined that far", grid.shape()),
    })
}

/// Coordinates with every interval cut into equal parts, including the one across the end of a periodic axis.
fn refined(axis: &Axis, x: &[f64], parts: usize) -> Vec<f64> {
    let mut fine = Vec::with_capacity(x.len() * parts);
    for (i, &from) in x.iter().enumerate() {
        let to = match x.get(i + 1) {
            Some(&next) => next,
            None if axis.periodic => x[0] + axis.length(),
            None => {
                fine.push(from);
                break;
            }
        };
        fine.extend((0..parts).map(|k| axis.wrap(from + (to - from) * (k as f64 / parts as f64))));
    }
    fine.sort_by(f64::total_cmp);
    fine
}

#[cfg(test)]
mod tests {
    use super::*;
    use lto_numerics::{Domain, Placement};
    use std::f64::consts::TAU;

    #[test]
    fn refinement_is_exact_for_waves_and_keeps_the_native_points() {
        for placement in [Placement::Left, Placement::Center] {
            let grid = Arc::new(Grid::cubic(Domain::unit(2, true).unwrap(), 8, placement).unwrap());
            let wave = |x: &[f64]| (TAU * x[0]).sin() + (TAU * 2.0 * x[1] + 1.0).cos();
            let fine = refine(&Field::from_fn(grid.clone(), wave), 400).unwrap();
            assert_eq!(fine.grid().shape(), [24, 24]);
            let mut x = [0.0; 2];
            for (i, value) in fine.values().iter().enumerate() {
                fine.grid().write_point(i, &mut x);
                assert!((value - wave(&x)).abs() < 1e-12);
            }
            assert!(Method::Stride == Method::for_grids(fine.grid(), &grid).unwrap());
        }
    }

    #[test]
    fn plain_axes_are_refined_between_their_ends_only() {
        let grid = Arc::new(Grid::cubic(Domain::unit(1, false).unwrap(), 9, Placement::Vertex).unwrap());
        let cubic = |x: &[f64]| x[0].powi(3) - x[0];
        let fine = refine(&Field::from_fn(grid, cubic), 18).unwrap();
        assert_eq!(fine.grid().shape(), [25]);
        let x = fine.grid().coordinates(0).to_vec();
        assert!(x.iter().zip(fine.values()).all(|(&x, v)| (v - cubic(&[x])).abs() < 1e-12));
        let single = Arc::new(Grid::cubic(Domain::unit(1, false).unwrap(), 1, Placement::Center).unwrap());
        assert!(refine(&Field::from_fn(single, cubic), 5).is_err());
    }
}
