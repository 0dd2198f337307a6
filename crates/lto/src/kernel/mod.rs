//! Hand-written CPU kernels as Burn operations, one per file, each with a stock equivalent for other devices.

pub mod activation;
pub mod advect;
pub mod affine;
pub mod clock;
pub mod conv;
mod dots;
pub mod factorized;
pub mod gaussian;
pub mod interpolate;
pub mod latent_attention;
pub mod log_scale;
pub mod mlp;
pub mod modulate;
mod operation;
pub mod places;
pub mod pointwise;
mod scratch;
pub mod set_convolution;
mod simd;
pub mod spectral;
mod spline;
#[cfg(test)]
pub mod testing;
mod tile;
pub mod transfer;
pub mod transport;
mod vector_math;
