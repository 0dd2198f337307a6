//! PDE data in files: formats (how bytes become arrays), layouts (what the arrays mean), and lazy datasets on
//! top of both.

mod axes;
pub mod format;
pub mod write;
mod gather;
pub mod info;
pub mod layout;
pub mod options;
mod reader;
#[cfg(test)]
pub(crate) mod testing;

pub use info::{DatasetInfo, DatasetKind, FinerResolution, GridInfo};
pub use layout::LayoutKind;
pub use options::{DomainOption, GridOption, OpenOptions, PeriodicOption};
pub use reader::Dataset;
