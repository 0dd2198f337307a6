//! Reading a point cloud line by line.

use super::columns::{Column, Role, columns, delimiter, is_missing, number};
use crate::error::{Error, Result};
use ::csv::{ByteRecord, ReaderBuilder};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// A longer first line belongs to no CSV file.
const HEADER_LIMIT: u64 = 1 << 16;

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
        let io = |source| Error::Io { path: path.into(), source };
        let corrupt = |problem| Error::Corrupt { path: path.into(), array: None, position: None, problem };
        let header = first_line(File::open(path).map_err(io)?).map_err(io)?;
        if header.len() as u64 >= HEADER_LIMIT {
            return Err(corrupt("its first line is too long for a CSV file".into()));
        }
        let delimiter = delimiter(&header);
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .comment(Some(b'#'))
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_path(path)
            .map_err(|e| corrupt(e.to_string()))?;

        let mut record = ByteRecord::new();
        let mut columns_of_file: Option<Vec<Column>> = None;
        let mut cloud = PointCloud::default();
        while reader.read_byte_record(&mut record).map_err(|e| corrupt(e.to_string()))? {
            let line = record.position().map_or(0, ::csv::Position::line);
            match &mut columns_of_file {
                None => columns_of_file = Some(columns(record.iter()).map_err(corrupt)?),
                Some(columns) => {
                    if record.len() != columns.len() {
                        let (got, expected) = (record.len(), columns.len());
                        return Err(corrupt(format!(
                            "line {line} has {got} fields, but the header names {expected}"
                        )));
                    }
                    if cloud.axis_names.is_empty() {
                        cloud.begin(columns, &record);
                    }
                    cloud.push(columns, &record, line, delimiter).map_err(corrupt)?;
                }
            }
        }
        match columns_of_file {
            None => Err(corrupt("the file is empty".into())),
            Some(_) if cloud.is_empty() => Err(corrupt("a header line, but no points follow".into())),
            Some(_) => Ok(cloud),
        }
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
    fn begin(&mut self, columns: &mut [Column], record: &ByteRecord) {
        for (column, field) in columns.iter_mut().zip(record) {
            let field = field.trim_ascii();
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

    fn push(
        &mut self,
        columns: &[Column],
        record: &ByteRecord,
        line: u64,
        delimiter: u8,
    ) -> Result<(), String> {
        let point = self.len();
        let mut value = 0;
        for (column, field) in columns.iter().zip(record) {
            let field = field.trim_ascii();
            let finite = || number(field).ok_or_else(|| complaint(line, column, field, delimiter));
            match column.role {
                Role::Axis => self.coordinates.push(finite()?),
                Role::Time => {
                    if let Some((_, times)) = &mut self.times {
                        times.push(finite()?);
                    }
                }
                Role::Value => {
                    let entry = if is_missing(field) {
                        self.missing.push(Missing { value, point, line });
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
        Ok(())
    }
}

/// The first line that is neither empty nor a comment, at most [`HEADER_LIMIT`] bytes of it.
fn first_line(file: File) -> std::io::Result<Vec<u8>> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let n = reader.by_ref().take(HEADER_LIMIT).read_until(b'\n', &mut line)?;
        let text = line.trim_ascii();
        if n == 0 || !(text.is_empty() || text.starts_with(b"#")) {
            return Ok(line);
        }
    }
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
