//! Operators to compare twins with, one file (or folder) each: same trainer, same data, same metric.

pub mod anomaly_persistence;
pub mod climatology;
pub mod course;
pub mod deeponet;
pub mod fno;
pub mod interpolation;
pub mod lno;
pub mod persistence;
pub mod still;
