//! A point cloud as a store of one-dimensional arrays, one a column, so that all files can be listed alike.

use super::PointCloud;
use crate::dataset::format::{
    ArrayInfo, ArrayStore, Attribute, ElementType, Format, array_index, check_slice,
};
use crate::error::Result;
use std::path::{Path, PathBuf};

/// An opened CSV file: its columns of numbers as arrays of shape `[n]`. The file is read once and whole, as
/// text must be.
pub struct CsvStore {
    path: PathBuf,
    cloud: PointCloud,
    arrays: Vec<ArrayInfo>,
}

impl CsvStore {
    /// Reads the file.
    ///
    /// # Errors
    /// As [`PointCloud::read`].
    pub fn open(path: &Path) -> Result<Self> {
        let cloud = PointCloud::read(path)?;
        let info = |(name, role): (&String, &str)| ArrayInfo {
            name: name.clone(),
            shape: vec![cloud.len()],
            element: ElementType::F64,
            storage: role.into(),
        };
        let axes = cloud.axis_names.iter().map(|n| (n, "coordinate column"));
        let times = cloud.times.iter().map(|(n, _)| (n, "time column"));
        let values = cloud.value_names.iter().map(|n| (n, "value column"));
        let arrays = axes.chain(times).chain(values).map(info).collect();
        Ok(CsvStore { path: path.into(), cloud, arrays })
    }

    /// The points.
    pub fn cloud(&self) -> &PointCloud {
        &self.cloud
    }
}

impl ArrayStore for CsvStore {
    fn path(&self) -> &Path {
        &self.path
    }

    fn format(&self) -> Format {
        Format::Csv
    }

    /// Coordinates, the time, values.
    fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    fn attributes(&self) -> &[(String, String, Attribute)] {
        &[]
    }

    fn read(&mut self, array: &str, start: &[usize], count: &[usize]) -> Result<Vec<f64>> {
        check_slice(&self.path, &self.arrays, array, start, count)?;
        let index = array_index(&self.path, &self.arrays, array)?;
        let n_axes = self.cloud.axis_names.len();
        let all: Box<dyn Iterator<Item = f64>> = if index < n_axes {
            Box::new(self.cloud.coordinates.iter().skip(index).step_by(n_axes).copied())
        } else {
            let times = self.cloud.times.iter().map(|(_, times)| times);
            let mut columns = times.chain(&self.cloud.values);
            Box::new(columns.nth(index - n_axes).into_iter().flatten().copied())
        };
        Ok(all.skip(start[0]).take(count[0]).collect())
    }
}
