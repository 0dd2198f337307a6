//! The certificate of a layout of sensors.

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
/// Share of the mean bound in what ℓ is chosen by: enough to tell equal largest bounds apart.
const MEAN_SHARE: f64 = 1e-6;
/// A part of sup|u| that may be lost where sup|u| is not known.
const NEGLIGIBLE: f64 = 1e-6;

/// Bounds of the error that sampling at the given points and estimating by the set convolution makes, for every state
/// within the given regularity; each constant and checked assumption is listed.
///
/// Three kinds of bounds. [`Certificate::theorem_bound`] is the paper's form; [`Certificate::lipschitz_bound`] the Lipschitz
/// form, of better order in δ, which is smaller for many points and may be larger for few. Both hold over the whole
/// domain and need the fill distance and a partition alone; the smaller one holds. [`LocalBounds`] and
/// [`super::Supremum`] are computed from the actual weights, for either estimator: they are the ones to use.
///
/// Where sup|u| is not known, all bounds are for the estimate without density floor in exact arithmetic; that of
/// [`SetConv`] is off by at most [`Certificate::relative_loss`] of sup|u| more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// N.
    pub n_points: usize,
    /// δ.
    pub fill_distance: FillDistance,
    /// Which assumptions of the theorem hold.
    pub assumptions: Assumptions,
    /// What the states are known to satisfy.
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
    /// By what part the largest bound may exceed the least possible one, for the sake of a wider kernel.
    pub const ROBUSTNESS: f64 = 0.05;

    /// Measures the layout and checks the assumptions.
    ///
    /// # Errors
    /// None for sound points.
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

    /// Whether the theorem's and the Lipschitz bound hold for sure: the regularity is not estimated from data and no
    /// volume was sampled. Periodicity is not needed: open axes enter with a term of their own.
    pub fn is_certain(&self) -> bool {
        let sampled = matches!(self.assumptions.partition, Partition::Voronoi { exact: false, .. });
        !sampled && self.regularity.origin != BoundOrigin::Estimated
    }

    /// The part of sup|u| that the density floor and rounding may take from the signal anywhere: the density is at least
    /// κ_ℓ of the fill distance. Included in the bounds where sup|u| is known.
    pub fn relative_loss(&self, setconv: &SetConv) -> f64 {
        let density = setconv.kernel().value(self.fill_distance.upper.powi(2));
        setconv.signal_loss(density, self.n_points, self.domain.dim())
    }

    /// Theorem eps-disc. `None` where δ/ℓ is too large for its argument, or cells too unequal.
    pub fn theorem_bound(&self, setconv: &SetConv) -> Option<TheoremBound> {
        self.setting().theorem(setconv).map(|(_, found)| found)
    }

    /// The theorem's bound at the ℓ* where it is least, the limit sup u − inf u apart, with the default density floor.
    ///
    /// # Errors
    /// None for sound points.
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

    /// The Lipschitz form at its best ℓ, the limit sup u − inf u apart, with the default density floor.
    ///
    /// # Errors
    /// None for sound points.
    pub fn best_lipschitz_bound(&self) -> Result<Option<LipschitzBound>> {
        let (lower, upper) = self.scales();
        let value = |ell| Ok(self.setting().lipschitz(&SetConv::new(ell)?).map(|(sum, _)| sum));
        match best_scale(lower, upper, value)? {
            Some((length_scale, _)) => Ok(self.lipschitz_bound(&SetConv::new(length_scale)?)),
            None => Ok(None),
        }
    }

    /// The bounds from the actual weights at the query points, with ℓ chosen by the largest of them: the widest ℓ for
    /// which it exceeds the least one by no more than [`Certificate::ROBUSTNESS`]. A wider kernel leans on more points,
    /// so that one that fails, or is added, changes less.
    ///
    /// The density floor is the default. Where the least one is about the range of the states, or above it, the ℓ with the
    /// least one is taken, and of equal ones that with the least mean. Where sup|u| is not known, only those ℓ are tried whose
    /// [`Certificate::relative_loss`] is below a millionth.
    ///
    /// # Errors
    /// A query in another domain than the points.
    pub fn tuned(&self, points: &Points, estimator: Estimator, query: &Points) -> Result<Tuned> {
        let local = |ell| LocalBounds::new(&SetConv::new(ell)?, estimator, points, &self.regularity, query);
        let delta = self.fill_distance.upper;
        // Narrower kernels see one point only; wider ones than a few δ only smooth more.
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

    /// Scales between which the bounds have their least value.
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
