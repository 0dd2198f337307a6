//! The discretization error over a range of numbers of points, compared with the theoretical rate.

use super::best_scale::best_scale;
use super::bound::TheoremBound;
use super::discretization::{Estimator, discretization_error};
use super::rate_fit::RateFit;
use super::regularity::Regularity;
use crate::design::PointDesign;
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::geometry::fill_distance;
use crate::grid::{Grid, Placement};
use crate::points::Points;
use crate::setconv::SetConv;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Relative accuracy of the fill distance; ℓ* depends only on its cube root.
const TOLERANCE: f64 = 1e-2;

/// How ℓ is chosen for each layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScaleRule {
    /// ℓ* of Corollary optimized-disc, with the limit of its constant and the layout's own fill distance.
    Optimum,
    /// The ℓ with the least error, chosen knowing the truth: the best the estimate can do.
    Best,
}

impl ScaleRule {
    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ScaleRule::Optimum => "optimum",
            ScaleRule::Best => "best",
        }
    }
}

/// A sweep: ε_disc of one design and estimator, for more and more points.
#[derive(Clone, Copy, Debug)]
pub struct SweepRequest<'a> {
    /// How the points are placed.
    pub design: PointDesign,
    /// How values between the points are estimated.
    pub estimator: Estimator,
    /// How ℓ is chosen.
    pub rule: ScaleRule,
    /// Layouts drawn for each N. A regular grid never varies, so one suffices.
    pub n_layouts: usize,
    /// Seed of every layout, together with its N and its number.
    pub seed: u64,
    /// Bounds on the states, for ℓ*.
    pub regularity: &'a Regularity,
    /// Where the supremum over x is taken; the domain of the sweep. See [`dense_places`].
    pub query: &'a Points,
    /// Where [`ScaleRule::Best`] compares values of ℓ; fewer places than for the supremum suffice.
    pub tuning: &'a Points,
}

/// A regular grid of places for the supremum over a periodic or open box: at least eight per point of
/// `n_points`, and at least `least`. With fewer, more and more of the worst places are missed as N grows, and
/// errors seem to fall too fast. The number along an axis shares no factor with the D-th root of N, so that
/// the places sample every part of the cells of a grid of N points.
///
/// # Errors
/// None for a valid domain.
pub fn dense_places(domain: &Domain, n_points: usize, least: usize) -> Result<Points> {
    let root = |n: f64| n.powf(1.0 / domain.dim() as f64);
    let cells = (root(n_points as f64).round() as usize).max(1);
    let wanted = root(n_points.saturating_mul(8).max(least) as f64).ceil() as usize;
    let shared = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // One more than a whole number of cells is one of these.
    let count = (wanted..=wanted + cells).find(|&count| shared(count, cells) == 1).unwrap_or(wanted);
    Ok(Points::grid(Grid::uniform(domain.clone(), &vec![(count, Placement::Left); domain.dim()])?))
}

/// The layouts of one N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// N.
    pub n_points: usize,
    /// δ, the mean over the layouts.
    pub fill_distance: f64,
    /// ℓ, the mean over the layouts.
    pub length_scale: f64,
    /// ε_disc(N), the mean over the layouts.
    pub error: f64,
    /// ε_disc(N) of each layout.
    pub errors: Vec<f64>,
}

/// ε_disc over N.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateSweep {
    /// In the order of the sizes asked for.
    pub points: Vec<SweepPoint>,
    /// The slope in N over all layouts of all sizes.
    pub fit: RateFit,
    /// The slope of [`SweepRequest::predicted`] over the same sizes.
    pub predicted_slope: Option<f64>,
}

