//! How good a model is, in plain numbers.

pub mod context_sweep;
pub mod statistics;
