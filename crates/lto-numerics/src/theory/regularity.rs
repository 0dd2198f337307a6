//! What is known about the states: bounds on curvature, gradient and range, and where each comes from.

use super::estimate;
use crate::domain::{Axis, Domain};
use crate::error::{Error, Result};
use crate::field::Field;
use serde::Serialize;

/// Where a bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundOrigin {
    /// Given, and trusted.
    Given,
    /// Follows from given bounds.
    Derived,
    /// From data: what rests on it is an estimate, not a certificate.
    Estimated,
}

/// Bounds that hold for every state u of the set 𝒦 (Assumption assum:reg (a) and what follows from it).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regularity {
    /// M: the largest second derivative along any unit direction, anywhere.
    pub curvature_bound: f64,
    /// G: the largest slope |∇u|; infinite if not known.
    pub gradient_bound: f64,
    /// The largest sup u − inf u; infinite if not known.
    pub oscillation: f64,
    /// The largest |u|, if known. It matters for the density floor and for rounding.
    pub sup_bound: Option<f64>,
    /// Where M comes from; with [`BoundOrigin::Estimated`] nothing here is certain.
    pub origin: BoundOrigin,
    /// Where G comes from.
    pub gradient_origin: BoundOrigin,
}

/// [`Regularity::new`] or [`Regularity::of_any_range`]: bounds on a domain from M, sup|u| and G.
pub type RegularityOf = fn(&Domain, f64, Option<f64>, Option<f64>) -> Result<Regularity>;

impl Regularity {
    /// Bounds from M and, if known, sup|u| and G. The others are derived:
    ///
    /// on periodic axes of length L_d, since ∂u/∂x_d is M-Lipschitz with mean zero, |∂u/∂x_d| ≤ M L_d/4 and
    /// sup u − inf u ≤ M ΣL_d²/16, so M alone suffices; if all axes are periodic, |∇u| ≤ √(M (sup u − inf u))
    /// by Landau's inequality on lines; on an interval, |∂u/∂x_d| ≤ (sup u − inf u)/h + M h/2 for every h ≤
    /// L_d.
    ///
    /// # Errors
    /// A bound that is not positive and finite, or so large that the derived ones are not; or an axis that is
    /// not periodic when neither sup|u| nor G is given.
    pub fn new(domain: &Domain, curvature: f64, sup: Option<f64>, gradient: Option<f64>) -> Result<Self> {
        positive("curvature", curvature)?;
        for (name, bound) in [("sup", sup), ("gradient", gradient)] {
            if let Some(bound) = bound {
                positive(name, bound)?;
            }
        }
        let squares: f64 = domain.axes().iter().map(|axis| axis.extent().powi(2)).sum();
        let of_curvature = domain.is_periodic().then_some(curvature * squares / 16.0);
        let of_gradient = gradient.map(|g| g * domain.diameter());
        let ranges = [sup.map(|u| 2.0 * u), of_gradient, of_curvature];
        let Some(oscillation) = ranges.into_iter().flatten().reduce(f64::min) else {
            let requirement = "must be given (or a gradient bound) if an axis is not periodic";
            return Err(Error::Parameter { name: "sup", value: "none".into(), requirement });
        };
        let derived = derived_gradient(domain, curvature, oscillation);
        if !oscillation.is_finite() || !derived.is_finite() {
            let given = [("sup", sup), ("gradient", gradient), ("curvature", Some(curvature))];
            let size = |&(_, bound): &(_, Option<f64>)| bound.unwrap_or(0.0);
            let (name, bound) =
                given.into_iter().max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(given[2]);
            let requirement = "is too large: the bounds that follow from it are not finite";
            return Err(Error::Parameter {
                name,
                value: bound.unwrap_or(curvature).to_string(),
                requirement,
            });
        }
        let given = gradient.filter(|&g| g <= derived);
        Ok(Self {
            curvature_bound: curvature,
            gradient_bound: given.unwrap_or(derived),
            oscillation,
            sup_bound: sup,
            origin: BoundOrigin::Given,
            gradient_origin: if given.is_some() { BoundOrigin::Given } else { BoundOrigin::Derived },
        })
    }

    /// As [`Regularity::new`], but nothing need bound the range: on an open axis, states of which M alone is known may be as steep
    /// as they like. What averages their values then has no bound; what reproduces affine functions has.
    ///
    /// # Errors
    /// A bound that is not positive and finite, or so large that the derived ones are not.
    pub fn of_any_range(
        domain: &Domain,
        curvature: f64,
        sup: Option<f64>,
        gradient: Option<f64>,
    ) -> Result<Self> {
        if sup.or(gradient).is_some() || domain.is_periodic() {
            return Self::new(domain, curvature, sup, gradient);
        }
        positive("curvature", curvature)?;
        Ok(Self {
            curvature_bound: curvature,
            gradient_bound: f64::INFINITY,
            oscillation: f64::INFINITY,
            sup_bound: None,
            origin: BoundOrigin::Given,
            gradient_origin: BoundOrigin::Derived,
        })
    }

    /// Whether anything bounds the range of the states.
    pub fn bounds_range(&self) -> bool {
        self.oscillation.is_finite()
    }

