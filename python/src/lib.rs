//! The native part of the Python package `latent-twin`: classes and functions over the libraries, with NumPy arrays in and
//! out. What it does is documented where Python looks for it: in the docstrings of `lto`.

mod arrays;
mod best_linear;
mod data;
mod detached;
mod error;
mod evaluation;
mod field;
mod files;
mod generation;
mod grid;
mod interrupt;
mod model;
mod observations;
mod picture;
mod sensors;
mod training;

/// Networks make and drop many arrays of megabytes; the system's allocator would fetch fresh pages for each.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The private module `lto._lto`.
#[pyo3::pymodule]
mod _lto {
    #[pymodule_export]
    use super::arrays::floats;
    #[pymodule_export]
    use super::best_linear::BestLinear;
    #[pymodule_export]
    use super::data::{plot_sample, read_dataset, write_arrays};
    #[pymodule_export]
    use super::evaluation::{Evaluations, evaluate};
    #[pymodule_export]
    use super::field::Field;
    #[pymodule_export]
    use super::generation::generate;
    #[pymodule_export]
    use super::grid::Grid;
    #[pymodule_export]
    use super::model::{Evolved, Model, State};
    #[pymodule_export]
    use super::observations::Observations;
    #[pymodule_export]
    use super::picture::Picture;
    #[pymodule_export]
    use super::sensors::{Certificate, Layout, certify, design};
    #[pymodule_export]
    use super::training::{loss_chart, refuse_existing, train};
}
