//! CSV point clouds: one line a point, with a header line that names the columns.

mod cloud;
mod columns;
mod lines;
mod store;

pub use cloud::{Missing, PointCloud};
pub use store::CsvStore;
