//! Volumes of Voronoi cells: exact on lines and grids, elsewhere by assigning samples to their nearest point.

use crate::domain::Axis;
use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::{PointStructure, Points};
use rayon::prelude::*;

/// Volumes |V_j| of the Voronoi cells V_j = {x : c_j is the nearest point}.
#[derive(Clone, Debug, PartialEq)]
pub struct VoronoiVolumes {
    /// |V_j|, in the order of the points; they sum to |Ω|.
    pub volumes: Vec<f64>,
    /// θ = max_j | |Ω|/(N |V_j|) − 1 |: zero if all volumes are equal.
    pub deviation: f64,
    /// r = min_j |Ω|/(N |V_j|).
    pub least_ratio: f64,
    /// Standard error of a volume, relative to |Ω|/N, as if the samples were independent. They are
    /// quasi-random, hence usually better, but this is an estimate, not a bound. Zero if the volumes are
    /// exact.
    pub relative_error: f64,
}

/// The volumes of the Voronoi cells: in closed form for grids and for points on a line, otherwise by
/// `samples_per_point` · N quasi-random samples.
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
    let (domain, p) = (points.domain(), 1.0 / points.len() as f64);
    let (volumes, relative_error) = match exact(points) {
        Some(volumes) => (volumes, 0.0),
        None => (sampled(points, samples_per_point), ((1.0 - p) / samples_per_point as f64).sqrt()),
    };
    let ratios = volumes.iter().map(|volume| p * domain.volume() / volume);
    let (deviation, least_ratio) = ratios
        .fold((0.0, f64::INFINITY), |(most, least): (f64, f64), r| (most.max((r - 1.0).abs()), least.min(r)));
    Ok(VoronoiVolumes { volumes, deviation, least_ratio, relative_error })
}

/// Lengths of the cells of increasing coordinates, from midpoint to midpoint. Of coinciding points, one gets
/// the whole cell.
fn lengths(axis: &Axis, sorted: &[f64]) -> Vec<f64> {
    let n = sorted.len();
    let across = if axis.periodic { sorted[0] + axis.length() - sorted[n - 1] } else { 0.0 };
    let before = |i: usize| match i {
        0 if axis.periodic => 0.5 * across,
        0 => sorted[0] - axis.lower,
        _ => 0.5 * (sorted[i] - sorted[i - 1]),
    };
    let after = |i: usize| match i + 1 {
        next if next < n => 0.5 * (sorted[next] - sorted[i]),
        _ if axis.periodic => 0.5 * across,
        _ => axis.upper - sorted[i],
    };
    (0..n).map(|i| before(i) + after(i)).collect()
}

fn exact(points: &Points) -> Option<Vec<f64>> {
    let axes = points.domain().axes();
    match points.structure() {
        // Cells of a grid are products of cells of its axes.
        PointStructure::Grid(grid) => Some(axes.iter().enumerate().fold(vec![1.0], |volumes, (d, axis)| {
            let along = lengths(axis, grid.coordinates(d));
            volumes.iter().flat_map(|volume| along.iter().map(move |length| volume * length)).collect()
        })),
        _ if axes.len() == 1 => {
            let x = points.coordinates();
            let mut order: Vec<usize> = (0..x.len()).collect();
            order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
            let sorted: Vec<f64> = order.iter().map(|&i| x[i]).collect();
            let mut volumes = vec![0.0; x.len()];
            order.iter().zip(lengths(&axes[0], &sorted)).for_each(|(&i, length)| volumes[i] = length);
            Some(volumes)
        }
        _ => None,
    }
}

fn sampled(points: &Points, samples_per_point: usize) -> Vec<f64> {
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
    let each = domain.volume() / n_samples as f64;
    counts.iter().map(|&count| count as f64 * each).collect()
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
        for (periodic, expected) in [(false, [0.35, 0.3, 0.35]), (true, [0.35, 0.35, 0.3])] {
            let points = Points::scattered(Domain::unit(1, periodic).unwrap(), vec![0.5, 0.1, 0.8]).unwrap();
            let cells = voronoi_volumes(&points, 1).unwrap();
            for (volume, expected) in cells.volumes.iter().zip(expected) {
                assert!((volume - expected).abs() < 1e-15, "{volume} {expected}");
            }
            assert!((cells.deviation - (1.0 / 0.9 - 1.0)).abs() < 1e-14, "{cells:?}");
            assert!((cells.least_ratio - 1.0 / 1.05).abs() < 1e-14 && cells.relative_error == 0.0);
            for (volume, expected) in sampled(&points, 20_000).iter().zip(expected) {
                assert!((volume - expected).abs() < 1e-3, "{volume} {expected}");
            }
        }
    }

    #[test]
    fn cells_of_a_periodic_grid_are_equal_and_fill_the_domain() {
        for dim in 1..=3 {
            let grid = Grid::cubic(Domain::unit(dim, true).unwrap(), 4, Placement::Left).unwrap();
            let cells = voronoi_volumes(&Points::grid(grid), 1000).unwrap();
            assert!(cells.deviation < 1e-14 && cells.relative_error == 0.0, "{cells:?}");
            assert!((cells.volumes.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    /// The closed form of uneven grids against sampling, in the order of the points.
    #[test]
    fn exact_cells_are_those_that_are_sampled() {
        let axes = vec![Axis::new("x", -1.0, 1.0, true), Axis::new("y", 0.0, 0.7, false)];
        let coordinates = vec![vec![-0.9, 0.1, 0.4], vec![0.05, 0.2, 0.3, 0.69]];
        let grid = Grid::from_coordinates(Domain::new(axes).unwrap(), coordinates).unwrap();
        let points = Points::grid(grid);
        let cells = voronoi_volumes(&points, 1).unwrap();
        assert!((cells.volumes.iter().sum::<f64>() - 1.4).abs() < 1e-12);
        for (exact, sampled) in cells.volumes.iter().zip(sampled(&points, 20_000)) {
            assert!((exact - sampled).abs() < 1e-3, "{exact} {sampled}");
        }
        assert!(voronoi_volumes(&points.to_scattered(), 50).unwrap().relative_error > 0.0);
    }
}
