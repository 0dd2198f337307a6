//! The columns of a CSV file by name, and the line of every row. Numbers need little of CSV: a quoted field
//! must end on its line.

use super::lines::{Lines, complaint, delimiter, fields, finite, is_missing, number_like};
use crate::dataset::format::require_file;
use crate::dataset::format::strided::file_error;
use crate::error::{Error, Result};
use std::fs::File;
use std::path::Path;

/// Names of space axes, in lower case.
const AXES: [&str; 7] = ["x", "y", "z", "lat", "lon", "latitude", "longitude"];
/// Names of the time column, in lower case.
const TIMES: [&str; 2] = ["t", "time"];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColumnRole {
    /// A coordinate: named `x`, `y`, `z`, `lat`, `lon`, `latitude` or `longitude`, in any case.
    Axis,
    /// The time: named `t` or `time`.
    Time,
    /// Any other numbers; some may be missing.
    Value,
    /// Text, which is not read.
    Text,
}

impl ColumnRole {
    /// In two words, such as `value column`.
    pub fn description(self) -> &'static str {
        match self {
            ColumnRole::Axis => "coordinate column",
            ColumnRole::Time => "time column",
            ColumnRole::Value => "value column",
            ColumnRole::Text => "text column",
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, as in the header.
    pub name: String,
    /// What it holds.
    pub role: ColumnRole,
    /// One number per row: finite, or NaN for a missing value. Empty for text.
    pub values: Vec<f64>,
}

/// A CSV file: its columns, and the line of each row. The delimiter is a comma, a semicolon or a tab; lines
/// that begin with `#` are comments.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The columns, in the file's order.
    pub columns: Vec<Column>,
    /// The line of every row, counted from 1.
    pub lines: Vec<u64>,
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    /// An unreadable file; a header without coordinates; a field that is not a finite number (the error gives
    /// line, column and text). A value (not a coordinate or time) may be empty, `NaN`, `NA` or `null`.
    pub fn read(path: &Path) -> Result<Self> {
        let io = |source| file_error(path, None, source);
        let corrupt = |problem: String| Error::corrupt(path, None, problem);
        require_file(path)?;
        let mut lines = Lines::new(File::open(path).map_err(io)?);
        let Some((_, header)) = lines.next().map_err(io)? else {
            return Err(corrupt("the file is empty".into()));
        };
        let delimiter = delimiter(header);
        let mut table =
            Self { columns: columns(fields(header, delimiter)).map_err(corrupt)?, lines: Vec::new() };
        while let Some((number, line)) = lines.next().map_err(io)? {
            if table.is_empty() {
                table.find_text(fields(line, delimiter));
            }
            table.push(line, number, delimiter).map_err(corrupt)?;
        }
        if table.is_empty() {
            return Err(corrupt("a header line, but no points follow".into()));
        }
        Ok(table)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The columns of one role, in the file's order.
    pub fn columns_of(&self, role: ColumnRole) -> impl Iterator<Item = &Column> + Clone {
        self.columns.iter().filter(move |column| column.role == role)
    }

    /// The first row decides which columns are text.
    fn find_text<'a>(&mut self, first: impl Iterator<Item = &'a [u8]>) {
        for (column, field) in self.columns.iter_mut().zip(first) {
            if column.role == ColumnRole::Value && !is_missing(field) && !number_like(field) {
                column.role = ColumnRole::Text;
            }
        }
    }

    fn push(&mut self, line: &[u8], number: u64, delimiter: u8) -> Result<(), String> {
        let expected = self.columns.len();
        let wrong = |got| format!("line {number} has {got} fields, but the header names {expected}");
        let mut fields = fields(line, delimiter);
        for (i, column) in self.columns.iter_mut().enumerate() {
            let field = fields.next().ok_or_else(|| wrong(i))?;
            let value = match column.role {
                ColumnRole::Text => continue,
                ColumnRole::Value if is_missing(field) => f64::NAN,
                _ => finite(field).ok_or_else(|| complaint(number, &column.name, field, delimiter))?,
            };
            column.values.push(value);
        }
        self.lines.push(number);
        match fields.count() {
            0 => Ok(()),
            more => Err(wrong(expected + more)),
        }
    }
}

/// The columns that a header names; any that is neither axis nor time is a value for now.
///
/// # Errors
/// A text that says what is wrong with it.
fn columns<'a>(header: impl Iterator<Item = &'a [u8]>) -> Result<Vec<Column>, String> {
    let names: Vec<String> = header.map(|f| String::from_utf8_lossy(f).into_owned()).collect();
    if names.iter().any(|n| n.parse::<f64>().is_ok()) {
        return Err(format!("the first line {names:?} must name the columns, such as x,y,t,u"));
    }
    for (i, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(format!("column {} has no name in the header {names:?}", i + 1));
        }
        if names[..i].iter().any(|n| n.eq_ignore_ascii_case(name)) {
            return Err(format!("two columns are named {name:?}"));
        }
    }
    let among = |name: &str, list: &[&str]| list.iter().any(|l| l.eq_ignore_ascii_case(name));
    let role = |name: &str| match name {
        _ if among(name, &AXES) => ColumnRole::Axis,
        _ if among(name, &TIMES) => ColumnRole::Time,
        _ => ColumnRole::Value,
    };
    let count = |wanted| names.iter().filter(|name| role(name) == wanted).count();
    match (count(ColumnRole::Axis), count(ColumnRole::Time)) {
        (1..=3, 0 | 1) => {}
        (0, _) => {
            return Err(format!("no coordinate among the columns {names:?}; name them {}", AXES.join(", ")));
        }
        (1..=3, _) => return Err(format!("both {} are there; keep one of them", TIMES.join(" and "))),
        (n, _) => return Err(format!("{n} coordinates among {names:?}; a domain has 1 to 3 axes")),
    }
    Ok(names.into_iter().map(|name| Column { role: role(&name), name, values: Vec::new() }).collect())
}
