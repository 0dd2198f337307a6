//! The best linear estimate of a random field from noisy observations (simple kriging), and the covariance it needs.

mod fit;

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::point_tree::PointTree;
use crate::points::Points;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use fit::CovarianceFit;

/// Up to this many observations are solved for at once; of more, those nearest to each query point.
const AT_ONCE: usize = 512;
/// How many those are.
const NEIGHBORS: usize = 64;
/// Added to the diagonal, as a share of the variance: two observations may be almost at one place.
const JITTER: f64 = 1e-9;

/// A stationary covariance C(d) = Σ_i v_i exp(−d/ℓ_i) of a field with mean zero, and the variance η² of the noise on
/// its observations where nothing else is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covariance {
    /// `[ℓ_i, v_i]`.
    pub parts: Vec<[f64; 2]>,
    /// η².
    pub noise: f64,
}

impl Covariance {
    /// C(d).
    pub fn at(&self, distance: f64) -> f64 {
        self.parts.iter().map(|[length, variance]| variance * (-distance / length).exp()).sum()
    }

    /// The same where what looks like noise is the field's own variation over less than the shortest length: half of that.
    pub fn without_noise(mut self) -> Self {
        let shortest = self.parts.iter().map(|[length, _]| *length).fold(f64::INFINITY, f64::min);
        if self.noise > 0.0 && shortest.is_finite() {
            self.parts.push([0.5 * shortest, self.noise]);
        }
        self.noise = 0.0;
        self
    }

    /// Refuses lengths and variances that are not positive and finite, negative noise, and no parts.
    ///
    /// # Errors
    /// The value that does not fit.
    pub fn validate(&self) -> Result<()> {
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        if !self.parts.is_empty() && self.parts.iter().flatten().all(positive) && self.noise >= 0.0 {
            return Ok(());
        }
        let value = format!("{:?} with noise {}", self.parts, self.noise);
        let requirement = "needs parts with positive lengths and variances, and noise that is not negative";
        Err(Error::Parameter { name: "covariance", value, requirement })
    }

    /// The best linear estimate û(x) = Σ_j w_j u_j at the query points, with the weights
    ///
    /// ```text
    /// w = (C(c_i, c_j) + σ_j² δ_ij)⁻¹ C(c_j, x)
    /// ```
    ///
    /// that minimize E|û(x) − u(x)|² among all weights, for a field of this covariance whose observations u_j carry
    /// independent noise of deviation σ_j (η where none are given). From more than 512 observations, the 64 nearest to
    /// each x are used.
    ///
    /// # Shapes
    /// N values, none or N deviations, M points → `[M]`.
    ///
    /// # Errors
    /// A query in another domain, values that do not fit the points or are not finite, or a covariance that is none.
    pub fn estimate(
        &self,
        context: &Points,
        values: &[f64],
        deviations: Option<&[f64]>,
        query: &Points,
    ) -> Result<Vec<f64>> {
        self.validate()?;
        if !context.domain().same_place(query.domain()) {
            let text = |points: &Points| points.domain().to_string();
            return Err(Error::DomainMismatch { context: text(context), query: text(query) });
        }
        for (what, given) in
            [("values", values.len()), ("deviations", deviations.map_or(values.len(), <[f64]>::len))]
        {
            if given != context.len() {
                let what = format!("number of {what} of the observations");
                return Err(Error::Mismatch { what, expected: context.len(), got: given });
            }
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let (what, value) = ("observed values".into(), values[index]);
            return Err(Error::NonFiniteValue { what, index: vec![index], value });
        }
        let dim = context.dim();
        let (places, targets) = (context.coordinates(), query.coordinates());
        let noise = |j: usize| deviations.map_or(self.noise, |all| all[j] * all[j]);
        let observed = Observed { covariance: self, domain: context.domain(), places: &places, dim };
        if context.len() <= AT_ONCE {
            let all: Vec<usize> = (0..context.len()).collect();
            let solved = observed.solve(&all, values, noise);
            let at = |x: &[f64]| observed.toward(&all, x).zip(&solved).map(|(c, a)| c * a).sum();
            return Ok(targets.par_chunks_exact(dim).map(at).collect());
        }
        let tree = PointTree::new(context);
        let at = |x: &[f64]| {
            let mut position = [0.0; 3];
            position[..dim].copy_from_slice(x);
            let near: Vec<usize> =
                tree.k_nearest(&position, NEIGHBORS).iter().map(|near| tree.order()[near.place]).collect();
            let values: Vec<f64> = near.iter().map(|&j| values[j]).collect();
            let solved = observed.solve(&near, &values, |j| noise(near[j]));
            observed.toward(&near, x).zip(&solved).map(|(c, a)| c * a).sum()
        };
        Ok(targets.par_chunks_exact(dim).map(at).collect())
    }
}

