//! The best linear estimate of a random field from noisy observations (simple kriging), and the covariance it needs.

mod fit;
mod lags;
mod spectrum;
mod whole_grid;

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::matrix::{dot, factorize, substitute};
use crate::point_tree::{PointTree, Position};
use crate::points::Points;
use lags::LagTable;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use fit::CovarianceFit;
pub use spectrum::SpectrumFit;

/// Up to this many observations are solved for at once; of more, those nearest to each few query points.
const AT_ONCE: usize = 256;
/// How many those are.
const NEIGHBORS: usize = 32;
/// Query points that share their neighbors, at most.
const GROUP: usize = 4;
/// Added to the diagonal, as a share of the variance: two observations may be almost at one place.
const JITTER: f64 = 1e-9;
/// Variances of noise that are told apart where nothing is known of it, as shares of the field's variance. The first one keeps
/// the matrices of smooth fields well conditioned.
const NOISE_LEVELS: [f64; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
/// Neighborhoods that say which of them it is.
const NOISE_PROBES: usize = 16;

/// The covariance of a stationary field with mean zero,
///
/// ```text
/// C(x − y) = Σ_i v_i exp(−|x − y|/ℓ_i) + Σ_k v_k cos 2π k·(x − y)/L
/// ```
///
/// and the variance η² of the noise on its observations where nothing else is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Covariance {
    /// `[ℓ_i, v_i]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<[f64; 2]>,
    /// The waves of a periodic domain of one or two axes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waves: Vec<Wave>,
    /// η²; where there are waves it is found anew from each set of observations.
    pub noise: f64,
}

/// A wave k of a periodic domain, with the variance v_k that it and −k have together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wave(
    /// Its wavenumber along each axis; the second is zero in one dimension.
    pub [i32; 2],
    /// v_k.
    pub f64,
);

impl Covariance {
    /// C at no distance: the variance of the field.
    pub fn variance(&self) -> f64 {
        self.isotropic(0.0) + self.waves.iter().map(|Wave(_, variance)| variance).sum::<f64>()
    }

    /// The part that depends on the distance alone.
    fn isotropic(&self, distance: f64) -> f64 {
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
        let waves = self.waves.iter().all(|Wave(k, variance)| {
            positive(variance) && k.iter().all(|k| k.unsigned_abs() <= lags::MOST_WAVES)
        });
        let some = !self.parts.is_empty() || !self.waves.is_empty();
        if some && waves && self.parts.iter().flatten().all(positive) && self.noise >= 0.0 {
            return Ok(());
        }
        let value = format!("{:?}, {} waves, noise {}", self.parts, self.waves.len(), self.noise);
        let requirement = "needs parts with positive lengths and variances, or waves with positive variances, and noise that is \
             not negative";
        Err(Error::Parameter { name: "covariance", value, requirement })
    }

    /// [`Kriging::estimate`] for one time only.
    ///
    /// # Errors
    /// As [`Kriging::new`] and [`Kriging::estimate`].
    pub fn estimate(
        &self,
        context: &Points,
        values: &[f64],
        deviations: Option<&[f64]>,
        query: &Points,
    ) -> Result<Vec<f64>> {
        Kriging::new(self, context.domain())?.estimate(context, values, deviations, query)
    }
}

/// A covariance on a domain, ready for estimates.
#[derive(Clone, Debug)]
pub struct Kriging {
    covariance: Covariance,
    domain: Domain,
    /// The sum over the waves.
    table: Option<LagTable>,
}

impl Kriging {
    /// Prepares a covariance.
    ///
    /// # Errors
    /// A covariance that is none, or waves on a domain that is not periodic or has more than two axes.
    pub fn new(covariance: &Covariance, domain: &Domain) -> Result<Self> {
        covariance.validate()?;
        let table = match covariance.waves.is_empty() {
            true => None,
            false => Some(LagTable::new(&covariance.waves, domain)?),
        };
        Ok(Self { covariance: covariance.clone(), domain: domain.clone(), table })
    }

