//! Volumes of Voronoi cells, by assigning sample points to their nearest point.

use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;

/// Volumes |V_j| of the Voronoi cells V_j = {x : c_j is the nearest point}.
#[derive(Clone, Debug, PartialEq)]
pub struct VoronoiVolumes {
    /// |V_j|, in the order of the points; they sum to |Ω|.
    pub volumes: Vec<f64>,
    /// max_j | |V_j| N/|Ω| − 1 |: zero if all have the same volume.
    pub max_relative_deviation: f64,
    /// Standard error of a volume, relative to |Ω|/N, if the samples were independent. They are quasi-random, hence
    /// usually better, but this is an estimate and not a bound.
    pub relative_error: f64,
}

/// The volumes of the Voronoi cells, by `samples_per_point` · N quasi-random samples.
///
/// # Errors
/// No samples.
pub fn voronoi_volumes(points: &Points, samples_per_point: usize) -> Result<VoronoiVolumes> {
    if samples_per_point == 0 {
        return Err(Error::Parameter {
            name: "samples_per_point",
            value: "0".into(),
            requirement: "must be at least 1",
        });
    }
    let (domain, tree) = (points.domain(), PointTree::new(points));
    let steps = kronecker_steps(domain.dim());
    let n_samples = samples_per_point * points.len();
    let nearest = |sample: usize| {
        let mut position = [0.0; 3];
        for ((x, axis), step) in position.iter_mut().zip(domain.axes()).zip(&steps) {
            *x = axis.lower + axis.length() * (0.5 + sample as f64 * step).fract();
        }
        tree.nearest(&position, None).map(|nearest| nearest.place)
    };
    let places: Vec<_> = (0..n_samples).into_par_iter().filter_map(nearest).collect();
    let mut counts = vec![0usize; points.len()];
    places.iter().for_each(|&place| counts[tree.order()[place]] += 1);
    let share = |count: usize| count as f64 / samples_per_point as f64;
    let max_relative_deviation = counts.iter().map(|&c| (share(c) - 1.0).abs()).fold(0.0, f64::max);
    let mean = domain.volume() / points.len() as f64;
    let p = 1.0 / points.len() as f64;
    let relative_error = ((1.0 - p) / samples_per_point as f64).sqrt();
    let volumes = counts.iter().map(|&count| share(count) * mean).collect();
    Ok(VoronoiVolumes { volumes, max_relative_deviation, relative_error })
}

/// Steps g^{-1}, …, g^{-D} of the additive recurrence, with g the positive root of g^{D+1} = g + 1.
fn kronecker_steps(dim: usize) -> Vec<f64> {
    let root = (0..60).fold(1.5f64, |g, _| (1.0 + g).powf(1.0 / (dim + 1) as f64));
    (1..=dim).map(|d| root.powi(-(d as i32))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::grid::{Grid, Placement};

    #[test]
    fn cells_on_a_line_reach_to_the_midpoints() {
        let points = Points::scattered(Domain::unit(1, false).unwrap(), vec![0.5, 0.1, 0.8]).unwrap();
        let cells = voronoi_volumes(&points, 20_000).unwrap();
        for (volume, expected) in cells.volumes.iter().zip([0.35, 0.3, 0.35]) {
            assert!((volume - expected).abs() < 1e-3, "{volume} {expected}");
        }
        assert!((cells.max_relative_deviation - 0.1).abs() < 3e-3);
        let periodic = Points::scattered(Domain::unit(1, true).unwrap(), vec![0.5, 0.1, 0.8]).unwrap();
        let cells = voronoi_volumes(&periodic, 20_000).unwrap();
        for (volume, expected) in cells.volumes.iter().zip([0.35, 0.35, 0.3]) {
            assert!((volume - expected).abs() < 1e-3, "{volume} {expected}");
        }
    }

    #[test]
    fn cells_of_a_periodic_grid_are_equal_and_fill_the_domain() {
        for dim in 1..=3 {
            let grid = Grid::cubic(Domain::unit(dim, true).unwrap(), 4, Placement::Left).unwrap();
            let cells = voronoi_volumes(&Points::grid(grid), 1000).unwrap();
            assert!(cells.max_relative_deviation < 3.0 * cells.relative_error, "{cells:?}");
            assert!((cells.volumes.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
