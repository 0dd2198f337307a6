//! The bound from actual weights over the whole domain, including between query points.

use super::box_bound::Surroundings;
use super::discretization::Estimator;
use super::local_bound::Place;
use super::neighbors::{Near, Neighbors};
use super::regularity::Regularity;
use crate::domain::Domain;
use crate::error::Result;
use crate::geometry::branch::{Effort, supremum};
use crate::points::Points;
use crate::setconv::SetConv;
use serde::Serialize;
use std::cell::RefCell;

/// Most boxes examined per point: 20 along an axis in three dimensions.
const BOXES_PER_POINT: usize = 1 << 13;
/// The limits between which that number of boxes is kept.
const BOXES: (usize, usize) = (1 << 18, 1 << 22);
/// Boxes examined together.
const AT_ONCE: usize = 1 << 12;

/// A bound on |û − u| anywhere in the domain. Like [`super::LocalBound::bound`], it leaves out the density
/// floor and rounding if sup|u| is not known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Supremum {
    /// The largest local bound found: the one at [`Supremum::at`]. It may slightly exceed `upper`: boxes
    /// expand the states about their middle, local bounds about the place itself.
    pub lower: f64,
    /// Rigorous everywhere. `None` if the search did not finish: weights left out may decide somewhere
    /// whether the affine fit is determined (at a sensor too far from all others), or there are too many
    /// points for the number of boxes required.
    pub upper: Option<f64>,
    /// Where it was found.
    pub at: Vec<f64>,
}

impl Supremum {
    /// Bounds the error of an estimate over the whole domain by branch and bound: the weights at the center
    /// of a box bound those anywhere in it. The search ends when `upper ≤ (1 + tolerance) lower`, or when it
    /// takes too many boxes; `upper` still holds then, but is less tight.
    ///
    /// # Errors
    /// None for valid points.
    pub fn find(
        setconv: &SetConv,
        estimator: Estimator,
        context: &Points,
        regularity: &Regularity,
        tolerance: f64,
    ) -> Result<Self> {
        thread_local!(static NEAR: RefCell<Near> = RefCell::default());
        let domain = context.domain();
        let neighbors = Neighbors::new(context, *setconv.kernel());
        let place = Place { domain, regularity, setconv, n_points: context.len() };
        let estimator = if never_fits(domain, context) { Estimator::NadarayaWatson } else { estimator };
        let in_all = context.len().saturating_mul(BOXES_PER_POINT).clamp(BOXES.0, BOXES.1);
        let effort = Effort { at_once: AT_ONCE, in_all };
        let found = supremum(domain, context.len(), tolerance, effort, |cuboid| {
            NEAR.with_borrow_mut(|near| {
                neighbors.gather(&cuboid.center, near);
                let around = Surroundings::new(&place, near, cuboid);
                let bound = match estimator {
                    Estimator::NadarayaWatson => Some(around.nadaraya_watson()),
                    Estimator::LocalLinear => around.local_linear(),
                };
                let Some(bound) = bound else { return (f64::NAN, f64::INFINITY) };
                // Points half a period away are missing from the bound at the center.
                let exact = || place.bound(estimator, near).0.bound;
                (if around.turning { exact() } else { bound.at_center }, bound.anywhere)
            })
        });
        let mut near = Near::default();
        neighbors.gather(&found.at, &mut near);
        let lower = place.bound(estimator, &near).0.bound;
        let upper = Some(found.upper).filter(|upper| upper.is_finite());
        Ok(Self { lower, upper, at: found.at[..context.dim()].to_vec() })
    }
}

/// Whether no affine function is determined anywhere, whatever the weights: a single point, two points in
/// more than one dimension, points with the same coordinate along an axis, or points on a line in an open
/// plane.
fn never_fits(domain: &Domain, points: &Points) -> bool {
    let (dim, coordinates) = (points.dim(), points.coordinates());
    let spread = |of: &dyn Fn(&[f64]) -> f64| {
        let values = coordinates.chunks_exact(dim).map(of);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        high - low
    };
    let extents: Vec<f64> = (0..dim).map(|d| spread(&|x| x[d])).collect();
    if points.len() < (dim + 1).min(3) || extents.contains(&0.0) {
        return true;
    }
    if dim != 2 || domain.axes().iter().any(|axis| axis.periodic) {
        return false;
    }
    // A slanted line: every point is on it up to rounding.
    let furthest = coordinates.chunks_exact(2).max_by(|a, b| {
        let from_first = |x: &[f64]| domain.distance_squared(x, &coordinates[..2]);
        from_first(a).total_cmp(&from_first(b))
    });
    let along = furthest.map_or([0.0; 2], |x| [x[0] - coordinates[0], x[1] - coordinates[1]]);
    let off = spread(&|x| (x[0] - coordinates[0]) * along[1] - (x[1] - coordinates[1]) * along[0]);
    let slanted = along.iter().all(|extent| extent.abs() > 1e-3 * domain.diameter());
    slanted && off <= 8.0 * f64::EPSILON * domain.diameter().powi(2)
}
