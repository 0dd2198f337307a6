//! Encoders: a context of any size and placement becomes a latent state on the fixed grid.

pub mod attention;
pub mod density;
pub mod setconv;

pub use density::Density;
