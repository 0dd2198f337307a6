//! Headings, lines and tables for people.

use crate::words::visible;
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

/// Text under construction; text from files is made [`visible`].
pub struct Page {
    text: String,
    color: bool,
}

impl Page {
    /// An empty page.
    pub fn new(color: bool) -> Self {
        Self { text: String::new(), color }
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Adds a line.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(&visible(line));
        self.text.push('\n');
    }

    /// Adds a heading, bold if colors are used.
    pub fn heading(&mut self, heading: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let (bold, plain) = if self.color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        self.text.push_str(&format!("{bold}{}{plain}\n", visible(heading)));
    }

    /// As [`Page::table`].
    pub(crate) fn rows(&mut self, heading: &str, table: Rows) {
        self.table(heading, table.columns, table.rows);
    }

    /// A table under a heading; nothing if it has no rows.
    pub fn table(&mut self, heading: &str, columns: &[&str], rows: Vec<Vec<String>>) {
        if rows.is_empty() {
            return;
        }
        self.heading(heading);
        let style = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));
        let mut table = Table::new();
        table.load_style(style).force_no_tty().set_header(columns.iter().copied());
        for index in 0..columns.len() {
            let numbers = rows.iter().all(|row| row.get(index).is_some_and(|cell| is_number(cell)));
            if let (true, Some(column)) = (numbers, table.column_mut(index)) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.add_rows(rows.iter().map(|row| row.iter().map(|cell| visible(cell))));
        self.line(&table.trim_fmt());
    }
}

/// A table for both the terminal and a page.
pub(crate) struct Rows {
    /// The names of the columns.
    pub columns: &'static [&'static str],
    /// The texts of each row.
    pub rows: Vec<Vec<String>>,
}

impl From<Rows> for crate::html::Table {
    fn from(table: Rows) -> Self {
        Self::of(table.columns, table.rows)
    }
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}
