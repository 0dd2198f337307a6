//! Tables of results: on the terminal, as Markdown, LaTeX and CSV, and in reports.

use super::rows::{Kind, Published, Row, names, rows};
use crate::page::Page;
use crate::picture::ticks::short;
use crate::report::Table;
use clap::ValueEnum;
use lto::evaluate::compare::best;
use lto::evaluate::{Evaluation, Measures, Outcome};
use std::fmt::Write;

/// Form of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For the terminal.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// LaTeX, `tabular` with booktabs' rules.
    Latex,
    /// Comma-separated values, one file's worth after the other.
    Csv,
}

/// What stands in a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Whether it is the best of its row.
    pub best: bool,
    /// Number of the note that explains it, from 1.
    pub note: Option<usize>,
}

/// A table with notes.
#[derive(Clone, Debug)]
pub struct ResultTable {
    /// What it is about.
    pub kind: Kind,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<Cell>>,
    /// Notes.
    pub notes: Vec<String>,
}

/// The tables of one evaluation with all measures, or of several side by side with the best of each row marked, and what
/// others published beside them.
pub fn tables(evaluations: &[Evaluation], published: &[Published]) -> Vec<ResultTable> {
    let all: Vec<Vec<Row>> = evaluations.iter().map(rows).collect();
    let table = |kind: Kind| {
        let mut labels: Vec<&str> = Vec::new();
        for row in all.iter().flatten().filter(|row| row.kind == kind) {
            if !labels.contains(&row.label.as_str()) {
                labels.push(&row.label);
            }
        }
        let published: Vec<&Published> = published.iter().filter(|p| p.kind == kind).collect();
        let find = |rows: &'_ [Row<'_>], label: &str| -> Option<Outcome> {
            rows.iter().find(|row| row.kind == kind && row.label == label).map(|row| row.outcome.clone())
        };
        let mut table =
            ResultTable { kind, columns: vec![kind.case().into()], rows: Vec::new(), notes: Vec::new() };
        let single = all.len() == 1;
        if single {
            table.columns.extend(MEASURES.map(String::from));
        } else {
            table.columns.extend(names(evaluations));
        }
        table.columns.extend(published.iter().map(|p| p.name.clone()));
        for label in labels {
            let outcomes: Vec<Option<Outcome>> = all.iter().map(|rows| find(rows, label)).collect();
            let mut cells = vec![plain(label)];
            match (single, outcomes.first()) {
                (true, Some(outcome)) => cells.extend(table.measures(outcome.as_ref())),
                _ => cells.extend(table.side_by_side(&outcomes)),
            }
            let bare = label.split(" (").next().unwrap_or(label);
            cells.extend(
                published.iter().map(|p| plain(p.relative_l2.get(bare).map_or(String::new(), |v| short(*v)))),
            );
            table.rows.push(cells);
        }
        table
    };
    let table = |kind| match kind {
        Kind::OneStep if all.len() > 1 => one_step(evaluations, published),
        kind => table(kind),
    };
    Kind::ALL.into_iter().map(table).filter(|table| !table.rows.is_empty()).collect()
}

/// All measures of several models, one row each; what others published below.
fn one_step(evaluations: &[Evaluation], published: &[Published]) -> ResultTable {
    let columns = std::iter::once("model").chain(MEASURES).map(String::from).collect();
    let mut table = ResultTable { kind: Kind::OneStep, columns, rows: Vec::new(), notes: Vec::new() };
    let errors: Vec<_> = evaluations.iter().map(|e| e.one_step.measures().map(|m| &m.relative_l2)).collect();
    for ((evaluation, name), best) in evaluations.iter().zip(names(evaluations)).zip(best(&errors)) {
        let mut cells = table.measures(Some(&evaluation.one_step));
        cells[0].best = best;
        cells.insert(0, plain(name));
        table.rows.push(cells);
    }
    for other in published.iter().filter(|p| p.kind == Kind::OneStep) {
        let mut cells = vec![Cell::default(); MEASURES.len()];
        cells[0] = plain(other.relative_l2.values().next().map_or(String::new(), |v| short(*v)));
        cells.insert(0, plain(other.name.clone()));
        table.rows.push(cells);
    }
    table
}

/// Columns of a table of one evaluation.
const MEASURES: [&str; 8] =
    ["relative L2", "95 % interval", "RMSE", "max error", "low", "mid", "high", "ms each"];

fn plain(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}

fn number(value: f64) -> String {
    if value.is_finite() { short(value) } else { "∞".into() }
}

