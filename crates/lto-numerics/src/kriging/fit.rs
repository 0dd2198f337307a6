//! A covariance from repeated observations of a field.

use super::Covariance;
use crate::domain::Domain;
use crate::matrix::{factorize, substitute};
use crate::points::Points;

/// Distances are sorted into this many classes, up to half the diameter of the domain.
const CLASSES: usize = 40;
/// Lengths ℓ_i that are tried: the diameter of the domain, and half of it again and again.
const LENGTHS: usize = 7;
/// A choice of lengths whose shapes are nearly dependent: the least pivot of shapes of norm 1.
const LEAST_PIVOT: f64 = 1e-6;
/// Parts with less than this share of the variance are left out.
const LEAST: f64 = 1e-3;

/// Products of values at pairs of points, by their distance.
#[derive(Clone, Debug)]
pub struct CovarianceFit {
    domain: Domain,
    /// Number, sum of distances and sum of products of each class.
    classes: [[f64; 3]; CLASSES],
    /// Number and sum of squares of single values.
    squares: [f64; 2],
}

impl CovarianceFit {
    /// Nothing observed yet.
    pub fn new(domain: &Domain) -> Self {
        Self { domain: domain.clone(), classes: [[0.0; 3]; CLASSES], squares: [0.0; 2] }
    }

    /// Adds the observations of one time, whose mean is zero.
    pub fn add(&mut self, points: &Points, values: &[f64]) {
        let (places, dim) = (points.coordinates(), points.dim());
        let widest = 0.5 * self.domain.diameter();
        for (i, (a, u)) in places.chunks_exact(dim).zip(values).enumerate() {
            self.squares[0] += 1.0;
            self.squares[1] += u * u;
            for (b, v) in places.chunks_exact(dim).zip(values).take(i) {
                let distance = self.domain.distance(a, b);
                let class = (distance / widest * CLASSES as f64) as usize;
                if let Some([n, sum, products]) = self.classes.get_mut(class) {
                    *n += 1.0;
                    *sum += distance;
                    *products += u * v;
                }
            }
        }
    }

    /// The covariance Σ v_i exp(−d/ℓ_i), v_i ≥ 0, with the least sum of squared differences to the mean products, each
    /// class weighing as many pairs as it has; what the squares have more than C(0) is noise. That part is known only as well as
    /// the nearest pairs tell it from a very short part; the sum of both is known better. A field that looks uncorrelated
    /// has its whole variance at the shortest length, and no noise.
    pub fn finish(&self) -> Covariance {
        let diameter = self.domain.diameter();
        let lengths: Vec<f64> = (0..LENGTHS).map(|i| diameter * 0.5f64.powi(i as i32)).collect();
        let classes: Vec<[f64; 3]> = self
            .classes
            .iter()
            .filter(|[n, ..]| *n > 0.0)
            .map(|[n, sum, products]| [*n, sum / n, products / n])
            .collect();
        let variances = nonnegative_fit(&classes, &lengths);
        let square = self.squares[1] / self.squares[0].max(1.0);
        let total: f64 = variances.iter().sum();
        if total <= LEAST * square {
            let variance = square.max(f64::MIN_POSITIVE);
            let parts = vec![[lengths[LENGTHS - 1], variance]];
            return Covariance { parts, ..Covariance::default() };
        }
        let parts = lengths.iter().zip(&variances).filter(|(_, v)| **v > LEAST * total);
        let parts = parts.map(|(l, v)| [*l, *v]).collect();
        Covariance { parts, noise: (square - total).max(0.0), ..Covariance::default() }
    }
}

