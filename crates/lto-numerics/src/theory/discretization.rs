//! The discretization error by its definition, the two parts the theorem splits it into, and what it adds to
//! the errors of predictions at the points.

use super::integral::gauss_legendre;
use crate::domain::{Axis, Domain};
use crate::error::{Error, Result};
use crate::kernel::Gaussian;
use crate::points::Points;
use crate::setconv::SetConv;
use serde::Serialize;

/// How values are estimated between the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// ν/ρ, the signal of the set convolution, which the paper's theorem is about.
    NadarayaWatson,
    /// The local linear estimate.
    LocalLinear,
}

impl Estimator {
    /// All estimators, for help texts and tests.
    pub const ALL: [Estimator; 2] = [Estimator::NadarayaWatson, Estimator::LocalLinear];

    /// Name as written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::NadarayaWatson => "nadaraya_watson",
            Estimator::LocalLinear => "local_linear",
        }
    }

    /// The estimates at the query points, `[p, M]`.
    ///
    /// # Errors
    /// As [`SetConv::apply`].
    pub fn apply(
        self,
        setconv: &SetConv,
        context: &Points,
        values: &[f64],
        query: &Points,
    ) -> Result<Vec<f64>> {
        Ok(match self {
            Estimator::NadarayaWatson => setconv.apply(context, values, query)?.signal,
            Estimator::LocalLinear => setconv.local_linear(context, values, query)?.signal,
        })
    }
}

/// ε_disc(N) = sup over u of ‖R_N(P_N u) − u‖_∞ by its definition, over the given states, with the supremum
/// over x taken over the query points.
///
/// # Errors
/// No states, or as [`SetConv::apply`].
pub fn discretization_error(
    estimator: Estimator,
    setconv: &SetConv,
    context: &Points,
    query: &Points,
    states: &[impl Fn(&[f64]) -> f64],
) -> Result<f64> {
    let sample = |points: &Points| {
        let coordinates = points.coordinates();
        let of = |u: &_| -> Vec<f64> { coordinates.chunks_exact(points.dim()).map(u).collect() };
        states.iter().flat_map(of).collect::<Vec<f64>>()
    };
    let estimate = estimator.apply(setconv, context, &sample(context), query)?;
    let differences = estimate.iter().zip(sample(query)).map(|(a, b)| (a - b).abs());
    Ok(differences.fold(0.0, f64::max))
}

/// ū_ℓ(x) = ∫ u κ_ℓ(x, ·) / κ̄(x), the estimate from infinitely many points, by a Gaussian rule with 48 nodes
/// along each axis. û − ū_ℓ is the quadrature error.
pub fn smoothed(domain: &Domain, kernel: &Gaussian, u: impl Fn(&[f64]) -> f64, point: &[f64]) -> f64 {
    let ell = kernel.length_scale();
    let nodes = |(axis, &x): (&Axis, &f64)| -> Vec<(f64, f64)> {
        let half = 0.5 * axis.length();
        // Beyond nine length scales nothing is left.
        let reach = |room: f64| room.min(9.0 * ell);
        let (lower, upper) = if axis.periodic {
            (x - reach(half), x + reach(half))
        } else {
            (x - reach(x - axis.lower), x + reach(axis.upper - x))
        };
        gauss_legendre(lower, upper).map(|(y, w)| (y, w * kernel.value((y - x).powi(2)))).collect()
    };
    let rules: Vec<_> = domain.axes().iter().zip(point).map(nodes).collect();
    let (mut sum, mut mass) = (0.0, 0.0);
    let mut place = vec![0.0; rules.len()];
    for index in 0..rules.iter().map(Vec::len).product() {
        let mut rest: usize = index;
        let mut weight = 1.0;
        for (rule, y) in rules.iter().zip(&mut place) {
            let (node, w) = rule[rest % rule.len()];
            rest /= rule.len();
            *y = node;
            weight *= w;
        }
        sum += weight * u(&place);
        mass += weight;
    }
    sum / mass
}

/// |ū_ℓ(x) − u(x)|; at most ½DMℓ² if all axes are periodic (Eq. bias-bound). `u` is evaluated beyond the
/// bounds of periodic axes.
pub fn smoothing_bias(domain: &Domain, kernel: &Gaussian, u: impl Fn(&[f64]) -> f64, point: &[f64]) -> f64 {
    (smoothed(domain, kernel, &u, point) - u(point)).abs()
}

/// Eq. base-bound with measured errors: predictions v_j of the true values w(c_j) at the points, lifted by
/// the estimator R_N, are off by
///
/// ‖R_N v − w‖ ≤ ‖R_N (v − P_N w)‖ + ‖R_N P_N w − w‖ ≤ Λ max_j |v_j − w(c_j)| + ε_disc,
///
/// with Λ = 1 for the signal (Lemma encoder-stability) and the Lebesgue constant for the local linear
/// estimate, and ε_disc the discretization error of w or a bound on it, [`super::Certificate`]. The paper
/// bounds the first term further, by the errors of autoencoder and latent map; here it is measured at the
/// points.
///
/// # Errors
/// Different numbers of predicted and true values.
pub fn lifted_bound(
    predicted: &[f64],
    truth: &[f64],
    lebesgue: f64,
    discretization_error: f64,
) -> Result<f64> {
    if predicted.len() != truth.len() {
        let what = "number of predicted values (as many as true ones)".into();
        return Err(Error::Mismatch { what, expected: truth.len(), got: predicted.len() });
    }
    let errors = predicted.iter().zip(truth).map(|(v, w)| (v - w).abs());
    Ok(lebesgue * errors.fold(0.0, f64::max) + discretization_error)
}
