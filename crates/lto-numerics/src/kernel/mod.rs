//! The Gaussian kernel κ_ℓ of the set convolution, in single and double precision. Nothing else is a kernel here: that
//! the weights factorize over the axes, their slope in log ℓ and every constant of [`crate::theory`] are the Gaussian's.

pub(crate) mod exp;
mod gaussian;
mod real;

pub use exp::{EXP_COEFFICIENTS, exp_nonpositive_f32};
pub use gaussian::Gaussian;
pub use real::Real;
