//! What errors of predicted values at the points become once the values are lifted to the whole domain.

use crate::error::{Error, Result};

/// Eq. base-bound with the errors as they are: a prediction v_j at the points of what is truly w(c_j), lifted by the
/// estimator R_N that the points were sampled for, is off by
///
/// ‖R_N v − w‖ ≤ ‖R_N (v − P_N w)‖ + ‖R_N P_N w − w‖ ≤ Λ max_j |v_j − w(c_j)| + ε_disc,
///
/// with Λ = 1 for the signal (Lemma encoder-stability) and the Lebesgue constant for the local linear estimate, and
/// ε_disc the discretization error of w or a bound of it, [`super::Certificate`]. In the paper's form the first term is
/// bounded further, by the errors of autoencoder and latent map; here it is what is measured at the points.
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
