//! The certificate of a sensor layout.

use super::assumptions::{Assumptions, Partition};
use super::best_scale::{best_scale, widest_scale};
use super::bound::{LipschitzBound, Setting, TheoremBound};
use super::discretization::Estimator;
use super::local_bound::LocalBounds;
use super::regularity::{BoundOrigin, Regularity};
use crate::domain::Domain;
use crate::error::Result;
use crate::geometry::{FillDistance, fill_distance};
use crate::points::Points;
use crate::setconv::SetConv;
use serde::Serialize;

/// Relative accuracy of the fill distance.
const TOLERANCE: f64 = 1e-3;
/// Weight of the mean bound when ℓ is chosen: enough to break ties between largest bounds.
const MEAN_SHARE: f64 = 1e-6;
/// The fraction of sup|u| that may be lost if sup|u| is not known.
const NEGLIGIBLE: f64 = 1e-6;

/// Bounds on the error of sampling at the given points and estimating by the set convolution, for every state
/// within the given regularity; each constant and checked assumption is listed.
///
/// There are three kinds of bounds. [`Certificate::theorem_bound`] is the paper's;
/// [`Certificate::lipschitz_bound`] has a better order in δ, so it is smaller for many points and may be
/// larger for few. Both hold over the whole domain and need only the fill distance and a partition; use the
/// smaller one. [`LocalBounds`] and [`super::Supremum`] are computed from the actual weights, for either
/// estimator: they are the ones to use.
///
/// If sup|u| is not known, all bounds are for the estimate without density floor in exact arithmetic; the
/// estimate of [`SetConv`] may be off by a further [`Certificate::relative_loss`] of sup|u|.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// N.
    pub n_points: usize,
    /// δ.
    pub fill_distance: FillDistance,
    /// Which assumptions of the theorem hold.
    pub assumptions: Assumptions,
    /// What is known about the states.
    pub regularity: Regularity,
    #[serde(skip)]
    domain: Domain,
}

/// A length scale chosen for a small worst bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// ℓ.
    pub length_scale: f64,
    /// The bounds with it.
    pub local: LocalBounds,
}

impl Certificate {
    /// The fraction by which the largest bound may exceed the least possible, in exchange for a wider kernel.
    pub const ROBUSTNESS: f64 = 0.05;

    /// Measures the layout and checks the assumptions.
    ///
    /// # Errors
    /// None for valid points.
    pub fn new(points: &Points, regularity: Regularity) -> Result<Self> {
        let fill_distance = fill_distance(points, TOLERANCE)?;
        Ok(Self {
            n_points: points.len(),
            assumptions: Assumptions::with_fill_distance(points, fill_distance.upper)?,
            fill_distance,
            regularity,
            domain: points.domain().clone(),
        })
    }

    /// Whether the theorem's and the Lipschitz bound are certain: the regularity is not estimated from data
    /// and no volume was sampled. Periodicity is not needed: open axes add a term of their own.
    pub fn is_certain(&self) -> bool {
        let sampled = matches!(self.assumptions.partition, Partition::Voronoi { exact: false, .. });
        !sampled && self.regularity.origin != BoundOrigin::Estimated
    }

    /// The fraction of sup|u| that the density floor and rounding may cost the signal anywhere: the density
    /// is at least κ_ℓ of the fill distance. Included in the bounds if sup|u| is known.
    pub fn relative_loss(&self, setconv: &SetConv) -> f64 {
        let density = setconv.kernel().value(self.fill_distance.upper.powi(2));
        setconv.signal_loss(density, self.n_points, self.domain.dim())
    }

    /// Theorem eps-disc. `None` if δ/ℓ is too large for its argument, the cells are too unequal, or nothing bounds the range of
    /// the states.
    pub fn theorem_bound(&self, setconv: &SetConv) -> Option<TheoremBound> {
        self.setting().theorem(setconv).map(|(_, found)| found)
    }