impl ResultTable {
    fn measures(&mut self, outcome: Option<&Outcome>) -> Vec<Cell> {
        let missing = |cell: Cell| {
            let mut cells = vec![Cell::default(); MEASURES.len()];
            cells[0] = cell;
            cells
        };
        let m = match outcome {
            Some(Outcome::Measured(measures)) => measures,
            Some(Outcome::Unsupported(reason)) => return missing(self.dash(reason)),
            None => return missing(Cell::default()),
        };
        let [low, high] = m.relative_l2.interval;
        let band = |value: fn(&lto::evaluate::scores::BandErrors) -> f64| {
            m.bands.as_ref().map_or(String::new(), |bands| number(value(bands)))
        };
        [
            number(m.relative_l2.mean),
            format!("{} – {}", number(low), number(high)),
            number(m.rmse),
            number(m.max_error),
            band(|b| b.low),
            band(|b| b.mid),
            band(|b| b.high),
            short(1e3 * m.seconds_per_prediction),
        ]
        .map(plain)
        .to_vec()
    }

    fn side_by_side(&mut self, outcomes: &[Option<Outcome>]) -> Vec<Cell> {
        let errors: Vec<_> = outcomes
            .iter()
            .map(|outcome| outcome.as_ref().and_then(Outcome::measures).map(|m| &m.relative_l2))
            .collect();
        let best = best(&errors);
        let cell = |(outcome, best): (&Option<Outcome>, bool)| match outcome {
            None => Cell::default(),
            Some(Outcome::Unsupported(reason)) => self.dash(reason),
            Some(Outcome::Measured(Measures { relative_l2, .. })) => {
                let [low, high] = relative_l2.interval;
                let text = format!("{} ({} – {})", number(relative_l2.mean), number(low), number(high));
                Cell { text, best, note: None }
            }
        };
        outcomes.iter().zip(best).map(cell).collect()
    }

    /// "–" with its reason among the notes.
    fn dash(&mut self, reason: &str) -> Cell {
        let known = self.notes.iter().position(|note| note == reason);
        let note = known.unwrap_or_else(|| {
            self.notes.push(reason.into());
            self.notes.len() - 1
        });
        Cell { text: "–".into(), best: false, note: Some(note + 1) }
    }

    /// The heading of the table.
    pub fn title(&self) -> &'static str {
        self.kind.title()
    }

    /// Cells as they are shown where there is no markup: `*` marks the best, `[1]` a note.
    fn shown(&self) -> Vec<Vec<String>> {
        let show = |cell: &Cell| {
            let star = if cell.best { " *" } else { "" };
            let note = cell.note.map_or(String::new(), |n| format!(" [{n}]"));
            format!("{}{star}{note}", cell.text)
        };
        self.rows.iter().map(|row| row.iter().map(show).collect()).collect()
    }

    /// Adds the table to a page for the terminal.
    pub fn write(&self, page: &mut Page) {
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        page.table(self.title(), &columns, self.shown());
        for (i, note) in self.notes.iter().enumerate() {
            page.line(&format!("[{}] {note}", i + 1));
        }
    }

    /// The table for a report.
    pub fn html(&self) -> Table {
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let table = Table::new(&columns);
        self.rows.iter().fold(table, |table, row| {
            table.marked_row(row.iter().map(|cell| {
                let note = cell.note.map_or(String::new(), |n| format!(" [{n}]"));
                // A number and its interval stay on one line; what is too wide can be moved.
                (format!("{}{note}", cell.text).replace(' ', "\u{a0}"), cell.best)
            }))
        })
    }

    /// Markdown.
    pub fn markdown(&self) -> String {
        let escape = |text: &str| text.replace('|', "\\|");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("### {}\n\n", self.title());
        text.push_str(&line(self.columns.iter().map(|c| escape(c)).collect()));
        text.push_str(&line(self.columns.iter().map(|_| "---".into()).collect()));
        for row in &self.rows {
            let cell = |cell: &Cell| {
                let note = cell.note.map_or(String::new(), |n| format!(" [{n}]"));
                let bold = if cell.best { "**" } else { "" };
                format!("{bold}{}{bold}{note}", escape(&cell.text))
            };
            text.push_str(&line(row.iter().map(cell).collect()));
        }
        text.push_str(&self.listed("\n", "  \n"));
        text
    }

    /// LaTeX.
    pub fn latex(&self) -> String {
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let mut text = format!(
            "% {}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n",
            self.title(),
            "r".repeat(self.columns.len().saturating_sub(1))
        );
        text.push_str(&line(self.columns.iter().map(|c| tex(c)).collect()));
        text.push_str("\\midrule\n");
        for row in &self.rows {
            let cell = |cell: &Cell| {
                let note = cell.note.map_or(String::new(), |n| format!("$^{{{n}}}$"));
                let text = tex(&cell.text);
                if cell.best { format!("\\textbf{{{text}}}{note}") } else { format!("{text}{note}") }
            };
            text.push_str(&line(row.iter().map(cell).collect()));
        }
        text.push_str("\\bottomrule\n\\end{tabular}\n");
        for (i, note) in self.notes.iter().enumerate() {
            let _ = writeln!(text, "$^{{{}}}$ {}", i + 1, tex(note));
        }
        text
    }

    /// Comma-separated values: numbers as they are, with the table's name in the first column.
    pub fn csv(&self) -> String {
        let quote = |text: &str| {
            if text.contains([',', '"', '\n']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.into()
            }
        };
        let line = |cells: Vec<String>| format!("{}\n", cells.join(","));
        let with_title = |title: &str, cells: &[String]| {
            std::iter::once(title).chain(cells.iter().map(String::as_str)).map(quote).collect()
        };
        let mut text = line(with_title("table", &self.columns));
        self.shown().iter().for_each(|row| text.push_str(&line(with_title(self.title(), row))));
        text
    }

    fn listed(&self, before: &str, after: &str) -> String {
        let notes = self.notes.iter().enumerate().map(|(i, note)| format!("[{}] {note}{after}", i + 1));
        let notes: String = notes.collect();
        if notes.is_empty() { notes } else { format!("{before}{notes}") }
    }
}

