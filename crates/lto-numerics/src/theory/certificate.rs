//! The certificate of a layout of sensors.

use super::assumptions::Assumptions;
use super::best_scale::best_scale;
use super::bound::{LipschitzBound, Setting, TheoremBound};
use super::discretization::Estimator;
use super::local_bound::LocalBounds;
use super::regularity::{Origin, Regularity};
use crate::domain::Domain;
use crate::error::Result;
use crate::geometry::{FillDistance, fill_distance};
use crate::points::Points;
use crate::setconv::SetConv;
use serde::Serialize;

/// Relative accuracy of the fill distance.
const TOLERANCE: f64 = 1e-3;

/// Bounds of the error that sampling at the given points and estimating by the set convolution makes, for every state
/// within the given regularity; each constant and checked assumption is listed.
///
/// Three bounds, from loose to tight: [`Certificate::theorem_bound`] is the paper's form and
/// [`Certificate::lipschitz_bound`] a sharper one, both over the whole domain from the fill distance alone;
/// [`LocalBounds`] are computed from the actual weights at the places asked for, for either estimator.
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

/// A length scale chosen for the least worst bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// ℓ.
    pub length_scale: f64,
    /// The bounds with it.
    pub local: LocalBounds,
}

impl Certificate {
    /// Measures the layout and checks the assumptions.
    ///
    /// # Errors
    /// None for sound points.
    pub fn new(points: &Points, regularity: Regularity) -> Result<Self> {
        Ok(Self {
            n_points: points.len(),
            fill_distance: fill_distance(points, TOLERANCE)?,
            assumptions: Assumptions::check(points, TOLERANCE)?,
            regularity,
            domain: points.domain().clone(),
        })
    }

    /// Whether the theorem's and the Lipschitz bound hold for sure: the regularity is not estimated from data and no
    /// volume was sampled. Periodicity is not needed: open axes enter with a term of their own.
    pub fn is_certain(&self) -> bool {
        let measured = self.assumptions.partition == super::Partition::EqualVolume;
        measured && self.regularity.origin != Origin::Estimated
    }

    /// Theorem eps-disc at ℓ. `None` where δ/ℓ is too large for its argument, or cells too unequal.
    ///
    /// # Errors
    /// ℓ is not positive and finite.
    pub fn theorem_bound(&self, length_scale: f64) -> Result<Option<TheoremBound>> {
        self.setting().theorem(length_scale)
    }

    /// The theorem's bound at its best ℓ*.
    ///
    /// # Errors
    /// None for sound points.
    pub fn best_theorem_bound(&self) -> Result<Option<TheoremBound>> {
        let (lower, upper) = self.scales();
        let value = |ell| Ok(self.theorem_bound(ell)?.map(|b| b.bound));
        match best_scale(lower, upper, value)? {
            Some((length_scale, _)) => self.theorem_bound(length_scale),
            None => Ok(None),
        }
    }

    /// The sharper bound at ℓ; `None` as for [`Certificate::theorem_bound`].
    ///
    /// # Errors
    /// ℓ is not positive and finite.
    pub fn lipschitz_bound(&self, length_scale: f64) -> Result<Option<LipschitzBound>> {
        self.setting().lipschitz(length_scale)
    }

    /// The sharper bound at its best ℓ.
    ///
    /// # Errors
    /// None for sound points.
    pub fn best_lipschitz_bound(&self) -> Result<Option<LipschitzBound>> {
        let (lower, upper) = self.scales();
        let value = |ell| Ok(self.lipschitz_bound(ell)?.map(|b| b.bound));
        let best = best_scale(lower, upper, value)?;
        Ok(best.map(|(length_scale, bound)| LipschitzBound { length_scale, bound }))
    }

    /// The bounds from the actual weights at the query points, with ℓ chosen so that the largest is least.
    ///
    /// # Errors
    /// A query in another domain than the points.
    pub fn tuned(&self, points: &Points, estimator: Estimator, query: &Points) -> Result<Tuned> {
        let local = |ell| LocalBounds::new(&SetConv::new(ell)?, estimator, points, &self.regularity, query);
        let delta = self.fill_distance.upper;
        // Narrower kernels see one point only; wider ones than a few δ only smooth more.
        let best = best_scale(0.15 * delta, 3.0 * delta, |ell| Ok(Some(local(ell)?.worst().1.bound)))?;
        let length_scale = best.map_or(delta, |(length_scale, _)| length_scale);
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
        }
    }
}
