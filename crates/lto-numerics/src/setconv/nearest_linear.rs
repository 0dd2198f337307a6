//! Local affine fits whose length scale follows the points: short where they crowd, long in a gap.

use super::check;
use super::local_linear::Means;
use crate::error::{Error, Result};
use crate::point_tree::{Nearest, PointTree, Position};
use crate::points::Points;
use rayon::prelude::*;

/// Neighbors in a fit, per axis.
const NEIGHBORS: usize = 6;
/// The neighbor, per axis, whose distance sets ℓ.
const REACH: usize = 2;
/// ℓ in units of that distance: about the best value over smooth and rough fields, random sensors and gaps.
const SCALE: f64 = 0.4;

/// An estimate at the query points from values at arbitrary points, without a length scale to choose. At each
/// query point x it is the value of the affine function fitted to the 6 D nearest points c_j by least squares
/// with the weights exp(−(d_j² − d_1²) / 2ℓ²), where d_j is the distance of the j-th nearest and ℓ = 0.4
/// d_{2D}.
///
/// The nearest point always weighs 1, so nothing fades out in a gap. Exact on affine functions inside the
/// hull of the neighbors, and never outside the range of their values, so a one-sided fit does not run away.
/// Where the neighbors do not determine an affine function, it is their weighted mean. O(log N) per query
/// point.
///
/// # Shapes
/// `values` is `[p, N]`, row-major; p is taken from its length. Gives `[p, M]`.
///
/// # Errors
/// As [`SetConv::apply`](super::SetConv::apply).
pub fn nearest_linear(context: &Points, values: &[f64], query: &Points) -> Result<Vec<f64>> {
    let (n_channels, dim) = (check(context, values, query)?, context.dim());
    let fit = Fit { context, values, n_channels, tree: PointTree::new(context) };
    let mut estimates = vec![0.0; query.len() * n_channels];
    estimates.par_chunks_mut(n_channels).enumerate().for_each(|(index, estimate)| {
        let mut x = [0.0; 3];
        query.write_point(index, &mut x[..dim]);
        fit.at(&x, &fit.tree.k_nearest(&x, NEIGHBORS * dim), estimate);
    });
    let of = |channel: usize| estimates.iter().skip(channel).step_by(n_channels).copied();
    Ok((0..n_channels).flat_map(of).collect())
}

/// What [`nearest_linear`] says at every point from all others: how well the points agree with their neighbors.
///
/// # Shapes
/// N values give N estimates.
///
/// # Errors
/// Fewer than two points; as [`nearest_linear`].
pub fn leave_one_out(context: &Points, values: &[f64]) -> Result<Vec<f64>> {
    check(context, values, context)?;
    if context.len() < 2 {
        return Err(Error::NoPoints);
    }
    let dim = context.dim();
    let fit = Fit { context, values, n_channels: 1, tree: PointTree::new(context) };
    let estimate = |index: usize| {
        let mut x = [0.0; 3];
        context.write_point(index, &mut x[..dim]);
        let mut near = fit.tree.k_nearest(&x, NEIGHBORS * dim + 1);
        near.retain(|n| fit.tree.order()[n.place] != index);
        let mut estimate = [0.0];
        fit.at(&x, &near, &mut estimate);
        estimate[0]
    };
    Ok((0..context.len()).into_par_iter().map(estimate).collect())
}

/// Points with values, ready for local fits.
struct Fit<'a> {
    context: &'a Points,
    values: &'a [f64],
    n_channels: usize,
    tree: PointTree,
}

impl Fit<'_> {
    /// The estimate of every channel at x from the points near it.
    fn at(&self, x: &Position, near: &[Nearest], estimate: &mut [f64]) {
        let (dim, n_points) = (self.context.dim(), self.context.len());
        let displacement = |to: &Position| -> Position {
            let mut along = [0.0; 3];
            for (d, axis) in self.context.domain().axes().iter().enumerate() {
                along[d] = axis.displacement(x[d], to[d]);
            }
            along
        };
        let weights = weights(near, REACH * dim);
        let places: Vec<Position> = near.iter().map(|n| displacement(&self.tree.position(n.place))).collect();
        let (mut density, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for (weight, place) in weights.iter().zip(&places) {
            density += weight;
            for d in 0..dim {
                first[d] += weight * place[d];
                (0..dim).for_each(|e| second[d][e] += weight * place[d] * place[e]);
            }
        }
        let means = Means::new(dim, density, first, second);
        for (channel, estimate) in estimate.iter_mut().enumerate().take(self.n_channels) {
            let (mut mean, mut cross) = (0.0, [0.0; 3]);
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for ((weight, place), n) in weights.iter().zip(&places).zip(near) {
                let value = self.values[channel * n_points + self.tree.order()[n.place]];
                (least, most) = (least.min(value), most.max(value));
                mean += weight / density * value;
                (0..dim).for_each(|d| cross[d] += weight / density * value * place[d]);
            }
            let fitted = means.as_ref().map_or(mean, |means| means.intercept(mean, cross));
            *estimate = fitted.max(least).min(most);
        }
    }
}