/// Where a field of some covariance is observed.
struct Observed<'a> {
    covariance: &'a Covariance,
    domain: &'a Domain,
    places: &'a [f64],
    dim: usize,
}

impl Observed<'_> {
    fn place(&self, j: usize) -> &[f64] {
        &self.places[j * self.dim..(j + 1) * self.dim]
    }

    /// C(c_j, x) of some observations.
    fn toward(&self, chosen: &[usize], x: &[f64]) -> impl Iterator<Item = f64> {
        chosen.iter().map(move |&j| self.covariance.at(self.domain.distance(self.place(j), x)))
    }

    /// (C + Σ)⁻¹ u, where Σ is diagonal with the noise of each observation.
    fn solve(&self, chosen: &[usize], values: &[f64], noise: impl Fn(usize) -> f64) -> Vec<f64> {
        let n = chosen.len();
        let variance = self.covariance.at(0.0);
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                let distance = self.domain.distance(self.place(chosen[i]), self.place(chosen[j]));
                lower[i * n + j] = self.covariance.at(distance);
            }
            lower[i * n + i] = variance * (1.0 + JITTER) + noise(i);
        }
        factorize(&mut lower, n);
        substitute(&lower, n, values)
    }
}

/// The Cholesky factor L of a positive definite matrix, in place of its lower triangle.
fn factorize(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let (row_i, row_j) = (&a[i * n..i * n + j], &a[j * n..j * n + j]);
            let sum = a[i * n + j] - row_i.iter().zip(row_j).map(|(x, y)| x * y).sum::<f64>();
            // The jitter keeps pivots positive; rounding must not make a root of a negative number.
            a[i * n + j] = if i == j { sum.max(f64::MIN_POSITIVE).sqrt() } else { sum / a[j * n + j] };
        }
    }
}

