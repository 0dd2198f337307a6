//! PDE data in files: formats (how bytes become arrays), layouts (what the arrays mean), and lazy datasets on
//! top of both.

mod axes;
pub mod context;
pub mod drawn_sensors;
pub mod format;
mod gather;
pub mod info;
pub mod inspection;
pub mod layout;
pub mod mask;
pub(crate) mod moments;
pub mod normalizer;
pub mod options;
mod reader;
pub mod readings;
pub mod split;
pub mod summary;
#[cfg(test)]
pub(crate) mod testing;
pub mod write;

pub use context::{Context, ContextDesign, ContextSampler};
pub use drawn_sensors::{DrawnSensors, SensorDraw, SensorPlacement};
pub use info::{DatasetInfo, DatasetKind, FinerResolution, GridInfo};
pub use inspection::Inspection;
pub use layout::LayoutKind;
pub use mask::Mask;
pub use normalizer::{Normalizer, NormalizerFit};
pub use options::{DomainOption, GridOption, OpenOptions, PeriodicOption};
pub use reader::Dataset;
pub use readings::{Columns, PointFile, Readings};
pub use split::Split;
pub use summary::DatasetSummary;