    /// Bounds from states on grids, by differences of neighbors. They are estimates, too small if the states
    /// vary between grid points. The curvature is the Frobenius norm of the Hessian, which is at least the
    /// operator norm.
    ///
    /// # Errors
    /// No field, a value that is not finite, fewer than three points along an axis, or constant fields.
    pub fn estimate(fields: &[Field]) -> Result<Self> {
        let found = estimate::extremes(fields)?;
        positive("curvature_bound estimated from the data", found.curvature)?;
        Ok(Self {
            curvature_bound: found.curvature,
            gradient_bound: found.gradient,
            oscillation: found.oscillation,
            sup_bound: Some(found.sup),
            origin: BoundOrigin::Estimated,
            gradient_origin: BoundOrigin::Estimated,
        })
    }
}

/// A bound after its cap and losses are applied.
impl Regularity {
    /// A bound on |û − u| for a mean of values, including the cost of the floor and rounding.
    pub(super) fn limited(&self, bound: f64, relative_loss: f64) -> f64 {
        bound.min(self.oscillation) + self.lost(relative_loss)
    }

    /// `relative_loss` times sup|u|; zero if sup|u| is not known. Then the bound is for û = ν/ρ without a
    /// floor and in exact arithmetic, and whoever knows sup|u| adds the loss.
    pub(super) fn lost(&self, relative_loss: f64) -> f64 {
        self.sup_bound.map_or(0.0, |sup| relative_loss * sup)
    }
}

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Parameter { name, value: value.to_string(), requirement: "must be positive and finite" })
}

fn derived_gradient(domain: &Domain, curvature: f64, oscillation: f64) -> f64 {
    let landau = (curvature * oscillation).sqrt();
    let along = |axis: &Axis| {
        if axis.periodic {
            return landau.min(0.25 * curvature * axis.extent());
        }
        let h = axis.extent().min((2.0 * oscillation / curvature).sqrt());
        oscillation / h + 0.5 * curvature * h
    };
    let by_axes = domain.axes().iter().map(|axis| along(axis).powi(2)).sum::<f64>().sqrt();
    if domain.is_periodic() { by_axes.min(landau) } else { by_axes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// u' is a triangle wave of slopes ±M: the worst case, where the derived bounds are equalities.
    #[test]
    fn on_a_circle_the_curvature_bounds_slope_and_range_sharply() {
        let (length, curvature) = (2.0, 3.0);
        let domain = Domain::new(vec![Axis::new("x", 0.0, length, true)]).unwrap();
        let bounds = Regularity::new(&domain, curvature, None, None).unwrap();
        assert!((bounds.gradient_bound - curvature * length / 4.0).abs() < 1e-15);
        // Integrate u' from its zero at 0 over the half period where it is positive.
        let n = 10_000;
        let slope = |x: f64| curvature * if x < length / 4.0 { x } else { length / 2.0 - x };
        let steps = (0..n).map(|i| slope((f64::from(i) + 0.5) * length / 2.0 / f64::from(n)));
        let range: f64 = steps.sum::<f64>() * length / 2.0 / f64::from(n);
        assert!((bounds.oscillation - range).abs() < 1e-6);
    }

    #[test]
    fn derived_bounds_hold_for_waves() {
        let line = |periodic| Domain::unit(1, periodic).unwrap();
        for (frequency, amplitude) in [(1.0, 1.0), (3.0, 0.2)] {
            let slope: f64 = amplitude * TAU * frequency;
            let curvature = slope * TAU * frequency;
            let circle = Regularity::new(&line(true), curvature, Some(amplitude), None).unwrap();
            let interval = Regularity::new(&line(false), curvature, Some(amplitude), None).unwrap();
            assert!(circle.oscillation >= 2.0 * amplitude * (1.0 - 1e-15));
            assert!(circle.gradient_bound >= slope && circle.gradient_bound <= 1.6 * slope);
            assert!(interval.gradient_bound >= slope && interval.gradient_bound <= 2.01 * slope);
            assert_eq!(circle.gradient_origin, BoundOrigin::Derived);
            let known = Regularity::new(&line(false), curvature, None, Some(slope)).unwrap();
            assert_eq!((known.gradient_bound, known.gradient_origin), (slope, BoundOrigin::Given));
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let interval = Domain::unit(1, false).unwrap();
        for (m, sup, gradient, name) in [
            (0.0, Some(1.0), None, "curvature = 0: must"),
            (f64::NAN, Some(1.0), None, "curvature = NaN: must"),
            (1.0, Some(-1.0), None, "sup = -1: must"),
            (1.0, Some(1.0), Some(f64::INFINITY), "gradient = inf: must"),
            (1.0, None, None, "sup = none: must be given"),
            (1.0, Some(1.5e308), None, "sup = 15"),
            (1.5e308, Some(2.0), None, "curvature = 15"),
        ] {
            let message = Regularity::new(&interval, m, sup, gradient).unwrap_err().to_string();
            assert!(message.starts_with(name), "{message}");
            assert_eq!(message.contains("too large"), name.ends_with("= 15"), "{message}");
        }
    }
}
