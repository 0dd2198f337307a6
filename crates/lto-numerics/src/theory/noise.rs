//! What noise on the observed values adds to the error of an estimate.

use super::affine_fit::AffineFit;
use super::discretization::Estimator;
use super::neighbors::{Near, Neighbors, Sums, dot};
use crate::error::{Error, Result};
use crate::points::Points;
use crate::setconv::{DETERMINED, SetConv};
use rayon::prelude::*;

/// The noise of an estimate û(x) = Σ w_j (u_j + e_j) at one place: Σ w_j e_j, for e_j of size σ_j.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalNoise {
    /// Σ |w_j| σ_j: the most it can be if |e_j| ≤ σ_j.
    pub worst: f64,
    /// √(Σ w_j² σ_j²): its standard deviation if the e_j are independent with mean zero and deviation σ_j.
    pub deviation: f64,
}

impl LocalNoise {
    /// The noise at every query point, from the actual weights. Bounds on |û − u| without noise grow by at most
    /// [`worst`](Self::worst). The signal's weights sum to at most one, so there it is at most max σ_j, everywhere.
    ///
    /// # Errors
    /// A query in another domain, or not one deviation for each point.
    pub fn at(
        setconv: &SetConv,
        estimator: Estimator,
        context: &Points,
        deviations: &[f64],
        query: &Points,
    ) -> Result<Vec<Self>> {
        if !context.domain().same_place(query.domain()) {
            let text = |points: &Points| points.domain().to_string();
            return Err(Error::DomainMismatch { context: text(context), query: text(query) });
        }
        if deviations.len() != context.len() {
            let what = "number of deviations of the sensors".into();
            return Err(Error::Mismatch { what, expected: context.len(), got: deviations.len() });
        }
        let neighbors = Neighbors::new(context, *setconv.kernel());
        let (coordinates, dim) = (query.coordinates(), query.dim());
        let at = |near: &mut Near, x: &[f64]| {
            let mut position = [0.0; 3];
            position[..dim].copy_from_slice(x);
            neighbors.gather(&position, near);
            let sums = Sums::of(near.points());
            let fit = match estimator {
                Estimator::NadarayaWatson => None,
                Estimator::LocalLinear => AffineFit::new(DETERMINED, dim, &sums),
            };
            let (mut worst, mut square) = (0.0, 0.0);
            for ((displacement, kernel), &j) in near.points().zip(&near.indices) {
                // As in the bounds: w_j = κ_j / ρ, times 1 + bᵀ(m − d_j) for an affine fit.
                let tilt =
                    fit.as_ref().map_or(0.0, |fit| dot(&fit.tilt, &fit.mean) - dot(&fit.tilt, displacement));
                let weight = kernel / sums.density * (1.0 + tilt);
                worst += weight.abs() * deviations[j];
                square += (weight * deviations[j]).powi(2);
            }
            Self { worst, deviation: square.sqrt() }
        };
        Ok(coordinates.par_chunks_exact(dim).map_init(Near::default, at).collect())
    }
}
