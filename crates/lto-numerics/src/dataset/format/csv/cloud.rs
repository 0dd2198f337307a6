//! Reading a point cloud line by line.

use super::columns::{Column, Role, columns, delimiter, finite, is_missing};
use super::lines::{Lines, fields};
use crate::dataset::format::require_file;
use crate::dataset::format::strided::file_error;
use crate::error::{Error, Result};
use std::fs::File;
use std::path::Path;

/// A value that the file does not have: a sensor that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Index of the value column.
    pub value: usize,
    /// Index of the point.
    pub point: usize,
    /// Line of the file, counted from 1.
    pub line: u64,
}

/// Scattered points with values: the content of a CSV file.
///
/// Columns named `x`, `y`, `z`, `lat`, `lon`, `latitude`, `longitude` are coordinates, `t` or `time` is the
/// time, in any case of letters; all other columns of numbers are values. The delimiter is a comma, a semicolon
/// or a tab; lines that begin with `#` are comments.
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
    /// Values `[value][n]`; NaN where [`PointCloud::missing`] says so and nowhere else.
    pub values: Vec<Vec<f64>>,
    /// Names of columns of text, which were not read.
    pub text_names: Vec<String>,
    missing: Vec<Missing>,
}

impl PointCloud {
    /// Reads a file.
    ///
    /// # Errors
    /// An unreadable file; a header without coordinates; a field that is not a finite number, named by line,
    /// column and text. A value (not a coordinate or time) may be empty, `NaN`, `NA` or `null`.
    pub fn read(path: &Path) -> Result<PointCloud> {
        let io = |source| file_error(path, None, source);
        let corrupt = |problem| Error::Corrupt { path: path.into(), array: None, position: None, problem };
        require_file(path)?;
        let mut lines = Lines::new(File::open(path).map_err(io)?);
        let Some((_, header)) = lines.next().map_err(io)? else {
            return Err(corrupt("the file is empty".into()));
        };
        let delimiter = delimiter(header);
        let mut columns = columns(fields(header, delimiter)).map_err(corrupt)?;
        let mut cloud = PointCloud::default();
        while let Some((number, line)) = lines.next().map_err(io)? {
            if cloud.axis_names.is_empty() {
                cloud.begin(&mut columns, fields(line, delimiter));
            }
            cloud.push(&columns, line, number, delimiter).map_err(corrupt)?;
        }
        if cloud.is_empty() {
            return Err(corrupt("a header line, but no points follow".into()));
        }
        Ok(cloud)
    }

    /// Number of points n.
    pub fn len(&self) -> usize {
        self.coordinates.len().checked_div(self.axis_names.len()).unwrap_or(0)
    }

    /// Is there no point?
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The values the file does not have, in the file's order.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// The first line of data decides which columns are text; then all names are known.
    fn begin<'a>(&mut self, columns: &mut [Column], fields: impl Iterator<Item = &'a [u8]>) {
        for (column, field) in columns.iter_mut().zip(fields) {
            if column.role == Role::Value && !is_missing(field) && !number_like(field) {
                column.role = Role::Text;
            }
            let name = column.name.clone();
            match column.role {
                Role::Axis => self.axis_names.push(name),
                Role::Time => self.times = Some((name, Vec::new())),
                Role::Value => {
                    self.value_names.push(name);
                    self.values.push(Vec::new());
                }
                Role::Text => self.text_names.push(name),
            }
        }
    }

    fn push(&mut self, columns: &[Column], line: &[u8], number: u64, delimiter: u8) -> Result<(), String> {
        let point = self.len();
        let mut value = 0;
        let mut fields = fields(line, delimiter);
        for (i, column) in columns.iter().enumerate() {
            let field = fields.next().ok_or_else(|| wrong_count(number, i, columns.len()))?;
            let finite = || finite(field).ok_or_else(|| complaint(number, column, field, delimiter));
            match column.role {
                Role::Axis => self.coordinates.push(finite()?),
                Role::Time => {
                    if let Some((_, times)) = &mut self.times {
                        times.push(finite()?);
                    }
                }
                Role::Value => {
                    let entry = if is_missing(field) {
                        self.missing.push(Missing { value, point, line: number });
                        f64::NAN
                    } else {
                        finite()?
                    };
                    self.values[value].push(entry);
                    value += 1;
                }
                Role::Text => {}
            }
        }
        match fields.count() {
            0 => Ok(()),
            more => Err(wrong_count(number, columns.len() + more, columns.len())),
        }
    }
}

fn wrong_count(line: u64, got: usize, expected: usize) -> String {
    format!("line {line} has {got} fields, but the header names {expected}")
}

/// Does a field look like a number at all? One that is infinite or has a decimal comma does.
fn number_like(field: &[u8]) -> bool {
    let text = String::from_utf8_lossy(field).replace(',', ".");
    text.parse::<f64>().is_ok()
}

fn complaint(line: u64, column: &Column, field: &[u8], delimiter: u8) -> String {
    let text: String = String::from_utf8_lossy(field).chars().take(40).collect();
    let decimal_comma = delimiter != b',' && number_like(field) && field.contains(&b',');
    let hint = if decimal_comma { "; write a decimal point, not a comma" } else { "" };
    format!("line {line}, column {}: {text:?} is not a finite number{hint}", column.name)
}