impl SweepRequest<'_> {
    /// The whole sweep.
    ///
    /// # Errors
    /// As [`SweepRequest::point`] and [`SweepRequest::fit`].
    pub fn run(&self, sizes: &[usize], states: &[impl Fn(&[f64]) -> f64]) -> Result<RateSweep> {
        self.fit(sizes.iter().map(|&n| self.point(n, states)).collect::<Result<_>>()?)
    }

    /// ε_disc(N) of the given states, one value per layout.
    ///
    /// # Errors
    /// No layouts, a number of points that the design cannot have, or as [`SetConv::apply`].
    pub fn point(&self, n_points: usize, states: &[impl Fn(&[f64]) -> f64]) -> Result<SweepPoint> {
        if self.n_layouts == 0 {
            let requirement = "must be at least 1";
            return Err(Error::Parameter { name: "n_layouts", value: "0".into(), requirement });
        }
        let share = 1.0 / self.n_layouts as f64;
        let mut mean =
            SweepPoint { n_points, fill_distance: 0.0, length_scale: 0.0, error: 0.0, errors: Vec::new() };
        for layout in 0..self.n_layouts {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream((n_points as u64) << 24 | layout as u64);
            let points = self.design.points(self.query.domain(), n_points, &mut rng)?;
            let delta = fill_distance(&points, TOLERANCE)?.upper;
            let (length_scale, error) = self.error(&points, delta, states)?;
            mean.fill_distance += share * delta;
            mean.length_scale += share * length_scale;
            mean.error += share * error;
            mean.errors.push(error);
        }
        Ok(mean)
    }

    /// ℓ and the error it gives.
    fn error(&self, layout: &Points, delta: f64, states: &[impl Fn(&[f64]) -> f64]) -> Result<(f64, f64)> {
        let error = |length_scale, query| {
            let setconv = SetConv::new(length_scale)?;
            discretization_error(self.estimator, &setconv, layout, query, states)
        };
        match self.rule {
            ScaleRule::Optimum => {
                let (dim, bounds) = (layout.dim(), self.regularity);
                let constant = TheoremBound::limit_constant(dim, bounds.oscillation);
                let (ell, _) = TheoremBound::optimum(dim, bounds.curvature_bound, constant, delta);
                Ok((ell, error(ell, self.query)?))
            }
            ScaleRule::Best => {
                let best = best_scale(0.1 * delta, 2.5 * delta, |ell| error(ell, self.tuning).map(Some))?;
                let ell = best.map_or(delta, |(ell, _)| ell);
                Ok((ell, error(ell, self.query)?))
            }
        }
    }

    /// The rate of measured points.
    ///
    /// # Errors
    /// Fewer than two sizes, or an error that is zero.
    pub fn fit(&self, points: Vec<SweepPoint>) -> Result<RateSweep> {
        let each = points.iter().flat_map(|at| at.errors.iter().map(|&error| (at.n_points as f64, error)));
        let (sizes, errors): (Vec<f64>, Vec<f64>) = each.unzip();
        let fit = RateFit::fit(&sizes, &errors)?;
        let law: Option<Vec<f64>> = sizes.iter().map(|&n| self.predicted(n)).collect();
        let predicted_slope = law.map(|law| RateFit::fit(&sizes, &law)).transpose()?.map(|law| law.slope);
        Ok(RateSweep { points, fit, predicted_slope })
    }

    /// The theoretical law, up to a factor: (h/|Ω|)^p with h = |Ω|/N, or h = |Ω| log N/N for independent
    /// points.
    ///
    /// For Nadaraya–Watson p = 2/(3D) at ℓ* (Corollary disc-invariance) and p = 1/D at the best ℓ, by the
    /// Lipschitz form: the error falls at least this fast. For the local linear estimate p = 2/D at the best
    /// ℓ. `None` for the local linear estimate at ℓ*, which is not meant for it, and for designs whose fill
    /// distance has no known rate.
    pub fn predicted(&self, n_points: f64) -> Option<f64> {
        let dim = self.query.dim() as f64;
        let power = match (self.estimator, self.rule) {
            (Estimator::NadarayaWatson, ScaleRule::Optimum) => 2.0 / (3.0 * dim),
            (Estimator::NadarayaWatson, ScaleRule::Best) => 1.0 / dim,
            (Estimator::LocalLinear, ScaleRule::Best) => 2.0 / dim,
            (Estimator::LocalLinear, ScaleRule::Optimum) => return None,
        };
        let spacing = match self.design {
            PointDesign::Iid => n_points.ln() / n_points,
            PointDesign::Grid
            | PointDesign::Jittered
            | PointDesign::Halton
            | PointDesign::Sobol
            | PointDesign::PoissonDisc => 1.0 / n_points,
            _ => return None,
        };
        Some(spacing.powf(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_places_are_enough_and_fall_everywhere_into_cells() {
        for (dim, root) in [(1, 2048), (2, 24), (3, 12), (3, 16), (1, 1)] {
            let n = usize::pow(root, dim as u32);
            let places = dense_places(&Domain::unit(dim, true).unwrap(), n, 100).unwrap();
            assert!(places.len() >= (8 * n).max(100) && places.len() < 40 * n + 200, "{dim} {root}");
            let along = (places.len() as f64).powf(1.0 / dim as f64).round() as usize;
            // Where a place falls in its cell: as many offsets as there are places along the axis.
            let mut within: Vec<usize> = (0..along).map(|i| i * root % along).collect();
            within.sort_unstable();
            within.dedup();
            assert_eq!(within.len(), along, "{dim} {root}");
        }
    }
}
