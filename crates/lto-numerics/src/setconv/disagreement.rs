//! How noisy readings are, by how far they are from their neighbors.

use super::check;
use crate::error::Result;
use crate::matrix::{factorize, substitute};
use crate::point_tree::{PointTree, Position};
use crate::points::Points;

/// Neighbors in a fit, per axis.
const NEIGHBORS: usize = 8;
/// Added to the diagonal, as a share of the weights: neighbors may lie on a line.
const RIDGE: f64 = 1e-12;
/// The median size of a normal number of deviation 1.
const MEDIAN: f64 = 0.674_49;

/// The deviation of the noise on readings: the median of |u_i − Σ_j a_j u_j| / √(1 + Σ_j a_j²) over about `asked` of them,
/// divided by that of a normal number. The sum is what the quadratic function through the 8 D nearest others says at
/// the place of reading i, fitted with the weights exp(−2 d²/h²) up to the distance h of the last; with fewer
/// others, the affine function through all. Noise alone comes back as it is; a smooth field adds its third derivatives, sensors
/// that lie count as long as they are few. `None` with fewer than four others.
///
/// # Errors
/// As [`SetConv::apply`](super::SetConv::apply).
pub fn disagreement(points: &Points, values: &[f64], asked: usize) -> Result<Option<f64>> {
    check(points, values, points)?;
    let (n, dim) = (points.len(), points.dim());
    if n < 5 {
        return Ok(None);
    }
    let tree = PointTree::new(points);
    let quadratic = n > NEIGHBORS * dim;
    // An odd stride, so that on a grid it is not always the same column that is asked.
    let stride = n.div_ceil(asked.max(1)) | 1;
    let off = |index: usize| {
        let mut x = [0.0; 3];
        points.write_point(index, &mut x[..dim]);
        let mut near = tree.k_nearest(&x, NEIGHBORS * dim + 1);
        match near.iter().position(|n| tree.order()[n.place] == index) {
            Some(own) => _ = near.remove(own),
            None => _ = near.pop(),
        }
        let reach = near.iter().map(|n| n.squared_distance).fold(f64::MIN_POSITIVE, f64::max);
        let places: Vec<Position> = near
            .iter()
            .map(|n| {
                let to = tree.position(n.place);
                let mut along = [0.0; 3];
                for (d, axis) in points.domain().axes().iter().enumerate() {
                    along[d] = axis.scale * axis.displacement(x[d], to[d]) / reach.sqrt();
                }
                along
            })
            .collect();
        let weights: Vec<f64> = near.iter().map(|n| (-2.0 * n.squared_distance / reach).exp()).collect();
        let (mut change, mut noise) = (values[index], 1.0);
        for (a, n) in value_at_zero(&places, &weights, dim, quadratic).iter().zip(&near) {
            change -= a * values[tree.order()[n.place]];
            noise += a * a;
        }
        change.abs() / noise.sqrt()
    };
    let mut all: Vec<f64> = (0..n).step_by(stride).map(off).collect();
    all.sort_by(f64::total_cmp);
    Ok(Some(all[all.len() / 2] / MEDIAN))
}

