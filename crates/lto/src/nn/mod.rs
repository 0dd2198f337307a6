//! Layers. Spatial tensors are `[batch, channel, n0, n1]`; one-dimensional states have `n0 = 1`.

pub mod coarsen;
pub mod conv;
pub mod coordinates;
pub mod film;
pub mod initial;
pub mod layer_norm;
pub mod mlp;
pub mod normed_linear;
pub mod residual_mlp;
pub mod spectral_conv;
pub mod transformer;
