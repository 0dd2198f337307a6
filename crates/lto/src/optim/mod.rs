//! The optimizer, on flat host vectors: one pass over all parameters, the same bits on every run; and the same by stock
//! operations on other devices.

pub mod adamw;
pub mod ema;
pub mod on_device;
pub mod schedule;
