//! The Latent Twin Operator: observations at any points → set convolution onto a fixed grid → latent state →
//! latent evolution directly from time s to time t → decoding at any query points. The same weights serve
//! every resolution.

pub mod band;
pub mod baseline;
pub mod bench;
pub mod calibrate;
pub mod course;
pub mod cpu_time;
pub mod data;
pub mod demo;
pub mod description;
pub mod device;
pub mod error;
pub mod evaluate;
pub mod experiment;
pub mod forecast;
pub mod import;
pub mod interpolate;
pub mod kernel;
pub mod loss;
pub mod model;
pub mod nn;
pub mod observations;
pub mod operator;
pub mod optim;
pub mod parameters;
pub mod peak_memory;
pub mod problem;
pub mod reproduce;
pub mod size;
pub mod train;
pub mod twin;
pub mod weights;

pub use device::Device;
pub use error::{Error, Result};
pub use model::Model;

/// The examples of the README are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
