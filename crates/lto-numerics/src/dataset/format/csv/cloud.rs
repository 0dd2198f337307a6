//! Scattered points with values, built from a table.

use super::{Column, ColumnRole, Table};
use crate::error::Result;
use std::path::Path;

/// A missing value: a sensor that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Index of the value column.
    pub value: usize,
    /// Index of the point.
    pub point: usize,
    /// Line of the file, counted from 1.
    pub line: u64,
}

/// Scattered points with values: the content of a CSV file, with coordinates, time and values by name (see
/// [`ColumnRole`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointCloud {
    /// Names of the coordinates, in the file's order.
    pub axis_names: Vec<String>,
    /// Coordinates, row-major `[n, D]`; all finite.
    pub coordinates: Vec<f64>,
    /// Name and entries `[n]` of the time column, all finite, if there is one.
    pub times: Option<(String, Vec<f64>)>,
    /// Names of the values, in the file's order.
    pub value_names: Vec<String>,
    /// Values `[value][n]`; NaN if missing.
    pub values: Vec<Vec<f64>>,
    /// Names of text columns, which were not read.
    pub text_names: Vec<String>,
    /// Line of each point in the file, counted from 1.
    pub lines: Vec<u64>,
}

impl PointCloud {
    /// Reads a file.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn read(path: &Path) -> Result<Self> {
        Ok(Self::from(&Table::read(path)?))
    }

    /// Number of points n.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The missing values, in file order.
    pub fn missing(&self) -> Vec<Missing> {
        let at = |point: usize| {
            let absent = self.values.iter().enumerate().filter(move |(_, column)| column[point].is_nan());
            absent.map(move |(value, _)| Missing { value, point, line: self.lines[point] })
        };
        (0..self.len()).flat_map(at).collect()
    }
}

impl From<&Table> for PointCloud {
    fn from(table: &Table) -> Self {
        let columns = |role| table.columns_of(role);
        let names = |role| columns(role).map(|column| column.name.clone()).collect();
        let row = |i: usize| columns(ColumnRole::Axis).map(move |column| column.values[i]);
        let time = |column: &Column| (column.name.clone(), column.values.clone());
        Self {
            axis_names: names(ColumnRole::Axis),
            coordinates: (0..table.len()).flat_map(row).collect(),
            times: columns(ColumnRole::Time).next().map(time),
            value_names: names(ColumnRole::Value),
            values: columns(ColumnRole::Value).map(|column| column.values.clone()).collect(),
            text_names: names(ColumnRole::Text),
            lines: table.lines.clone(),
        }
    }
}