    /// C(a − b).
    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let isotropic = match self.covariance.parts.is_empty() {
            true => 0.0,
            false => self.covariance.isotropic(self.domain.distance(a, b)),
        };
        isotropic + self.table.as_ref().map_or(0.0, |table| table.between(a, b))
    }

    /// The best linear estimate û(x) = Σ_j w_j u_j at the query points, with the weights
    ///
    /// ```text
    /// w = (C(c_i − c_j) + σ_j² δ_ij)⁻¹ C(c_j − x)
    /// ```
    ///
    /// that minimize E|û(x) − u(x)|² among all weights, for a field of this covariance whose observations u_j carry
    /// independent noise of deviation σ_j. Where no deviations are given, σ is η or, if the covariance has waves, that of a few
    /// levels under which the observations are most likely. From more than 256 observations, the 32 nearest to each few
    /// query points are used.
    ///
    /// # Shapes
    /// N values, none or N deviations, M points → `[M]`.
    ///
    /// # Errors
    /// A query in another domain, values that do not fit the points or are not finite.
    pub fn estimate(
        &self,
        context: &Points,
        values: &[f64],
        deviations: Option<&[f64]>,
        query: &Points,
    ) -> Result<Vec<f64>> {
        let observed = &self.observed(context, values, deviations, query)?;
        Ok(observed.at_each(query, |near| {
            let lower = observed.factor(&near);
            let values: Vec<f64> = near.iter().map(|&j| observed.values[j]).collect();
            let solved = substitute(&lower, near.len(), &values);
            move |x: &[f64]| near.iter().zip(&solved).map(|(&j, a)| observed.covariance(j, x) * a).sum()
        }))
    }

    /// The weights w of [`estimate`](Self::estimate): for every query point the observations that it is estimated from, by their
    /// index, and how much each of them counts. The values only say how noisy they are.
    ///
    /// # Errors
    /// As there.
    pub fn weights(
        &self,
        context: &Points,
        values: &[f64],
        deviations: Option<&[f64]>,
        query: &Points,
    ) -> Result<Vec<Vec<(usize, f64)>>> {
        let observed = &self.observed(context, values, deviations, query)?;
        Ok(observed.at_each(query, |near| {
            let lower = observed.factor(&near);
            move |x: &[f64]| {
                let toward: Vec<f64> = near.iter().map(|&j| observed.covariance(j, x)).collect();
                near.iter().copied().zip(substitute(&lower, near.len(), &toward)).collect()
            }
        }))
    }

    /// Observations that fit this covariance, the query and each other.
    fn observed<'a>(
        &'a self,
        context: &Points,
        values: &'a [f64],
        deviations: Option<&[f64]>,
        query: &Points,
    ) -> Result<Observed<'a>> {
        for points in [context, query] {
            if !points.domain().same_place(&self.domain) {
                let (context, query) = (self.domain.to_string(), points.domain().to_string());
                return Err(Error::DomainMismatch { context, query });
            }
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
        let (places, tree) = (context.coordinates(), PointTree::new(context));
        let mut observed = Observed { kriging: self, places, values, noise: Vec::new(), tree };
        observed.noise = match (deviations, &self.table) {
            (Some(each), _) => each.iter().map(|deviation| deviation * deviation).collect(),
            (None, Some(_)) => vec![observed.likely_noise(); values.len()],
            (None, None) => vec![self.covariance.noise; values.len()],
        };
        Ok(observed)
    }
}

/// The observations nearest to a place.
fn nearest(tree: &PointTree, place: &Position) -> Vec<usize> {
    tree.k_nearest(place, NEIGHBORS).iter().map(|near| tree.order()[near.place]).collect()
}

/// A field of some covariance, observed.
struct Observed<'a> {
    kriging: &'a Kriging,
    places: Vec<f64>,
    values: &'a [f64],
    /// The variance of the noise of each observation.
    noise: Vec<f64>,
    tree: PointTree,
}

