//! The numerical foundation of the Latent Twin Operator: where values live (domains, points, grids, fields),
//! the set convolution that carries scattered observations onto a grid, the theory of its error, PDE solvers
//! that generate data, and readers and writers for PDE data files. Plain `f64`; no tensors, no gradients.

pub mod calendar;
pub mod dataset;
pub mod design;
pub mod domain;
pub mod error;
pub mod field;
#[cfg(feature = "clap")]
pub mod flags;
pub mod generate;
pub mod geography;
pub mod geometry;
pub mod grid;
pub mod kernel;
pub mod kriging;
mod lines;
pub mod matrix;
pub mod memory;
pub mod metric;
pub mod pde;
mod point_tree;
pub mod points;
pub mod ranks;
pub mod records;
pub mod resample;
pub mod sample;
pub mod setconv;
pub mod study;
pub mod symmetry;
#[cfg(test)]
mod testing;
pub mod theory;

pub use design::PointDesign;
pub use domain::{Axis, Domain};
pub use error::{Error, Result};
pub use field::{Field, Trajectory};
pub use grid::{Grid, Placement};
pub use points::{PointStructure, Points};
pub use sample::Sample;
pub use setconv::SetConv;
pub use symmetry::{Isometry, Symmetry};