    /// The theorem's bound at the ℓ* that minimizes it (before the cap sup u − inf u), with the default
    /// density floor.
    ///
    /// # Errors
    /// None for valid points.
    pub fn best_theorem_bound(&self) -> Result<Option<TheoremBound>> {
        let (lower, upper) = self.scales();
        let value = |ell| Ok(self.setting().theorem(&SetConv::new(ell)?).map(|(sum, _)| sum));
        match best_scale(lower, upper, value)? {
            Some((length_scale, _)) => Ok(self.theorem_bound(&SetConv::new(length_scale)?)),
            None => Ok(None),
        }
    }

    /// The Lipschitz form; `None` as for [`Certificate::theorem_bound`].
    pub fn lipschitz_bound(&self, setconv: &SetConv) -> Option<LipschitzBound> {
        self.setting().lipschitz(setconv).map(|(_, found)| found)
    }

    /// The Lipschitz form at its best ℓ (before the cap sup u − inf u), with the default density floor.
    ///
    /// # Errors
    /// None for valid points.
    pub fn best_lipschitz_bound(&self) -> Result<Option<LipschitzBound>> {
        let (lower, upper) = self.scales();
        let value = |ell| Ok(self.setting().lipschitz(&SetConv::new(ell)?).map(|(sum, _)| sum));
        match best_scale(lower, upper, value)? {
            Some((length_scale, _)) => Ok(self.lipschitz_bound(&SetConv::new(length_scale)?)),
            None => Ok(None),
        }
    }

    /// The bounds from the actual weights at the query points. ℓ is the widest for which the largest of them
    /// exceeds its minimum by no more than [`Certificate::ROBUSTNESS`]: a wider kernel leans on more points,
    /// so one that fails, or is added, changes less.
    ///
    /// The density floor is the default. If the minimum is about the range of the states or above, ℓ is the
    /// minimizer itself; ties go to the least mean. If sup|u| is not known, only those ℓ are tried whose
    /// [`Certificate::relative_loss`] is below a millionth.
    ///
    /// # Errors
    /// A query in another domain than the points.
    pub fn tuned(&self, points: &Points, estimator: Estimator, query: &Points) -> Result<Tuned> {
        let local = |ell| LocalBounds::new(&SetConv::new(ell)?, estimator, points, &self.regularity, query);
        let delta = self.fill_distance.upper;
        // Narrower kernels see only one point; kernels wider than a few δ only smooth more.
        let narrowest = match self.regularity.sup_bound {
            Some(_) => 0.15,
            None => (2.0 * (NEGLIGIBLE / SetConv::DENSITY_FLOOR).ln()).sqrt().recip(),
        };
        let (narrowest, widest) = (narrowest * delta, 3.0 * delta);
        let value = |ell| {
            let found = local(ell)?;
            Ok(Some(found.worst().1.bound + MEAN_SHARE * found.mean()))
        };
        let mut length_scale = delta;
        if let Some((best, least)) = best_scale(narrowest, widest, value)? {
            let most = least * (1.0 + Self::ROBUSTNESS);
            let within = |ell| Ok(local(ell)?.worst().1.bound <= most);
            let vacuous = most >= self.regularity.oscillation;
            length_scale = if vacuous { best } else { widest_scale(best, widest, within)? };
        }
        Ok(Tuned { length_scale, local: local(length_scale)? })
    }

    /// Scales that bracket the minimum of the bounds.
    fn scales(&self) -> (f64, f64) {
        let delta = self.fill_distance.upper;
        (0.5 * delta, (4.0 * self.domain.diameter()).max(100.0 * delta))
    }

    fn setting(&self) -> Setting<'_> {
        Setting {
            domain: &self.domain,
            regularity: &self.regularity,
            assumptions: &self.assumptions,
            fill_distance: self.fill_distance.upper,
            n_points: self.n_points,
        }
    }
}