/// L⁻ᵀ L⁻¹ y.
fn substitute(lower: &[f64], n: usize, y: &[f64]) -> Vec<f64> {
    let mut x = y.to_vec();
    for i in 0..n {
        let sum: f64 = lower[i * n..i * n + i].iter().zip(&x).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - sum) / lower[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= lower[i * n + i];
        let known = x[i];
        (0..i).for_each(|j| x[j] -= lower[i * n + j] * known);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use crate::pde::sample_rng;
    use rand::RngExt;

    fn square() -> Domain {
        Domain::new(vec![Axis::new("x", 0.0, 2.0, false), Axis::new("y", 0.0, 1.0, false)]).unwrap()
    }

    fn random(n: usize, seed: u64) -> Points {
        let mut rng = sample_rng(seed, 0);
        let point = |_| [2.0 * rng.random::<f64>(), rng.random::<f64>()];
        Points::scattered(square(), (0..n).flat_map(point).collect()).unwrap()
    }

    fn covariance() -> Covariance {
        Covariance { parts: vec![[0.4, 2.0], [1.5, 1.0]], noise: 0.25 }
    }

    /// The weight of an observation is the estimate from a one there and zeros elsewhere.
    fn weights(points: &Points, deviations: &[f64], query: &Points) -> Vec<f64> {
        let unit = |j: usize| (0..points.len()).map(move |i| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        let weight = |j| covariance().estimate(points, &unit(j), Some(deviations), query).unwrap()[0];
        (0..points.len()).map(weight).collect()
    }

    /// By hand: one observation of variance 3 and noise variance 1 keeps a share C(d)/4.
    #[test]
    fn one_observation_by_hand() {
        let point = Points::scattered(square(), vec![0.5, 0.5]).unwrap();
        let query = Points::scattered(square(), vec![0.5, 0.5, 0.9, 0.5]).unwrap();
        let found = covariance().estimate(&point, &[8.0], Some(&[1.0]), &query).unwrap();
        let away = 2.0 * (-1.0f64).exp() + (-0.4f64 / 1.5).exp();
        assert!((found[0] - 6.0).abs() < 1e-6 && (found[1] - 2.0 * away).abs() < 1e-6, "{found:?}");
    }

    /// No other weights have a smaller mean square error E|Σ w_j u_j − u(x)|² = wᵀ(C + Σ)w − 2 wᵀc + C(0).
    #[test]
    fn no_other_weights_are_better() {
        let (points, query) = (random(12, 1), random(1, 2));
        let deviations: Vec<f64> = (0..12).map(|j| 0.1 + 0.2 * f64::from(j)).collect();
        let (places, x) = (points.coordinates(), query.coordinates());
        let place = |j: usize| &places[2 * j..2 * j + 2];
        let error = |w: &[f64]| {
            let c = |a: &[f64], b: &[f64]| covariance().at(square().distance(a, b));
            let pairs = (0..12).flat_map(|i| (0..12).map(move |j| (i, j)));
            let own: f64 = pairs.map(|(i, j)| w[i] * w[j] * c(place(i), place(j))).sum();
            let noise: f64 = w.iter().zip(&deviations).map(|(w, s)| (w * s).powi(2)).sum();
            own + noise - 2.0 * (0..12).map(|j| w[j] * c(place(j), &x)).sum::<f64>() + c(&x, &x)
        };
        let best = weights(&points, &deviations, &query);
        let mut rng = sample_rng(3, 0);
        for _ in 0..200 {
            let other: Vec<f64> = best.iter().map(|w| w + 0.02 * (rng.random::<f64>() - 0.5)).collect();
            assert!(error(&other) > error(&best), "{} {}", error(&other), error(&best));
        }
        // A useless sensor counts nothing.
        let mut broken = deviations;
        broken[4] = 1e6;
        assert!(weights(&points, &broken, &query)[4].abs() < 1e-9);
    }

    /// Without noise the observations are met; those of many points are estimated from the nearest.
    #[test]
    fn observations_are_met_and_neighborhoods_agree() {
        let points = random(600, 4);
        let value = |x: &[f64]| (3.0 * x[0]).sin() + x[1];
        let values: Vec<f64> = points.coordinates().chunks_exact(2).map(value).collect();
        let some = points.select(&(0..500).collect::<Vec<_>>()).unwrap();
        let met = covariance().estimate(&some, &values[..500], Some(&[0.0; 500]), &some).unwrap();
        assert!(met.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-5));
        let query = random(40, 5);
        let truth: Vec<f64> = query.coordinates().chunks_exact(2).map(value).collect();
        let from = |n: usize| {
            let some = points.select(&(0..n).collect::<Vec<_>>()).unwrap();
            let found = covariance().estimate(&some, &values[..n], Some(&vec![0.01; n]), &query).unwrap();
            found.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        assert!(from(600) < 1.2 * from(500) && from(500) < 0.4, "{} {}", from(600), from(500));
    }

    #[test]
    fn noise_becomes_variation_over_short_distances() {
        let found = covariance().without_noise();
        assert!((found.at(0.0) - 3.25).abs() < 1e-12 && found.noise == 0.0);
        let part = 0.25 * (-0.1f64 / 0.2).exp();
        assert!((found.at(0.1) - covariance().at(0.1) - part).abs() < 1e-12);
    }

    #[test]
    fn bad_input_is_named() {
        let points = random(3, 1);
        let refused = |values: &[f64], deviations: Option<&[f64]>| {
            covariance().estimate(&points, values, deviations, &points).unwrap_err().to_string()
        };
        assert!(refused(&[1.0], None).contains("values"));
        assert!(refused(&[1.0; 3], Some(&[1.0])).contains("deviations"));
        assert!(refused(&[1.0, f64::NAN, 0.0], None).contains("NaN"));
        assert!(Covariance::default().estimate(&points, &[1.0; 3], None, &points).is_err());
    }
}