/// The variances v ≥ 0 that minimize Σ n (p − Σ_i v_i exp(−d/ℓ_i))² over classes `[n, d, p]`. Whichever lengths the minimum
/// uses, it is the unconstrained minimum over those alone: so all choices of lengths are tried, and the best one without a
/// negative variance is taken.
fn nonnegative_fit(classes: &[[f64; 3]], lengths: &[f64]) -> Vec<f64> {
    let weighted = |length: &f64| -> Vec<f64> {
        classes.iter().map(|[n, d, _]| n.sqrt() * (-d / length).exp()).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (mut shapes, mut norms): (Vec<Vec<f64>>, Vec<f64>) =
        (lengths.iter().map(weighted).collect(), Vec::new());
    for shape in &mut shapes {
        let norm = dot(shape, shape).sqrt().max(f64::MIN_POSITIVE);
        shape.iter_mut().for_each(|x| *x /= norm);
        norms.push(norm);
    }
    let products: Vec<f64> = classes.iter().map(|[n, _, p]| n.sqrt() * p).collect();
    let toward: Vec<f64> = shapes.iter().map(|shape| dot(shape, &products)).collect();
    let (mut best, mut explained) = (vec![0.0; lengths.len()], 0.0);
    for choice in 1..1u32 << lengths.len() {
        let chosen: Vec<usize> = (0..lengths.len()).filter(|i| choice >> i & 1 == 1).collect();
        let n = chosen.len();
        let mut lower: Vec<f64> = chosen
            .iter()
            .flat_map(|&i| chosen.iter().map(move |&j| (i, j)))
            .map(|(i, j)| dot(&shapes[i], &shapes[j]))
            .collect();
        factorize(&mut lower, n);
        if (0..n).any(|i| lower[i * n + i] < LEAST_PIVOT) {
            continue;
        }
        let right: Vec<f64> = chosen.iter().map(|&i| toward[i]).collect();
        let solved = substitute(&lower, n, &right);
        // What a least-squares solution takes off the sum of squares.
        let gain = dot(&solved, &right);
        if gain > explained && solved.iter().all(|v| *v >= 0.0) {
            explained = gain;
            best.fill(0.0);
            chosen.iter().zip(&solved).for_each(|(&i, v)| best[i] = v / norms[i]);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use crate::pde::sample_rng;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    fn plane() -> Domain {
        Domain::new(vec![Axis::new("x", 0.0, 4.0, false), Axis::new("y", 0.0, 3.0, false)]).unwrap()
    }

    /// From exact products the covariance is exact, every part and the noise alone.
    #[test]
    fn exact_products_give_exact_parts() {
        let known = Covariance { parts: vec![[2.5, 0.7], [0.625, 1.1]], noise: 0.3, ..Covariance::default() };
        let mut fit = CovarianceFit::new(&plane());
        for (k, [n, sum, products]) in fit.classes.iter_mut().enumerate() {
            let d = (k as f64 + 0.5) * 2.5 / CLASSES as f64;
            (*n, *sum, *products) = (100.0 * d, 100.0 * d * d, 100.0 * d * known.isotropic(d));
        }
        fit.squares = [10.0, 10.0 * (known.isotropic(0.0) + known.noise)];
        let found = fit.finish();
        assert_eq!(found.parts.len(), 2, "{found:?}");
        for (a, b) in found.parts.iter().zip(&known.parts) {
            assert!(a[0] == b[0] && (a[1] - b[1]).abs() < 1e-6, "{found:?}");
        }
        assert!((found.noise - 0.3).abs() < 1e-6, "{found:?}");
    }

    /// No other variances that are not negative have a smaller sum of squares, whatever the products.
    #[test]
    fn no_other_variances_fit_better() {
        let mut rng = sample_rng(9, 0);
        let lengths: Vec<f64> = (0..LENGTHS).map(|i| 5.0 * 0.5f64.powi(i as i32)).collect();
        for _ in 0..20 {
            let class = |k: usize| {
                [1.0 + 9.0 * rng.random::<f64>(), 0.06 * (k as f64 + 0.5), rng.random::<f64>() - 0.3]
            };
            let classes: Vec<[f64; 3]> = (0..CLASSES).map(class).collect();
            let error = |variances: &[f64]| -> f64 {
                let at =
                    |d: f64| variances.iter().zip(&lengths).map(|(v, l)| v * (-d / l).exp()).sum::<f64>();
                classes.iter().map(|[n, d, p]| n * (p - at(*d)).powi(2)).sum()
            };
            let best = nonnegative_fit(&classes, &lengths);
            assert!(best.iter().all(|v| *v >= 0.0));
            for i in 0..LENGTHS {
                for step in [1e-3, -1e-3] {
                    let mut other = best.clone();
                    other[i] = f64::max(0.0, other[i] + step);
                    assert!(error(&other) >= error(&best) * (1.0 - 1e-12), "{best:?} {i} {step}");
                }
            }
        }
    }

    /// Fields drawn from a covariance by its Cholesky factor, observed with noise, give it back. Every point has a neighbor
    /// nearer than the shortest length, so that the noise is known too: 9000 pairs make its standard error 0.05.
    #[test]
    fn a_known_covariance_is_found() {
        let domain = plane();
        let mut rng = sample_rng(7, 0);
        let known = Covariance { parts: vec![[1.25, 2.0]], noise: 0.3, ..Covariance::default() };
        let mut fit = CovarianceFit::new(&domain);
        for _ in 0..600 {
            let pair = |_| {
                let [x, y] = [3.98 * rng.random::<f64>(), 2.98 * rng.random::<f64>()];
                [x, y, x + 0.02 * rng.random::<f64>(), y + 0.02 * rng.random::<f64>()]
            };
            let points = Points::scattered(domain.clone(), (0..15).flat_map(pair).collect()).unwrap();
            let (places, n) = (points.coordinates(), points.len());
            let place = |i: usize| &places[2 * i..2 * i + 2];
            let mut lower = vec![0.0; n * n];
            for i in 0..n {
                (0..=i).for_each(|j| lower[i * n + j] = known.isotropic(domain.distance(place(i), place(j))));
                lower[i * n + i] += known.noise;
            }
            factorize(&mut lower, n);
            let normal: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut rng)).collect();
            let values: Vec<f64> =
                (0..n).map(|i| (0..=i).map(|j| lower[i * n + j] * normal[j]).sum()).collect();
            fit.add(&points, &values);
        }
        let found = fit.finish();
        for distance in [0.02, 0.3, 1.0, 2.0] {
            let (exact, near) = (known.isotropic(distance), found.isotropic(distance));
            assert!((near - exact).abs() < 0.2, "{distance}: {near} {exact}");
        }
        assert!((found.noise - 0.3).abs() < 0.15, "{found:?}");
        assert!((found.variance() + found.noise - 2.3).abs() < 0.2, "{found:?}");
        found.validate().unwrap();
    }

    /// White noise is not mistaken for a smooth field.
    #[test]
    fn noise_alone_has_no_length() {
        let domain = Domain::unit(1, false).unwrap();
        let mut rng = sample_rng(8, 0);
        let mut fit = CovarianceFit::new(&domain);
        for _ in 0..200 {
            let points =
                Points::scattered(domain.clone(), (0..20).map(|_| rng.random::<f64>()).collect()).unwrap();
            let values: Vec<f64> = (0..20).map(|_| StandardNormal.sample(&mut rng)).collect();
            fit.add(&points, &values);
        }
        let found = fit.finish();
        assert!(
            found.isotropic(0.2) < 0.1 && (found.variance() + found.noise - 1.0).abs() < 0.1,
            "{found:?}"
        );
    }
}
