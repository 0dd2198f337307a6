//! Root mean square error on the boundary.

use super::differences;
use crate::error::Result;
use crate::grid::expect;

/// `√(mean (prediction − truth)²)` over the first and the last point of every line along every axis, periodic or not, as
/// PDEBench defines it: a corner counts once for each axis. 0 if no truth is known there; not finite if a prediction anywhere is
/// not.
///
/// # Shapes
/// `[channel, axis 0, …]` with `shape` points along the axes.
///
/// # Errors
/// Slices of different lengths, empty ones, or values that do not fill the shape.
pub fn boundary_rmse(prediction: &[f64], truth: &[f64], shape: &[usize]) -> Result<f64> {
    // Also checks the lengths; zero times a value that is not finite is not finite either.
    let mut sum = 0.0 * differences(prediction, truth)?.sum::<f64>();
    let n: usize = shape.iter().product();
    expect("number of values beyond whole channels", 0, truth.len() % n.max(1))?;
    let mut count = 0;
    for (axis, &along) in shape.iter().enumerate() {
        let stride: usize = shape[axis + 1..].iter().product();
        for (index, (p, t)) in prediction.iter().zip(truth).enumerate().filter(|(_, (_, t))| !t.is_nan()) {
            let i = index / stride % along;
            let ends = usize::from(i == 0) + usize::from(i + 1 == along);
            sum += ends as f64 * (p - t).powi(2);
            count += ends;
        }
    }
    Ok((sum / count.max(1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two channels on 3 × 4 points, face by face: two rows of 4 and two columns of 3 in each channel.
    #[test]
    fn faces_are_counted_one_by_one() {
        let error = |c: usize, i: usize, j: usize| (1 + 12 * c + 4 * i + j) as f64;
        let places = (0..2).flat_map(|c| (0..3).flat_map(move |i| (0..4).map(move |j| (c, i, j))));
        let prediction: Vec<f64> = places.map(|(c, i, j)| error(c, i, j)).collect();
        let mut sum = 0.0;
        for c in 0..2 {
            sum += (0..4).map(|j| error(c, 0, j).powi(2) + error(c, 2, j).powi(2)).sum::<f64>();
            sum += (0..3).map(|i| error(c, i, 0).powi(2) + error(c, i, 3).powi(2)).sum::<f64>();
        }
        let found = boundary_rmse(&prediction, &[0.0; 24], &[3, 4]).unwrap();
        assert!((found - (sum / (2.0 * 14.0)).sqrt()).abs() < 1e-12, "{found}");
        let mut inside = vec![0.0; 24];
        (inside[5], inside[6]) = (9.0, -7.0);
        assert_eq!(
            boundary_rmse(&inside, &[0.0; 24], &[3, 4]).unwrap(),
            0.0,
            "what is inside does not count"
        );
        assert!(boundary_rmse(&prediction, &[0.0; 24], &[5]).is_err());
    }
}
