//! The bound from actual weights over the whole domain, between query points too.

use super::box_bound::Surroundings;
use super::discretization::Estimator;
use super::local_bound::Place;
use super::neighbors::{Near, Neighbors};
use super::regularity::Regularity;
use crate::error::Result;
use crate::geometry::branch::supremum;
use crate::points::Points;
use crate::setconv::SetConv;
use serde::Serialize;
use std::cell::RefCell;

/// Boxes looked at in one round for each point, at most: sixteen along an axis in three dimensions.
const BOXES_PER_POINT: usize = 1 << 12;
/// Boxes looked at in one round, at most.
const MOST_BOXES: usize = 1 << 19;

/// What |û − u| is at most, anywhere in the domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Supremum {
    /// The largest local bound found: that of [`Supremum::at`].
    pub lower: f64,
    /// Rigorous everywhere. `None` where the search did not come to an end: the affine fit may be undetermined
    /// somewhere, or there are too many points for the boxes it would take.
    pub upper: Option<f64>,
    /// Where the largest was found.
    pub at: Vec<f64>,
}

impl Supremum {
    /// Bounds the error of an estimate over the whole domain, by branch and bound: for a box of places the weights at its
    /// center bound those anywhere in it. The search ends when `upper ≤ (1 + tolerance) lower`, or when it takes too many
    /// boxes; then `upper` holds but is further off.
    ///
    /// # Errors
    /// None for sound points.
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
        let place = Place { dim: context.dim(), diameter: domain.diameter(), regularity, setconv };
        let ell = setconv.kernel().length_scale();
        let most = context.len().saturating_mul(BOXES_PER_POINT).min(MOST_BOXES);
        let found = supremum(domain, context.len(), tolerance, most, |cuboid| {
            NEAR.with_borrow_mut(|near| {
                neighbors.gather(&cuboid.center, near);
                let value = place.bound(estimator, near).0.bound;
                let around = Surroundings::new(domain.axes(), near, &cuboid.half, context.len(), ell);
                let most = match estimator {
                    Estimator::NadarayaWatson => around.nadaraya_watson(&place),
                    Estimator::LocalLinear => around.local_linear(&place).unwrap_or(f64::INFINITY),
                };
                (value, most)
            })
        });
        let upper = Some(found.upper).filter(|upper| upper.is_finite());
        Ok(Self { lower: found.lower, upper, at: found.at[..context.dim()].to_vec() })
    }
}