/// The weights of neighbors, the nearest first.
fn weights(near: &[Nearest], reach: usize) -> Vec<f64> {
    let squared = |place: usize| near.get(place).or(near.last()).map_or(0.0, |n| n.squared_distance);
    // A single point may lie at x itself.
    let width = (2.0 * SCALE * SCALE * squared(reach - 1)).max(f64::MIN_POSITIVE);
    near.iter().map(|n| (-(n.squared_distance - squared(0)) / width).exp()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use crate::geometry::nearest;
    use crate::metric::relative_l2::relative_l2;
    use crate::pde::sample_rng;
    use crate::{Domain, Grid, Placement};

    #[test]
    fn one_left_out_is_estimated_from_the_others() {
        use rand::RngExt;
        let domain = Domain::unit(2, false).unwrap();
        let mut rng = sample_rng(5, 0);
        let places: Vec<f64> = (0..60).map(|_| rng.random()).collect();
        let values: Vec<f64> = places.chunks(2).map(|x| x[0] - 2.0 * x[1]).collect();
        let all = Points::scattered(domain.clone(), places.clone()).unwrap();
        let estimates = leave_one_out(&all, &values).unwrap();
        for i in 0..30 {
            let others = |of: &[f64], n: usize| [&of[..i * n], &of[(i + 1) * n..]].concat();
            let context = Points::scattered(domain.clone(), others(&places, 2)).unwrap();
            let query = Points::scattered(domain.clone(), places[2 * i..2 * i + 2].to_vec()).unwrap();
            let wanted = nearest_linear(&context, &others(&values, 1), &query).unwrap()[0];
            assert!((estimates[i] - wanted).abs() < 1e-12, "{i}: {} {wanted}", estimates[i]);
        }
        let one = Points::scattered(domain, vec![0.5, 0.5]).unwrap();
        assert!(leave_one_out(&one, &[1.0]).is_err());
    }
    use rand::RngExt;

    fn random(domain: &Domain, n: usize, seed: u64) -> Points {
        let mut rng = sample_rng(seed, 0);
        let axes = domain.axes().to_vec();
        let point = |_| axes.iter().map(|a| a.lower + rng.random::<f64>() * a.length()).collect::<Vec<_>>();
        Points::scattered(domain.clone(), (0..n).flat_map(point).collect()).unwrap()
    }

    fn valued(points: &Points, of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        points.coordinates().chunks_exact(points.dim()).map(of).collect()
    }

    /// One to three dimensions, two channels; constants are exact, even from a single point.
    #[test]
    fn affine_functions_are_exact_among_the_points() {
        for dim in 1..=3 {
            let axes = (0..dim).map(|d| Axis::new("x", -1.0, 1.0 + d as f64, false)).collect();
            let domain = Domain::new(axes).unwrap();
            let points = random(&domain, 700, 3);
            let affine =
                |x: &[f64]| 2.0 - x.iter().enumerate().map(|(d, x)| (d as f64 + 0.5) * x).sum::<f64>();
            let query: Vec<f64> = random(&domain, 40, 4).coordinates().iter().map(|x| 0.6 * x).collect();
            let query = Points::scattered(domain.clone(), query).unwrap();
            let values = [valued(&points, affine), vec![7.0; 700]].concat();
            let found = nearest_linear(&points, &values, &query).unwrap();
            for (x, (value, constant)) in
                query.coordinates().chunks_exact(dim).zip(found[..40].iter().zip(&found[40..]))
            {
                assert!((value - affine(x)).abs() < 1e-9 && (constant - 7.0).abs() < 1e-12, "{dim}: {x:?}");
            }
            let single = random(&domain, 1, 5);
            for query in [&query, &single] {
                assert!(nearest_linear(&single, &[3.5], query).unwrap().iter().all(|v| *v == 3.5));
            }
        }
    }

    /// A smooth field from random sensors, with and without a disk that holds none.
    #[test]
    fn far_better_than_the_nearest_point_and_no_worse_in_a_gap() {
        let domain = Domain::unit(2, true).unwrap();
        let tau = std::f64::consts::TAU;
        let wave = |x: &[f64]| 280.0 + 5.0 * (tau * x[0]).sin() * (tau * x[1]).cos();
        let query = Points::grid(Grid::cubic(domain.clone(), 48, Placement::Center).unwrap());
        let truth: Vec<f64> = valued(&query, wave).iter().map(|v| v - 280.0).collect();
        let from_center = |x: &[f64]| ((x[0] - 0.5).powi(2) + (x[1] - 0.5).powi(2)).sqrt();
        for (hole, limit) in [(0.0, 0.5), (0.3, 1.05)] {
            let all = random(&domain, 400, 8);
            let kept = all
                .coordinates()
                .chunks_exact(2)
                .filter(|x| from_center(x) >= hole)
                .flatten()
                .copied()
                .collect();
            let points = Points::scattered(domain.clone(), kept).unwrap();
            let values = valued(&points, wave);
            let error = |found: Vec<f64>| {
                relative_l2(&found.iter().map(|v| v - 280.0).collect::<Vec<_>>(), &truth).unwrap()
            };
            let held = error(nearest(&points, &query).unwrap().into_iter().map(|j| values[j]).collect());
            let fitted = error(nearest_linear(&points, &values, &query).unwrap());
            assert!(fitted < limit * held, "{hole}: {fitted} and {held}");
        }
    }

    /// A tight cluster seen from a hundred times its width: the estimate stays within its values, where a
    /// fixed kernel underflows and a line runs away.
    #[test]
    fn far_away_it_stays_within_the_values_of_the_nearest_points() {
        let domain =
            Domain::new(vec![Axis::new("x", 0.0, 1.0, false), Axis::new("y", 0.0, 1.0, false)]).unwrap();
        let cluster: Vec<f64> = random(&domain, 60, 2).coordinates().iter().map(|x| 0.005 * x).collect();
        let points = Points::scattered(domain.clone(), cluster).unwrap();
        let values = valued(&points, |x| 290.0 + 100.0 * x[0]);
        let query = Points::scattered(domain.clone(), vec![0.9, 0.8]).unwrap();
        let found = nearest_linear(&points, &values, &query).unwrap()[0];
        let nearest = values[nearest(&points, &query).unwrap()[0]];
        assert!((found - nearest).abs() < 0.5 && (290.0..=290.5).contains(&found), "{found} {nearest}");
    }
}
