//! Operators to compare twins with, one file (or folder) each: same trainer, same data, same metric.

pub mod anomaly_persistence;
pub mod climatology;
pub mod course;
pub mod deeponet;
pub mod f_fno;
pub mod fno;
pub mod interpolation;
pub mod lno;
pub mod modes;
pub mod persistence;
pub mod still;
mod whole_grid;