/// Text that LaTeX takes as it is.
fn tex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' | '_' | '&' | '#' | '$' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '–' => escaped.push_str("--"),
            '→' => escaped.push_str("$\\to$"),
            '∞' => escaped.push_str("$\\infty$"),
            '÷' => escaped.push_str("$\\div$"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// All tables in a form.
pub fn formatted(tables: &[ResultTable], format: Format, color: bool) -> String {
    match format {
        Format::Text => {
            let mut page = Page::new(color);
            tables.iter().for_each(|table| table.write(&mut page));
            page.into_text()
        }
        Format::Markdown => tables.iter().map(ResultTable::markdown).collect::<Vec<_>>().join("\n"),
        Format::Latex => tables.iter().map(ResultTable::latex).collect::<Vec<_>>().join("\n"),
        Format::Csv => tables.iter().map(ResultTable::csv).collect::<Vec<_>>().join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ResultTable {
        let best = Cell { text: "0.1 (0.09 – 0.11)".into(), best: true, note: None };
        let mut table = ResultTable {
            kind: Kind::Resolution,
            columns: ["points", "a_1", "b|2"].map(String::from).to_vec(),
            rows: vec![vec![plain("64 (native)"), best, plain("0.2")]],
            notes: Vec::new(),
        };
        let cells = [table.dash("it cannot, at 50 %"), table.dash("it cannot, at 50 %")];
        table.rows.push([vec![plain("16")], cells.to_vec()].concat());
        table
    }

    #[test]
    fn every_form_marks_the_best_and_explains_dashes_once() {
        let table = table();
        assert_eq!(table.notes.len(), 1);
        let text = formatted(std::slice::from_ref(&table), Format::Text, false);
        assert!(
            text.contains("0.1 (0.09 – 0.11) *") && text.contains("– [1]") && text.contains("[1] it cannot")
        );
        let markdown = formatted(std::slice::from_ref(&table), Format::Markdown, false);
        assert!(
            markdown.contains("| **0.1 (0.09 – 0.11)** | 0.2 |") && markdown.contains("b\\|2"),
            "{markdown}"
        );
        assert!(markdown.contains("\n[1] it cannot, at 50 %"));
        let latex = formatted(std::slice::from_ref(&table), Format::Latex, false);
        assert!(latex.contains("\\textbf{0.1 (0.09 -- 0.11)} & 0.2 \\\\"), "{latex}");
        assert!(latex.contains("a\\_1") && latex.contains("--$^{1}$") && latex.contains("at 50 \\%"));
        let csv = formatted(std::slice::from_ref(&table), Format::Csv, false);
        assert!(csv.starts_with("table,points,a_1,b|2\nResolution,64 (native),"), "{csv}");
    }
}
