//! The optimizer, on flat host vectors: one pass over all parameters, the same bits on every run.

pub mod adamw;
pub mod ema;
pub mod schedule;
