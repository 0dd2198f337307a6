//! Tables in a report.

use super::escape;

/// Longer texts are broken into lines, so that tables need no scrolling.
const LONG: usize = 60;

/// A table.
pub struct Table {
    columns: Vec<String>,
    /// Texts, and whether each is highlighted.
    rows: Vec<Vec<(String, bool)>>,
}

impl Table {
    /// A table with the names of its columns and no rows.
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&name| name.into()).collect(), rows: Vec::new() }
    }

    /// A table of rows of texts.
    pub fn of(columns: &[&str], rows: Vec<Vec<String>>) -> Self {
        rows.into_iter().fold(Self::new(columns), Self::row)
    }

    /// Adds a row.
    pub fn row(self, cells: impl IntoIterator<Item = String>) -> Self {
        self.marked_row(cells.into_iter().map(|text| (text, false)))
    }

    /// Adds a row of cells that may be highlighted.
    pub fn marked_row(mut self, cells: impl IntoIterator<Item = (String, bool)>) -> Self {
        self.rows.push(cells.into_iter().collect());
        self
    }

    pub(super) fn html(&self) -> String {
        let cell = |(text, marked): &(String, bool)| {
            let number = text.parse::<f64>().is_ok();
            let class = match text.chars().count() {
                _ if number => " class=\"number\"",
                n if n > LONG => " class=\"long\"",
                _ => "",
            };
            let (bold, plain) = if *marked { ("<strong>", "</strong>") } else { ("", "") };
            format!("<td{class}>{bold}{}{plain}</td>", escape(text))
        };
        let row = |cells: &Vec<(String, bool)>| {
            format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
        };
        let head: String = self.columns.iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
        let body: String = self.rows.iter().map(row).collect();
        format!(
            "<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>"
        )
    }
}