/// The numbers a_j with which values at some places make the value at 0 of the polynomial fitted to them.
fn value_at_zero(places: &[Position], weights: &[f64], dim: usize, quadratic: bool) -> Vec<f64> {
    let terms = |x: &Position| -> Vec<f64> {
        let products = (0..dim).flat_map(|d| (0..=d).map(move |e| (d, e))).map(|(d, e)| x[d] * x[e]);
        let products = products.take(if quadratic { usize::MAX } else { 0 });
        std::iter::once(1.0).chain(x[..dim].iter().copied()).chain(products).collect()
    };
    let rows: Vec<Vec<f64>> = places.iter().map(terms).collect();
    let m = rows[0].len();
    let mut gram = vec![0.0; m * m];
    for (row, weight) in rows.iter().zip(weights) {
        for i in 0..m {
            (0..=i).for_each(|j| gram[i * m + j] += weight * row[i] * row[j]);
        }
    }
    let total: f64 = weights.iter().sum();
    (0..m).for_each(|i| gram[i * m + i] += RIDGE * total);
    factorize(&mut gram, m);
    let mut first = vec![0.0; m];
    first[0] = 1.0;
    let c = substitute(&gram, m, &first);
    let of = |(row, weight): (&Vec<f64>, &f64)| weight * row.iter().zip(&c).map(|(x, c)| x * c).sum::<f64>();
    rows.iter().zip(weights).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sample_rng;
    use crate::{Domain, Grid, Placement};
    use rand::{Rng, RngExt};
    use rand_distr::{Distribution, StandardNormal};

    fn normal(rng: &mut impl Rng) -> f64 {
        StandardNormal.sample(rng)
    }

    /// Quadratic functions agree, on grids and at random places of one to three dimensions; noise on them comes back as it is.
    #[test]
    fn noise_on_a_quadratic_function_comes_back() {
        for dim in 1..=3 {
            let domain = Domain::unit(dim, false).unwrap();
            let mut rng = sample_rng(3, dim as u64);
            let random: Vec<f64> = (0..1000 * dim).map(|_| rng.random()).collect();
            let n = [1000, 32, 10][dim - 1];
            for points in [
                Points::scattered(domain.clone(), random).unwrap(),
                Points::grid(Grid::cubic(domain.clone(), n, Placement::Center).unwrap()),
            ] {
                let of = |x: &[f64]| 3.0 + x[0] - 2.0 * x[dim - 1] * x[0] + x[dim - 1].powi(2);
                let smooth: Vec<f64> = points.coordinates().chunks_exact(dim).map(of).collect();
                let exact = disagreement(&points, &smooth, 1000).unwrap().unwrap();
                assert!(exact < 1e-6, "{dim}: {exact}");
                let noisy: Vec<f64> = smooth.iter().map(|u| u + 0.1 * normal(&mut rng)).collect();
                let found = disagreement(&points, &noisy, 1000).unwrap().unwrap();
                assert!((found / 0.1 - 1.0).abs() < 0.15, "{dim}: {found}");
                // One in ten lies.
                let lies = |(i, u): (usize, &f64)| if i % 10 == 3 { u + 50.0 } else { *u };
                let lying: Vec<f64> = noisy.iter().enumerate().map(lies).collect();
                let found = disagreement(&points, &lying, 1000).unwrap().unwrap();
                assert!(found < 60.0 && found > 0.1, "{dim}: {found}");
            }
        }
    }

    /// Waves over a periodic square: what is left falls as the third power of the spacing, and few or aligned points are no
    /// trouble.
    #[test]
    fn smooth_fields_hardly_disagree() {
        let domain = Domain::unit(2, true).unwrap();
        let tau = std::f64::consts::TAU;
        let of = |n: usize| {
            let points = Points::grid(Grid::cubic(domain.clone(), n, Placement::Left).unwrap());
            let wave = |x: &[f64]| (tau * x[0]).sin() * (2.0 * tau * x[1]).cos();
            let values: Vec<f64> = points.coordinates().chunks_exact(2).map(wave).collect();
            disagreement(&points, &values, 256).unwrap().unwrap()
        };
        let (coarse, fine) = (of(16), of(32));
        assert!(fine < 0.004 && coarse / fine > 6.0, "{coarse} {fine}");
        let few = |places: Vec<f64>| {
            let n = places.len() / 2;
            let points = Points::scattered(domain.clone(), places).unwrap();
            disagreement(&points, &vec![2.0; n], 256).unwrap()
        };
        let aligned = |n: u32| (0..2 * n).map(|i| f64::from(i / 2) / 20.0).collect();
        assert_eq!(few(aligned(4)), None);
        for n in [5, 20] {
            assert!(few(aligned(n)).unwrap() < 1e-6);
        }
    }
}
