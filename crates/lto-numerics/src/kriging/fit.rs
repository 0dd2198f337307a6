//! A covariance from repeated observations of a field.

use super::Covariance;
use crate::domain::Domain;
use crate::points::Points;

/// Distances are sorted into this many classes, up to half the diameter of the domain.
const CLASSES: usize = 40;
/// Lengths ℓ_i that are tried: the diameter of the domain, and half of it again and again.
const LENGTHS: usize = 7;
/// Rounds of coordinate descent, which converges long before.
const ROUNDS: usize = 500;
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
    /// class weighing as many pairs as it has; what the squares have more than C(0) is noise. A field that looks
    /// uncorrelated has its whole variance at the shortest length, and no noise.
    pub fn finish(&self) -> Covariance {
        let diameter = self.domain.diameter();
        let lengths: Vec<f64> = (0..LENGTHS).map(|i| diameter * 0.5f64.powi(i as i32)).collect();
        let classes: Vec<[f64; 3]> = self
            .classes
            .iter()
            .filter(|[n, ..]| *n > 0.0)
            .map(|[n, sum, products]| [*n, sum / n, products / n])
            .collect();
        let shape = |d: f64, length: f64| (-d / length).exp();
        let mut variances = vec![0.0; LENGTHS];
        for _ in 0..ROUNDS {
            for i in 0..LENGTHS {
                let (mut numerator, mut denominator) = (0.0, f64::MIN_POSITIVE);
                for &[n, d, product] in &classes {
                    let others: f64 =
                        (0..LENGTHS).filter(|j| *j != i).map(|j| variances[j] * shape(d, lengths[j])).sum();
                    numerator += n * shape(d, lengths[i]) * (product - others);
                    denominator += n * shape(d, lengths[i]).powi(2);
                }
                variances[i] = (numerator / denominator).max(0.0);
            }
        }
        let square = self.squares[1] / self.squares[0].max(1.0);
        let total: f64 = variances.iter().sum();
        if total <= LEAST * square {
            let variance = square.max(f64::MIN_POSITIVE);
            return Covariance { parts: vec![[lengths[LENGTHS - 1], variance]], noise: 0.0 };
        }
        let parts = lengths.iter().zip(&variances).filter(|(_, v)| **v > LEAST * total);
        Covariance { parts: parts.map(|(l, v)| [*l, *v]).collect(), noise: (square - total).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use crate::pde::sample_rng;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    /// Fields drawn from a covariance by its Cholesky factor, observed with noise, give it back.
    #[test]
    fn a_known_covariance_is_found() {
        let domain =
            Domain::new(vec![Axis::new("x", 0.0, 4.0, false), Axis::new("y", 0.0, 3.0, false)]).unwrap();
        let mut rng = sample_rng(7, 0);
        let known = Covariance { parts: vec![[1.25, 2.0]], noise: 0.3 };
        let mut fit = CovarianceFit::new(&domain);
        for _ in 0..600 {
            let places =
                (0..30).flat_map(|_| [4.0 * rng.random::<f64>(), 3.0 * rng.random::<f64>()]).collect();
            let points = Points::scattered(domain.clone(), places).unwrap();
            let (places, n) = (points.coordinates(), points.len());
            let place = |i: usize| &places[2 * i..2 * i + 2];
            let mut lower = vec![0.0; n * n];
            for i in 0..n {
                (0..=i).for_each(|j| lower[i * n + j] = known.at(domain.distance(place(i), place(j))));
                lower[i * n + i] += known.noise;
            }
            super::super::factorize(&mut lower, n);
            let normal: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut rng)).collect();
            let values: Vec<f64> =
                (0..n).map(|i| (0..=i).map(|j| lower[i * n + j] * normal[j]).sum()).collect();
            fit.add(&points, &values);
        }
        let found = fit.finish();
        for distance in [0.3, 1.0, 2.0] {
            let (exact, near) = (known.at(distance), found.at(distance));
            assert!((near - exact).abs() < 0.2, "{distance}: {near} {exact}");
        }
        // Between the nearest pairs noise and a very short part look alike: their sum is known.
        let sill = found.at(0.0) + found.noise;
        assert!((sill - 2.3).abs() < 0.2, "{found:?}");
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
        assert!(found.at(0.2) < 0.1 && (found.at(0.0) + found.noise - 1.0).abs() < 0.1, "{found:?}");
    }
}
