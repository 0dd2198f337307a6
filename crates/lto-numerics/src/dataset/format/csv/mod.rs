//! CSV: one point per line, with a header line that names the columns. A file is parsed once, into a
//! [`Table`], from which a [`PointCloud`] and a [`CsvStore`] are built.

mod cloud;
pub(crate) mod lines;
mod table;

pub use cloud::{Missing, PointCloud};
pub use table::{Column, ColumnRole, Table};

use super::detect::{Start, resemblance};
use super::{ArrayInfo, ArrayStore, Attribute, ElementType, Format, check_slice};
use crate::error::Result;
use std::io;
use std::path::{Path, PathBuf};

/// By its suffix, where it is text and does not look like something else.
pub(super) fn recognizes(start: &mut Start) -> io::Result<bool> {
    let named = matches!(&start.suffix[..], "csv" | "tsv" | "txt");
    Ok(named && !start.bytes.contains(&0) && resemblance(start).is_none())
}

/// An opened CSV file: its columns of numbers as arrays of shape `[n]`, so that all files can be listed alike. Text must
/// be read whole, so it is, once.
pub struct CsvStore {
    path: PathBuf,
    table: Table,
    arrays: Vec<ArrayInfo>,
}

impl CsvStore {
    /// Reads the file.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn open(path: &Path) -> Result<Self> {
        let table = Table::read(path)?;
        let mut numbers: Vec<&Column> =
            table.columns.iter().filter(|column| column.role != ColumnRole::Text).collect();
        numbers.sort_by_key(|column| column.role);
        let info = |column: &Column| ArrayInfo {
            name: column.name.clone(),
            shape: vec![table.len()],
            element: ElementType::F64,
            storage: column.role.description().into(),
        };
        let arrays = numbers.into_iter().map(info).collect();
        Ok(Self { path: path.into(), table, arrays })
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
        let column = self.table.columns.iter().find(|column| column.name == array);
        let values = column.map_or(&[][..], |column| &column.values);
        Ok(values[start[0]..start[0] + count[0]].to_vec())
    }

    fn table(&self) -> Option<&Table> {
        Some(&self.table)
    }
}
