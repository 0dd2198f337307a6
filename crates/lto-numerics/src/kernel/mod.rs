//! The Gaussian kernel κ_ℓ of the set convolution, in single and double precision. It is the only kernel: the
//! factorization over the axes, the slope in log ℓ and every constant of [`crate::theory`] are the
//! Gaussian's.

pub(crate) mod exp;
mod gaussian;
mod real;

pub use exp::{EXP_COEFFICIENTS, exp_nonpositive_f32};
pub use gaussian::Gaussian;
pub use real::Real;
