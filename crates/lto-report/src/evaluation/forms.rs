//! Tables on the terminal, as Markdown, LaTeX and CSV, and in reports.

use super::coverage::coverages;
use super::look::{Look, marks};
use super::models::models;
use super::rows::{cases, names};
use super::skill::skills;
use super::table::{Cell, ResultTable, tables};
use crate::html::Table;
use crate::text::Page;
use lto::evaluate::compare::differences;
use lto::evaluate::statistics::ErrorStatistics;
use lto::evaluate::{Evaluation, Outcome, ResultKind};
use lto_numerics::metric::MetricKind;
use std::fmt::Write;

/// Format of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Format {
    /// For the terminal.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// LaTeX, `tabular` with booktabs' rules.
    Latex,
    /// Comma-separated values, one line per case and model, with every number and reason.
    Csv,
}

impl ResultTable {
    /// Cells without markup: `*` marks the best, `[1]` a note.
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
        page.table(&self.title, &columns, self.shown());
        self.footnotes().iter().for_each(|note| page.line(note));
    }

    /// The table for a report.
    pub fn html(&self) -> Table {
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let table = Table::new(&columns);
        self.rows.iter().fold(table, |table, row| {
            table.marked_row(row.iter().map(|cell| {
                let note = cell.note.map_or(String::new(), |n| format!(" [{n}]"));
                (format!("{}{note}", cell.text), cell.best)
            }))
        })
    }

    /// Markdown.
    pub fn markdown(&self) -> String {
        let escape = |text: &str| text.replace('|', "\\|");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("### {}\n\n", self.title);
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
        let notes: String = self.footnotes().iter().map(|note| format!("{note}  \n")).collect();
        if notes.is_empty() { text } else { format!("{text}\n{notes}") }
    }

    /// LaTeX.
    pub fn latex(&self) -> String {
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let mut text = format!(
            "% {}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n",
            self.title,
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

    /// The numbered notes below the table.
    pub fn footnotes(&self) -> Vec<String> {
        self.notes.iter().enumerate().map(|(i, note)| format!("[{}] {note}", i + 1)).collect()
    }
}

/// Text escaped for LaTeX.
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

/// The results in a format: the models, the tables of all cases, and skill.
pub fn formatted(evaluations: &[Evaluation], look: &Look, format: Format, color: bool) -> String {
    if format == Format::Csv {
        return csv(evaluations, look);
    }
    let mut results = tables(evaluations, look);
    results.retain(|table| look.shows(table.name));
    let remarks = remarks(&results);
    let mut all = [vec![models(evaluations)], results, skills(evaluations), coverages(evaluations)].concat();
    all.retain(|table| look.shows(table.name));
    in_form(&all, remarks, format, color)
}

fn in_form(tables: &[ResultTable], remarks: Vec<String>, format: Format, color: bool) -> String {
    let each = |form: fn(&ResultTable) -> String| tables.iter().map(form).collect::<Vec<_>>();
    match format {
        Format::Markdown => [each(ResultTable::markdown), remarks.iter().map(|r| format!("{r}\n")).collect()]
            .concat()
            .join("\n"),
        Format::Latex => {
            [each(ResultTable::latex), remarks.iter().map(|r| format!("{}\n", tex(r))).collect()]
                .concat()
                .join("\n")
        }
        Format::Text | Format::Csv => {
            let mut page = Page::new(color);
            tables.iter().for_each(|table| table.write(&mut page));
            remarks.iter().for_each(|remark| page.line(&format!("\n{remark}")));
            page.into_text()
        }
    }
}

/// Remarks on whole tables, each once, with the tables they hold for unless they hold for all.
pub fn remarks(tables: &[ResultTable]) -> Vec<String> {
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for table in tables {
        for remark in &table.remarks {
            match said.iter_mut().find(|(known, _)| known == remark) {
                Some((_, titles)) => titles.push(&table.title),
                None => said.push((remark, vec![&table.title])),
            }
        }
    }
    let line = |(remark, titles): (&str, Vec<&str>)| match titles.len() == tables.len() {
        true => remark.into(),
        false => format!("{remark} (tables: {})", titles.join("; ")),
    };
    said.into_iter().map(line).collect()
}

/// All results as comma-separated values, for programs: one line per case and model, one full-precision
/// number per field. Published numbers have their own lines.
fn csv(evaluations: &[Evaluation], look: &Look) -> String {
    let (names, differences) = (names(evaluations), differences(evaluations));
    let mut text = "table,case,model,samples,".to_string();
    for name in MetricKind::ALL.map(MetricKind::name) {
        text.push_str(&format!("{name},{name}_low,{name}_high,"));
    }
    text.push_str("ms,best,reason\n");
    let n_cells = 7 + 3 * MetricKind::ALL.len();
    let mut line = |cells: Vec<String>| {
        text.push_str(&cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
        text.push('\n');
    };
    for kind in ResultKind::ALL.into_iter().filter(|kind| look.shows(kind.name())) {
        for case in cases(evaluations, kind) {
            let best = marks(kind, &differences, &case.errors(look.metric)).best;
            for ((outcome, name), best) in case.outcomes.iter().zip(&names).zip(best) {
                let head = [kind.name(), &case.label, name].map(String::from);
                match outcome.as_deref() {
                    None => {}
                    Some(Outcome::Unsupported(reason)) => {
                        let empty = vec![String::new(); n_cells - 4];
                        line([head.to_vec(), empty, vec![reason.clone()]].concat());
                    }
                    Some(Outcome::Measured(m)) => {
                        let errors = MetricKind::ALL.into_iter().flat_map(|metric| ends(&m.errors[metric]));
                        let mut cells = head.to_vec();
                        cells.push(m.errors.relative_l2.errors.len().to_string());
                        cells.extend(errors);
                        cells.push((1e3 * m.seconds_per_prediction).to_string());
                        cells.extend([best.to_string(), String::new()]);
                        line(cells);
                    }
                }
            }
            for published in look.published().iter().filter(|p| p.kind == kind) {
                if let Some(value) = published.of(&case.label) {
                    let head = [kind.name(), &case.label, &published.name, "", &value.to_string()];
                    line([head.map(String::from).to_vec(), vec![String::new(); n_cells - 5]].concat());
                }
            }
        }
    }
    text
}

/// The mean and its interval; empty if there is none.
fn ends(errors: &ErrorStatistics) -> [String; 3] {
    let [low, high] =
        errors.interval.map_or([String::new(), String::new()], |ends| ends.map(|v| v.to_string()));
    [errors.measured().map_or(String::new(), |errors| errors.mean.to_string()), low, high]
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    fn table() -> ResultTable {
        let best = Cell { text: "0.1 (0.09 – 0.11)".into(), best: true, note: None };
        let mut table = ResultTable {
            name: "resolution",
            title: "Resolution".into(),
            columns: ["points", "a_1", "b|2"].map(String::from).to_vec(),
            rows: vec![vec![cell("64 (native)"), best, cell("0.2")]],
            notes: Vec::new(),
            remarks: vec!["no best of the second row".into()],
        };
        let cells = [table.dash("it cannot, at 50 %"), table.dash("it cannot, at 50 %")];
        table.rows.push([vec![cell("16")], cells.to_vec()].concat());
        table
    }

    fn form(table: &ResultTable, format: Format) -> String {
        let alone = std::slice::from_ref(table);
        in_form(alone, remarks(alone), format, false)
    }

    #[test]
    fn every_form_marks_the_best_and_explains_dashes_once() {
        let table = table();
        assert_eq!(table.notes.len(), 1);
        let text = form(&table, Format::Text);
        assert!(
            text.contains("0.1 (0.09 – 0.11) *") && text.contains("– [1]") && text.contains("[1] it cannot")
        );
        let markdown = form(&table, Format::Markdown);
        assert!(
            markdown.contains("| **0.1 (0.09 – 0.11)** | 0.2 |") && markdown.contains("b\\|2"),
            "{markdown}"
        );
        assert!(markdown.contains("\n[1] it cannot, at 50 %"));
        let latex = form(&table, Format::Latex);
        assert!(latex.contains("\\textbf{0.1 (0.09 -- 0.11)} & 0.2 \\\\"), "{latex}");
        assert!(latex.contains("a\\_1") && latex.contains("--$^{1}$") && latex.contains("at 50 \\%"));
        for text in [text, markdown, latex] {
            assert!(text.contains("\nno best of the second row"), "{text}");
        }
    }

    #[test]
    fn a_remark_on_several_tables_is_made_once() {
        let (one, mut other) = (table(), table());
        let both = [one.clone(), one.clone()];
        let text = in_form(&both, remarks(&both), Format::Text, false);
        assert_eq!(text.matches("no best").count(), 1, "{text}");
        other.title = "Noise".into();
        other.remarks.clear();
        assert_eq!(remarks(&[one.clone(), other]), ["no best of the second row (tables: Resolution)"]);
        assert_eq!(remarks(&[one]), ["no best of the second row"]);
    }
}