impl Observed<'_> {
    fn place(&self, j: usize) -> &[f64] {
        let dim = self.kriging.domain.dim();
        &self.places[j * dim..(j + 1) * dim]
    }

    /// C(c_j − x).
    fn covariance(&self, j: usize, x: &[f64]) -> f64 {
        self.kriging.between(self.place(j), x)
    }

    /// What a function of the place gives at every query point; it is made of the observations that count there, once for
    /// all points that share them.
    fn at_each<T: Send, F: Fn(&[f64]) -> T + Send + Sync>(
        &self,
        query: &Points,
        of: impl Fn(Vec<usize>) -> F + Sync,
    ) -> Vec<T> {
        let (targets, dim) = (query.coordinates(), query.dim());
        if self.values.len() <= AT_ONCE {
            let at = of((0..self.values.len()).collect());
            return targets.par_chunks_exact(dim).map(at).collect();
        }
        let groups = PointTree::with_leaves(query, GROUP);
        let leaves: Vec<_> = groups.leaves().collect();
        let mut found: Vec<(usize, T)> = leaves
            .par_iter()
            .flat_map_iter(|leaf| {
                let at = of(nearest(&self.tree, &leaf.cuboid.center));
                let targets = &targets;
                let members = groups.order()[leaf.range.clone()].iter();
                members.map(move |&m| (m, at(&targets[m * dim..(m + 1) * dim])))
            })
            .collect();
        found.sort_unstable_by_key(|(m, _)| *m);
        found.into_iter().map(|(_, at)| at).collect()
    }

    /// The lower triangle of C between some observations.
    fn covariances(&self, chosen: &[usize]) -> Vec<f64> {
        let n = chosen.len();
        let variance = self.kriging.covariance.variance() * (1.0 + JITTER);
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                lower[i * n + j] = self.kriging.between(self.place(chosen[i]), self.place(chosen[j]));
            }
            lower[i * n + i] = variance;
        }
        lower
    }

    /// The Cholesky factor of C + Σ of some observations, where Σ is diagonal with the noise of each.
    fn factor(&self, chosen: &[usize]) -> Vec<f64> {
        let n = chosen.len();
        let mut lower = self.covariances(chosen);
        chosen.iter().enumerate().for_each(|(i, &j)| lower[i * n + i] += self.noise[j]);
        factorize(&mut lower, n);
        lower
    }

    /// The variance η² of the noise, of a few levels, under which a few neighborhoods of observations are most likely: the least
    /// Σ n log(uᵀ(C + η²)⁻¹u) + log det(C + η²), where the scale of the field is free.
    fn likely_noise(&self) -> f64 {
        let tree = &self.tree;
        let variance = self.kriging.covariance.variance();
        let probes = NOISE_PROBES.min(tree.len());
        let mut unlikely = [0.0; NOISE_LEVELS.len()];
        for probe in 0..probes {
            let near = nearest(tree, &tree.position(probe * tree.len() / probes));
            let (n, lower) = (near.len(), self.covariances(&near));
            let values: Vec<f64> = near.iter().map(|&j| self.values[j]).collect();
            for (unlikely, level) in unlikely.iter_mut().zip(NOISE_LEVELS) {
                let mut lower = lower.clone();
                (0..n).for_each(|i| lower[i * n + i] += level * variance);
                factorize(&mut lower, n);
                let pivots: f64 = (0..n).map(|i| lower[i * n + i].ln()).sum();
                let square = dot(&values, &substitute(&lower, n, &values)).max(f64::MIN_POSITIVE);
                *unlikely += n as f64 * square.ln() + 2.0 * pivots;
            }
        }
        let least = (0..NOISE_LEVELS.len()).min_by(|&a, &b| unlikely[a].total_cmp(&unlikely[b]));
        NOISE_LEVELS[least.unwrap_or(0)] * variance
    }
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
        Covariance { parts: vec![[0.4, 2.0], [1.5, 1.0]], noise: 0.25, ..Covariance::default() }
    }

    /// The weights at one place.
    fn weights(points: &Points, deviations: &[f64], query: &Points) -> Vec<f64> {
        let kriging = Kriging::new(&covariance(), points.domain()).unwrap();
        let found = kriging.weights(points, &vec![0.0; points.len()], Some(deviations), query).unwrap();
        found[0].iter().map(|(_, weight)| *weight).collect()
    }

    /// From all observations at once, and from the nearest of many.
    #[test]
    fn estimates_are_weighted_sums() {
        let kriging = Kriging::new(&covariance(), &square()).unwrap();
        for n in [20, 400] {
            let (points, query) = (random(n, 6), random(30, 7));
            let values: Vec<f64> = points.coordinates().chunks_exact(2).map(|x| x[0] - x[1]).collect();
            let estimates = kriging.estimate(&points, &values, None, &query).unwrap();
            let weights = kriging.weights(&points, &values, None, &query).unwrap();
            for (estimate, weights) in estimates.iter().zip(&weights) {
                assert_eq!(weights.len(), n.min(NEIGHBORS));
                let sum: f64 = weights.iter().map(|(j, weight)| weight * values[*j]).sum();
                assert!((sum - estimate).abs() < 1e-9, "{n}: {sum} {estimate}");
            }
        }
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
            let c = |a: &[f64], b: &[f64]| covariance().isotropic(square().distance(a, b));
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
        assert!((found.variance() - 3.25).abs() < 1e-12 && found.noise == 0.0);
        let part = 0.25 * (-0.1f64 / 0.2).exp();
        assert!((found.isotropic(0.1) - covariance().isotropic(0.1) - part).abs() < 1e-12);
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
