//! What theory says about errors, and what measurements say of it.

pub mod rate_fit;

pub use rate_fit::RateFit;
